import { useEffect, useRef, useState } from "react";

const PAUSE_MS = 250;

export interface Typed {
  readonly text: string;
  readonly type: (text: string) => void;
  /** Saves the typed text at once. */
  readonly flush: () => void;
}

/** Saves typed text shortly after the last letter. Until then, a new value from outside does not replace it. */
export function useTyped(value: string, commit: (text: string) => void): Typed {
  const [text, setText] = useState(value);
  const pending = useRef<string | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const newest = useRef(commit);
  newest.current = commit;
  const flush = (): void => {
    clearTimeout(timer.current);
    const waiting = pending.current;
    pending.current = null;
    if (waiting !== null) newest.current(waiting);
  };
  const newestFlush = useRef(flush);
  newestFlush.current = flush;
  useEffect(() => {
    if (pending.current === null) setText(value);
  }, [value]);
  // A form that is closed saves its text.
  useEffect(() => () => newestFlush.current(), []);
  return {
    text,
    flush,
    type: (next) => {
      setText(next);
      pending.current = next;
      clearTimeout(timer.current);
      timer.current = setTimeout(() => newestFlush.current(), PAUSE_MS);
    },
  };
}

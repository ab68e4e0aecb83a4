import { useCallback, useRef, useState } from "react";

export interface Action<A extends readonly unknown[]> {
  /** Performs the action. Resolves with false when it failed, and the error is in `problem`. */
  readonly run: (...args: A) => Promise<boolean>;
  readonly isBusy: boolean;
  readonly problem: Error | null;
  readonly clear: () => void;
}

/** An action of a person. It runs once at a time, and its error is stored to be shown. */
export function useAction<A extends readonly unknown[]>(act: (...args: A) => Promise<unknown>): Action<A> {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Error | null>(null);
  const busy = useRef(false);
  const newest = useRef(act);
  newest.current = act;
  const run = useCallback(async (...args: A): Promise<boolean> => {
    if (busy.current) return false;
    busy.current = true;
    setBusy(true);
    setProblem(null);
    try {
      await newest.current(...args);
      return true;
    } catch (thrown) {
      setProblem(asError(thrown));
      return false;
    } finally {
      busy.current = false;
      setBusy(false);
    }
  }, []);
  return { run, isBusy, problem, clear: useCallback(() => setProblem(null), []) };
}

export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

import { useEffect, useMemo, useRef } from "react";

/** A key or a chord as people write it: `j`, `?`, `g r`, `mod+k` (⌘ on a Mac, Ctrl elsewhere). */
export interface Shortcut {
  readonly keys: string;
  readonly label: string;
  /** Heading in the overlay. */
  readonly group: string;
  readonly run: () => void;
}

const active = new Set<() => readonly Shortcut[]>();
const CHORD_MS = 1_200;
let prefix: { readonly key: string; readonly at: number } | null = null;

/** Whether a key belongs to what is being typed. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

export function keyOf(event: Pick<KeyboardEvent, "key" | "metaKey" | "ctrlKey" | "altKey">): string {
  const isMod = event.metaKey || event.ctrlKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return `${isMod ? "mod+" : ""}${event.altKey ? "alt+" : ""}${key}`;
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const key = keyOf(event);
  const isPlain = !key.startsWith("mod+");
  if (isPlain && (isTyping(event.target) || document.querySelector("dialog[open]") !== null)) return;
  const chord = prefix !== null && event.timeStamp - prefix.at < CHORD_MS ? `${prefix.key} ${key}` : null;
  prefix = null;
  const all = shownShortcuts();
  // What was added last, a screen's own, comes before the shell's.
  const found = all.findLast(({ keys }) => keys === chord) ?? all.findLast(({ keys }) => keys === key);
  if (found !== undefined) {
    event.preventDefault();
    found.run();
  } else if (all.some(({ keys }) => keys.startsWith(`${key} `))) prefix = { key, at: event.timeStamp };
}

addEventListener("keydown", onKey);

/** All shortcuts that work now, the shell's first. */
export function shownShortcuts(): readonly Shortcut[] {
  return [...active].flatMap((list) => list());
}

/** Makes shortcuts work as long as the component is there. They are listed in the overlay behind `?`. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const newest = useRef(shortcuts);
  newest.current = shortcuts;
  useEffect(() => {
    const list = (): readonly Shortcut[] => newest.current;
    active.add(list);
    return () => void active.delete(list);
  }, []);
}

/** `mod` as this machine calls it. */
export function useModLabel(): string {
  return useMemo(() => (/Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl"), []);
}

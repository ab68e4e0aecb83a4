import { useEffect, useMemo, useRef } from "react";

/** A key or a chord as people write it: `j`, `?`, `g r`, `mod+k` (⌘ on a Mac, Ctrl elsewhere). */
export interface Shortcut {
  readonly keys: string;
  readonly label: string;
  /** Heading in the list of shortcuts. */
  readonly group: string;
  readonly run: () => void;
}

const active = new Set<() => readonly Shortcut[]>();
const CHORD_MS = 1_200;
let prefix: { readonly key: string; readonly at: number } | null = null;

/** Checks whether a key is typed into an input. */
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
  // Shortcuts added last, those of a screen, take precedence over those of the shell.
  const found = all.findLast(({ keys }) => keys === chord) ?? all.findLast(({ keys }) => keys === key);
  if (found !== undefined) {
    event.preventDefault();
    found.run();
  } else if (all.some(({ keys }) => keys.startsWith(`${key} `))) prefix = { key, at: event.timeStamp };
}

addEventListener("keydown", onKey);

/** Returns all active shortcuts, those of the shell first. */
export function shownShortcuts(): readonly Shortcut[] {
  return [...active].flatMap((list) => list());
}

/** Activates shortcuts while the component is mounted. They are listed behind `?`. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const newest = useRef(shortcuts);
  newest.current = shortcuts;
  useEffect(() => {
    const list = (): readonly Shortcut[] => newest.current;
    active.add(list);
    return () => void active.delete(list);
  }, []);
}

/** Returns the name of the `mod` key on this machine. */
export function useModLabel(): string {
  return useMemo(() => (/Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl"), []);
}

import { setTimeout as pause } from "node:timers/promises";

/** Generous on purpose: a slow machine is no failure, and a run that never ends still is one. */
export const PATIENCE_MS = 300_000;
const LOOK_EVERY_MS = 40;

/** Looks again and again until it is so. */
export async function waitFor(
  what: string,
  isSo: () => Promise<boolean>,
  { patienceMs = PATIENCE_MS, everyMs = LOOK_EVERY_MS } = {},
): Promise<void> {
  const until = Date.now() + patienceMs;
  while (!(await isSo())) {
    if (Date.now() > until) throw new Error(`waited ${patienceMs} ms in vain for ${what}`);
    await pause(everyMs);
  }
}

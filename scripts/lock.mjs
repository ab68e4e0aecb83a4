import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A lock that is older than this is abandoned, even if its process is alive. */
const HELD_MS_MAX = 20 * 60_000;

/**
 * Runs `work` while no other process of this machine does. The lock is a file that names its holder; one left behind by
 * a process that is gone is broken. Losing the narrow race of breaking it costs work done twice, nothing else.
 */
export async function withLock(file, print, work) {
  let hasPrinted = false;
  while (!take(file)) {
    const holder = holderOf(file);
    if (holder === null) continue;
    if (isGone(holder)) {
      breakLock(file);
      continue;
    }
    if (!hasPrinted) print(`waiting for another start that is preparing this checkout (process ${holder.pid})`);
    hasPrinted = true;
    await sleep(100);
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

function take(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (error.code === "EEXIST") return false;
    throw error;
  }
}

function holderOf(file) {
  try {
    return { pid: Number(readFileSync(file, "utf8")), since: statSync(file).mtimeMs };
  } catch {
    return null;
  }
}

function isGone(holder) {
  const heldMs = Date.now() - holder.since;
  if (heldMs > HELD_MS_MAX) return true;
  // A lock is created and filled in two steps: an empty one is young, not abandoned.
  if (!Number.isInteger(holder.pid) || holder.pid <= 0) return heldMs > 5_000;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return error.code === "ESRCH";
  }
}

/** Renaming first makes sure that only one of several processes that find the same old lock removes it. */
function breakLock(file) {
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    rmSync(aside, { force: true });
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}

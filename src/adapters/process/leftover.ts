import { readdir, readFile } from "node:fs/promises";
import { kill } from "node:process";
import { MARK } from "./surroundings.ts";

/** A program that multiplies faster than this many searches find is stopped by the limit on processes, not by us. */
const SEARCHES_MAX = 50;

/** To every process of the group; harmless when none is left. */
export function signalGroup(leader: number, signal: "SIGTERM" | "SIGKILL"): void {
  signalProcess(-leader, signal);
}

/**
 * Ends processes that left the group (daemons), found by the mark in their environment, until none is found; false
 * when some are still there. Only Linux shows environments of processes; elsewhere nothing is found.
 */
export async function killMarked(mark: string): Promise<boolean> {
  for (let search = 0; search < SEARCHES_MAX; search += 1) {
    const found = await findMarked(mark);
    if (found.length === 0) return true;
    for (const id of found) signalProcess(id, "SIGKILL");
  }
  return false;
}

async function findMarked(mark: string): Promise<readonly number[]> {
  const names = await readdir("/proc").catch(() => []);
  const found: number[] = [];
  for (const name of names) {
    if (/^\d+$/.test(name) && (await isMarked(name, `${MARK}=${mark}`))) found.push(Number(name));
  }
  return found;
}

async function isMarked(id: string, assignment: string): Promise<boolean> {
  try {
    return (await readFile(`/proc/${id}/environ`, "latin1")).split("\0").includes(assignment);
  } catch {
    // It is gone, or belongs to a user whose processes we could not have started.
    return false;
  }
}

function signalProcess(id: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    kill(id, signal);
  } catch {
    // It ended by itself meanwhile.
  }
}

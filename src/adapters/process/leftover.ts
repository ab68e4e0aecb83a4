import { readdir, readFile } from "node:fs/promises";
import { kill } from "node:process";
import { createSystemClock } from "../../clock/index.ts";
import { MARK } from "./surroundings.ts";

/** A program that multiplies faster than this many searches find is stopped by the limit on processes, not by us. */
const SEARCHES_MAX = 50;
/** On a busy machine a killed process needs its turn before it is gone. */
const TURNS_MAX = 100;
const TURN_MS = 20;
/** Processes of the system end by no other clock. */
const REAL_TIME = createSystemClock();

/** To every process of the group; harmless when none is left. */
export function signalGroup(leader: number, signal: "SIGTERM" | "SIGKILL"): void {
  signalProcess(-leader, signal);
}

/**
 * Ends processes that left the group (daemons), found by the mark in their environment, until none is found; false
 * when some are still there. Only Linux shows environments of processes; elsewhere nothing is found.
 */
export async function killMarked(mark: string): Promise<boolean> {
  const killed = new Set<number>();
  let searches = 0;
  for (let turns = 0; searches < SEARCHES_MAX && turns < TURNS_MAX;) {
    const found = await findMarked(mark);
    if (found.length === 0) return true;
    const isAnyNew = found.some((id) => !killed.has(id));
    for (const id of found) {
      killed.add(id);
      signalProcess(id, "SIGKILL");
    }
    if (isAnyNew) searches += 1;
    else {
      turns += 1;
      await new Promise<void>((resolve) => REAL_TIME.after(TURN_MS, resolve));
    }
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

import { readdir, readFile } from "node:fs/promises";
import { kill } from "node:process";
import { createSystemClock } from "../../clock/index.ts";
import { MARK } from "./work-directory.ts";

/** Maximum number of searches. A program that creates processes faster is stopped by the limit on processes, not here. */
const SEARCHES_MAX = 50;
/** Maximum number of waits for killed processes to end, which takes time on a busy machine. */
const TURNS_MAX = 100;
const TURN_MS = 20;
/** The real clock, because processes of the operating system end in real time. */
const REAL_TIME = createSystemClock();

/** Sends a signal to every process of the group. Has no effect when none is left. */
export function signalGroup(leader: number, signal: "SIGTERM" | "SIGKILL"): void {
  signalProcess(-leader, signal);
}

/**
 * Ends processes that left the group (daemons), found by the mark in their environment, until none is found. False when
 * some still run. Only Linux shows the environment of processes; on other systems none is found.
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
    // The process has ended, or belongs to a user under which this Bridge starts no processes.
    return false;
  }
}

function signalProcess(id: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    kill(id, signal);
  } catch {
    // The process has already ended.
  }
}

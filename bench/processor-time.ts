/** Processor time as Linux counts it, in `/proc`: that of other processes, and of all that belong to one. */
import { readdirSync, readFileSync } from "node:fs";
import type { Sql } from "../src/store/index.ts";

/** Of the clock that Linux counts processor time with. */
const TICKS_PER_SECOND = 100;

/** Seconds of processor time that all processes below this one have used; null where /proc does not say. */
export function processorSecondsBelow(root: number): number | null {
  const parents = new Map<number, number>();
  const ticks = new Map<number, number>();
  for (const name of namesOf("/proc")) {
    const pid = Number(name);
    const fields = Number.isInteger(pid) ? fieldsOf(pid) : null;
    if (fields === null) continue;
    parents.set(pid, Number(fields[1]));
    ticks.set(pid, Number(fields[11]) + Number(fields[12]));
  }
  if (ticks.size === 0) return null;
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === root || isBelow(parent));
  };
  const below = [...ticks].filter(([pid]) => isBelow(pid));
  return below.reduce((sum, [, spent]) => sum + spent, 0) / TICKS_PER_SECOND;
}

/** Of one process, and of its children that have ended; 0 where /proc does not say. */
export function processorSecondsOf(pid: number): number {
  const [user = 0, system = 0, ofChildren = 0, systemOfChildren = 0] = (fieldsOf(pid) ?? []).slice(11, 15).map(Number);
  return (user + system + ofChildren + systemOfChildren) / TICKS_PER_SECOND;
}

/** Of the database server that `sql` is connected to, with all its processes. */
export async function processorSecondsOfPostgres(sql: Sql): Promise<number> {
  const [own] = await sql.query<{ readonly pid: number }>({ name: "own pid", text: "select pg_backend_pid() as pid" });
  const postmaster = parentOf(own?.pid ?? 0);
  const children = namesOf("/proc")
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && parentOf(pid) === postmaster);
  return [postmaster, ...children].reduce((sum, pid) => sum + processorSecondsOf(pid), 0);
}

function parentOf(pid: number): number {
  return Number(fieldsOf(pid)?.[1] ?? 0);
}

function namesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** What follows the name of the program, which may hold spaces; null: it has ended. */
function fieldsOf(pid: number): readonly string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}

import { fork } from "node:child_process";
import { once } from "node:events";
import { addHash, playSchedule, type ScheduleOptions, type ScheduleReport } from "./schedule.ts";
import { Sometimes } from "./sometimes.ts";

/** What many schedules came to. It can be sent to another process. */
export interface Tally {
  schedules: number;
  events: number;
  broken: number;
  /** Of everything they wrote, if that is asked for. */
  hash: number;
  /** How often first runs ended so, by the kind of world. */
  readonly ends: Map<string, number>;
  readonly seen: Sometimes["seen"];
}

export interface Range {
  readonly from: number;
  readonly count: number;
}

/** Plays the seeds of a range; `onBroken` gets each report of a broken promise at once. */
export function playRange(
  { from, count }: Range,
  isHashed: boolean,
  options: ScheduleOptions,
  onBroken: (report: ScheduleReport) => void,
): Tally {
  const sometimes = new Sometimes();
  const tally: Tally = { schedules: count, events: 0, broken: 0, hash: 0, ends: new Map(), seen: sometimes.seen };
  for (let seed = from; seed < from + count; seed += 1) {
    const report = playSchedule(seed, { ...options, sometimes });
    tally.events += report.events;
    if (isHashed) tally.hash = addHash(tally.hash, report.runs);
    raise(tally.ends, `${report.profile} ${report.statuses[0]}`, 1);
    if (report.violation === null) continue;
    tally.broken += 1;
    onBroken(report);
  }
  return tally;
}

/** The same in several processes of this program, each with a part of the range and the given options. */
export async function playInParts(range: Range, workers: number, options: readonly string[]): Promise<Tally> {
  const tallies = await Promise.all(partsOf(range, workers).map((part) => playElsewhere(part, options)));
  return tallies.reduce(add);
}

export function partsOf({ from, count }: Range, parts: number): readonly Range[] {
  const size = Math.ceil(count / parts);
  return Array.from({ length: parts }, (_, index) => ({
    from: from + index * size,
    count: Math.max(0, Math.min(size, count - index * size)),
  }));
}

async function playElsewhere({ from, count }: Range, options: readonly string[]): Promise<Tally> {
  const args = ["--part", "--from", String(from), "--count", String(count), ...options];
  const child = fork(process.argv[1] ?? "", args, { serialization: "advanced" });
  const ended = once(child, "exit").then(() => {
    throw new Error(`the process that played ${count} schedules from ${from} on ended without a result`);
  });
  const [tally] = (await Promise.race([once(child, "message"), ended])) as [Tally];
  return tally;
}

function add(left: Tally, right: Tally): Tally {
  for (const [key, times] of right.ends) raise(left.ends, key, times);
  for (const [marker, times] of right.seen) raise(left.seen, marker, times);
  left.schedules += right.schedules;
  left.events += right.events;
  left.broken += right.broken;
  return left;
}

function raise<Key>(counts: Map<Key, number>, key: Key, times: number): void {
  counts.set(key, (counts.get(key) ?? 0) + times);
}

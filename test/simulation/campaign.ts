import { playSchedule } from "./schedule.ts";
import { Sometimes } from "./sometimes.ts";

export interface Campaign {
  readonly schedules: number;
  /** One line per broken schedule, each with the command that plays it again; at most ten. */
  readonly broken: readonly string[];
  readonly sometimes: Sometimes;
  /** Share of first runs that completed in the calm world, where nothing is meant to stop them. */
  readonly calmShare: number;
  /** The same in all worlds. */
  readonly share: number;
}

const REPORTED_MAX = 10;

export function playCampaign(seeds: Iterable<number>): Campaign {
  const sometimes = new Sometimes();
  const broken: string[] = [];
  const total = { all: 0, completed: 0, calm: 0, calmCompleted: 0 };
  for (const seed of seeds) {
    const { violation, statuses, profile } = playSchedule(seed, { sometimes });
    const isCompleted = statuses[0] === "completed";
    total.all += 1;
    if (isCompleted) total.completed += 1;
    if (profile === "calm") {
      total.calm += 1;
      if (isCompleted) total.calmCompleted += 1;
    }
    if (violation === null) continue;
    broken.push(`npm run sim -- --seed ${seed}   # ${violation.message}`);
    if (broken.length >= REPORTED_MAX) break;
  }
  const calmShare = total.calm === 0 ? 0 : total.calmCompleted / total.calm;
  return { schedules: total.all, broken, sometimes, calmShare, share: total.completed / Math.max(1, total.all) };
}

export function* seedsFrom(first: number, count: number): Generator<number> {
  for (let seed = first; seed < first + count; seed += 1) yield seed;
}

import { playGoverned } from "./play.ts";
import type { PlayReport } from "./play-report.ts";

/** Plays one seed and prints what began in it, in its order. */
export async function playOneGoverned(seed: number, print: (line: string) => void): Promise<number> {
  const report = await playGoverned(seed);
  for (const begun of report.trace.split(" ")) print(`began   ${begun}`);
  print(verdictOf(report));
  return report.violation === null ? 0 : 1;
}

/** Plays many and prints those that broke, each with the command that plays it again. */
export async function playManyGoverned(from: number, count: number, print: (line: string) => void): Promise<number> {
  const sums = { runs: 0, starts: 0, waits: 0, answers: 0, bounded: 0, lateReports: 0 };
  let broken = 0;
  for (let seed = from; seed < from + count; seed += 1) {
    const report = await playGoverned(seed);
    for (const key of Object.keys(sums) as (keyof typeof sums)[]) sums[key] += report[key];
    if (report.violation === null) continue;
    broken += 1;
    print(verdictOf(report));
  }
  for (const [key, sum] of Object.entries(sums)) print(`${key.padEnd(12)} ${sum}`);
  print(`${count} schedules, ${broken} broken`);
  return broken === 0 ? 0 : 1;
}

function verdictOf({ seed, runs, starts, violation }: PlayReport): string {
  if (violation === null) return `ok      seed ${seed}, ${runs} launches, ${starts} attempts, every invariant held`;
  return `broken  ${violation.message}\n        ${commandFor(seed)}`;
}

/** The command that shows it again. */
export function commandFor(seed: number): string {
  return `npm run sim -- --governed --seed ${seed}`;
}

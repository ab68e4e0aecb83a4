/**
 * `npm run sim -- --seed N` prints one schedule line by line; `--count N --from M` plays many and prints failures.
 * `--turns true|false` plays all of them with agents that work in rounds, or none.
 * `--workers N` plays them in N processes. `--hash` prints one number for everything they wrote.
 * `--governed` plays governed runs on a whole driver instead of the engine alone.
 */
import { parseArgs } from "node:util";
import { playManyGoverned, playOneGoverned } from "./governance/main.ts";
import { hashLogs, playSchedule, type ScheduleOptions, type ScheduleReport } from "./schedule.ts";
import { MARKERS } from "./sometimes.ts";
import { playInParts, playRange, type Tally } from "./tally.ts";

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string" },
      from: { type: "string", default: "1" },
      count: { type: "string", default: "1000" },
      hash: { type: "boolean", default: false },
      governed: { type: "boolean", default: false },
      turns: { type: "string", default: "some" },
      workers: { type: "string", default: "1" },
      part: { type: "boolean", default: false },
    },
  });
  const seed = values.seed === undefined ? null : toNumber("seed", values.seed);
  const from = toNumber("from", values.from);
  const count = toNumber("count", values.count);
  if (values.governed) return seed === null ? playManyGoverned(from, count, print) : playOneGoverned(seed, print);
  const turns = toTurns(values.turns);
  if (seed !== null) return playOne(seed, turns);
  const workers = toNumber("workers", values.workers);
  if (workers > 1 && values.hash) throw new Error("--hash is of schedules one after the other, in one process");
  if (workers > 1) return printTally(await playInParts({ from, count }, workers, ["--turns", values.turns]), false);
  const tally = playRange({ from, count }, values.hash, turns, (report) => print(verdictOf(report)));
  if (!values.part) return printTally(tally, values.hash);
  process.send?.(tally);
  return 0;
}

function toNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new Error(`--${name} takes a whole number, not ${text}`);
  return value;
}

type Turns = Pick<ScheduleOptions, "hasTurns">;

function toTurns(text: string): Turns {
  if (text === "some") return {};
  if (text !== "true" && text !== "false") throw new Error(`--turns takes true, false or some, not ${text}`);
  return { hasTurns: text === "true" };
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function playOne(seed: number, turns: Turns): number {
  const report = playSchedule(seed, { ...turns, trace: (line) => print(line()) });
  for (const { facts } of report.runs) print(`run     ${facts.runId} ${facts.workflow.name} ${facts.status}`);
  print(`hash    ${hashLogs(report.runs)}`);
  print(verdictOf(report));
  return report.violation === null ? 0 : 1;
}

function verdictOf({ seed, profile, events, violation }: ScheduleReport): string {
  if (violation === null) return `ok      seed ${seed} ${profile}, ${events} events, every invariant held`;
  return `broken  seed ${seed} ${profile}: ${violation.message}\n        npm run sim -- --seed ${seed}`;
}

function printTally({ schedules, events, broken, hash, ends, seen }: Tally, isHashed: boolean): number {
  if (isHashed) print(`hash    ${hash}`);
  for (const [key, times] of [...ends].sort(([left], [right]) => (left < right ? -1 : 1)))
    print(`ended   ${key}: ${times}`);
  print(`unseen  ${MARKERS.filter((marker) => !seen.has(marker)).join(", ") || "nothing"}`);
  print(`${schedules} schedules, ${events} events, ${broken} broken`);
  return broken === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));

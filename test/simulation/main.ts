/**
 * `npm run sim -- --seed N` prints one schedule line by line; `--count N --from M` plays many and prints failures.
 * `--turns true|false` plays all of them with agents that work in rounds, or none.
 * `--governed` plays governed runs on a whole driver instead of the engine alone.
 */
import { parseArgs } from "node:util";
import { playManyGoverned, playOneGoverned } from "./governance/main.ts";
import { addHash, hashLogs, playSchedule, type ScheduleOptions, type ScheduleReport } from "./schedule.ts";
import { Sometimes } from "./sometimes.ts";

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
    },
  });
  const seed = values.seed === undefined ? null : toNumber("seed", values.seed);
  const from = toNumber("from", values.from);
  const count = toNumber("count", values.count);
  if (values.governed) return seed === null ? playManyGoverned(from, count, print) : playOneGoverned(seed, print);
  const turns = toTurns(values.turns);
  return seed === null ? playMany(from, count, values.hash, turns) : playOne(seed, turns);
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

function playMany(from: number, count: number, isHashed: boolean, turns: Turns): number {
  const sometimes = new Sometimes();
  const ends = new Map<string, number>();
  let broken = 0;
  let events = 0;
  let hash = 0;
  for (let seed = from; seed < from + count; seed += 1) {
    const report = playSchedule(seed, { ...turns, sometimes });
    events += report.events;
    if (isHashed) hash = addHash(hash, report.runs);
    const [status] = report.statuses;
    const key = `${report.profile} ${status}`;
    ends.set(key, (ends.get(key) ?? 0) + 1);
    if (report.violation === null) continue;
    broken += 1;
    print(verdictOf(report));
  }
  if (isHashed) print(`hash    ${hash}`);
  for (const [key, times] of [...ends].sort(([left], [right]) => (left < right ? -1 : 1)))
    print(`ended   ${key}: ${times}`);
  print(`unseen  ${sometimes.missing().join(", ") || "nothing"}`);
  print(`${count} schedules, ${events} events, ${broken} broken`);
  return broken === 0 ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));

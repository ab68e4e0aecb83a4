import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { seedsFrom } from "./campaign.ts";
import { addHash, hashLogs, playSchedule } from "./schedule.ts";
import { tamper } from "./mutants/mutant.ts";

const RUN = fileURLToPath(new URL("run.mjs", import.meta.url));

/** Far beyond what it takes; a slow machine must not make it fail. */
const TIMEOUT_MS = 600_000;
const COUNT = 150;

function hashHere(): string {
  let hash = 0;
  for (const seed of seedsFrom(1, COUNT)) hash = addHash(hash, playSchedule(seed).runs);
  return `hash    ${hash}`;
}

function hashElsewhere(environment: Record<string, string>): string {
  const args = [RUN, "--from", "1", "--count", String(COUNT), "--hash"];
  // Whether the schedules hold is asked elsewhere; here only what they wrote counts.
  const { stdout } = spawnSync(process.execPath, args, { env: { ...process.env, ...environment }, encoding: "utf8" });
  return stdout.split("\n").find((line) => line.startsWith("hash")) ?? stdout;
}

describe("E20 the same seed gives the same log", { timeout: TIMEOUT_MS }, () => {
  it("when it is played twice", () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const first = hashLogs(playSchedule(seed).runs);
      expect(hashLogs(playSchedule(seed).runs), `seed ${seed}`).toBe(first);
    }
  });

  it("in other time zones and locales", () => {
    const hashes = [
      hashHere(),
      hashElsewhere({ TZ: "Asia/Kolkata", LC_ALL: "cs_CZ.UTF-8" }),
      hashElsewhere({ TZ: "Pacific/Chatham", LC_ALL: "tr_TR.UTF-8" }),
    ];
    expect(hashes[0]).toMatch(/^hash {4}\d+$/u);
    expect(new Set(hashes).size).toBe(1);
  });

  it("and a log that depends on something else is noticed", () => {
    let outside = 0;
    const engine = () =>
      tamper(({ events }) => {
        outside += 1;
        return { events: events.map((event) => ({ ...event, at: event.at + outside })) };
      });
    const hashes = [1, 2].map(() => hashLogs(playSchedule(1, { ...engine(), checkers: [], probes: [] }).runs));
    expect(hashes[0]).not.toBe(hashes[1]);
  });
});

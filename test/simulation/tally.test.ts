import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { partsOf, playRange } from "./tally.ts";

const RUN = fileURLToPath(new URL("run.mjs", import.meta.url));
/** Far beyond what it takes; a slow machine must not make it fail. */
const TIMEOUT_MS = 600_000;

describe("a range of seeds is played in parts", { timeout: TIMEOUT_MS }, () => {
  it.each([
    [10, 1],
    [10, 3],
    [9, 3],
    [2, 3],
    [0, 2],
  ])("of %d seeds in %d parts each seed is played once", (count, parts) => {
    const seeds = partsOf({ from: 7, count }, parts).flatMap((part) =>
      Array.from({ length: part.count }, (_, index) => part.from + index),
    );
    expect(seeds).toEqual(Array.from({ length: count }, (_, index) => 7 + index));
  });

  it("and the parts add up to the whole", () => {
    const { events, ends } = playRange({ from: 1, count: 41 }, false, {}, () => {});
    const args = [RUN, "--from", "1", "--count", "41", "--workers", "2"];
    const { stdout, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
    const lines = stdout.trimEnd().split("\n");
    expect(lines.at(-1)).toBe(`41 schedules, ${events} events, 0 broken`);
    const ended = [...ends].map(([key, times]) => `ended   ${key}: ${times}`);
    expect(lines.filter((line) => line.startsWith("ended"))).toEqual(ended.toSorted());
    expect(status).toBe(0);
  });
});

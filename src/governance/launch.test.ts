import { describe, expect, it } from "vitest";
import { StartWindows } from "./launch.ts";

const LIMIT = { count: 3, perSeconds: 60 };

function started(times: readonly number[], keyId = "key_1"): StartWindows {
  const starts = new StartWindows(LIMIT);
  for (const at of times) starts.count(keyId, at);
  return starts;
}

describe("how often a key starts runs", () => {
  it.each([
    [[0, 1], { used: 2, freesAt: null }],
    [[0, 1, 2], { used: 3, freesAt: 60_000 }],
    [[0, 1, 2, 3], { used: 4, freesAt: 60_001 }],
  ])("after starts at %j is %j", (times, expected) => {
    expect(started(times).look("key_1", 100)).toEqual({ ...LIMIT, ...expected });
  });

  it("is counted for each key alone", () => {
    expect(started([0, 1, 2]).look("key_2", 100)).toMatchObject({ used: 0, freesAt: null });
  });

  it.each([
    [59_999, 3],
    [60_000, 2],
    [60_002, 0],
  ])("is looked at over the last minute: at %i ms there are %i", (at, used) => {
    expect(started([0, 1, 2]).look("key_1", at)).toMatchObject({ used });
  });

  it("is not counted for what is not started by a key", () => {
    const starts = started([0, 1, 2]);
    for (let turn = 0; turn < 10; turn += 1) starts.count(null, turn);
    expect(starts.look(null, 100)).toBeNull();
    expect(starts.look("key_1", 100)).toMatchObject({ used: 3 });
  });

  it("keeps counting rightly while old starts are let go of", () => {
    const starts = new StartWindows(LIMIT);
    for (let at = 0; at <= 600_000; at += 25_000) {
      const { used } = starts.look("key_1", at) ?? { used: -1 };
      expect(used).toBe(Math.min(2, at / 25_000));
      starts.count("key_1", at);
    }
  });

  it("is not counted where there is no limit", () => {
    const starts = new StartWindows(null);
    starts.count("key_1", 0);
    expect(starts.look("key_1", 0)).toBeNull();
  });
});

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { judgeCounts, judgeOutbox, readOutbox, repeatedIn } from "./bridge-judge.ts";
import type { Call } from "./ledger.ts";

const directory = mkdtempSync(join(tmpdir(), "sluice-outbox-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const call = (dispatchId: string, at: number): Call => ({
  dispatchId,
  idempotencyKey: "run/node/0",
  run: "run",
  node: "node",
  attempt: 1,
  at,
});

describe("what only the Bridge's disk shows", () => {
  it("is read from its segments, without what a kill cut short", () => {
    const ended = (id: string, at: number) => `{"ended":${at},"id":"${id}","url":null,"body":{}}\n`;
    writeFileSync(join(directory, "00000001.ndjson"), `${ended("a", 5)}${ended("b", 6)}{"settled":7,"id":"a"}\n`);
    writeFileSync(join(directory, "00000002.ndjson"), `${ended("b", 9)}{"settled":9,"i\n${ended("c", 9).slice(0, -5)}`);
    expect([...readOutbox(directory).values()]).toEqual([
      { id: "a", endedAt: 5, isSettled: true },
      { id: "b", endedAt: 6, isSettled: false },
    ]);
    expect(readOutbox(join(directory, "nowhere")).size).toBe(0);
  });

  it("convicts a call after the end that is on disk, and no other", () => {
    const kept = new Map([["a", { id: "a", endedAt: 10, isSettled: false }]]);
    expect(judgeOutbox([call("a", 9), call("a", 10), call("b", 99)], kept)).toEqual([]);
    expect(judgeOutbox([call("a", 9), call("a", 11)], kept)).toEqual(["a was called 1 ms after its end"]);
  });

  it.each([
    [9, 0],
    [10, 0],
    [11, 1],
  ])("allows a node ten calls: of %i it finds fault with %i", (count, faults) => {
    const calls = Array.from({ length: count }, (_, index) => call(`d${index}`, index));
    expect(judgeCounts(calls)).toHaveLength(faults);
    expect(repeatedIn(calls)).toEqual([]);
    expect(repeatedIn([...calls, call("d0", 99)])).toEqual(["d0"]);
  });
});

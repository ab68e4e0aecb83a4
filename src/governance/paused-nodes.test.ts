import { describe, expect, it } from "vitest";
import type { Budget } from "../core/governance/index.ts";
import { PausedNodes, roomIn } from "./paused-nodes.ts";
import { Tally } from "./tally.ts";

const at = Date.UTC(2026, 10, 15, 12);
const DAY_MS = 86_400_000;
const midnight = Date.UTC(2026, 10, 15);

const cap: Budget = {
  id: "cap",
  scope: "global",
  scopeId: null,
  period: "daily",
  amountMicros: 100,
  isEnabled: true,
  alertAt: [],
  onExhausted: "pause",
};

const node = (nodeId: string) => ({ runId: "run_1", nodeId });

function tallyOf(spent: number, reserved = 0): Tally {
  const tally = new Tally();
  tally.load({ agents: [], envelopes: [{ envelopeId: "cap", periodStart: midnight, spent, reserved }] });
  return tally;
}

describe("the room in a budget that pauses", () => {
  it("is what is neither spent nor reserved, and nothing once all is spent", () => {
    expect(roomIn(cap, tallyOf(60, 30), at)).toBe(10);
    expect(roomIn(cap, tallyOf(99), at)).toBe(1);
    expect(roomIn(cap, tallyOf(100), at)).toBe(-1);
    expect(roomIn(cap, tallyOf(101), at)).toBe(-1);
  });

  it("is all of it in the next period, and without end where nothing pauses any more", () => {
    expect(roomIn(cap, tallyOf(100), at + DAY_MS)).toBe(100);
    for (const over of [undefined, { ...cap, isEnabled: false }, { ...cap, onExhausted: "block" as const }]) {
      expect(roomIn(over, tallyOf(100), at)).toBe(Infinity);
    }
  });
});

describe("paused nodes", () => {
  it("go on as far as the room goes, oldest first, each once", () => {
    const paused = new PausedNodes();
    for (const [id, estimateMicros] of [
      ["a", 6],
      ["b", 5],
      ["c", 4],
    ] as const) {
      paused.enter("org", "cap", { waiter: node(id), estimateMicros });
    }
    expect(paused.release(() => 3)).toEqual([]);
    expect(paused.release(() => 10)).toEqual([node("a"), node("c")]);
    expect(paused.size).toBe(1);
    expect(paused.isAnywhere(node("a"))).toBe(false);
    expect(paused.release(() => 5)).toEqual([node("b")]);
    expect(paused.release(() => Infinity)).toEqual([]);
  });

  it("of unknown price go on when anything is left, and those of no price too", () => {
    const paused = new PausedNodes();
    paused.enter("org", "cap", { waiter: node("a"), estimateMicros: null });
    paused.enter("org", "cap", { waiter: node("b"), estimateMicros: 0 });
    expect(paused.release(() => -1)).toEqual([]);
    expect(paused.release(() => 0)).toEqual([node("a"), node("b")]);
  });

  it("wait for one budget at a time, and leave on request", () => {
    const paused = new PausedNodes();
    paused.enter("org", "cap", { waiter: node("a"), estimateMicros: 1 });
    paused.enter("org", "other", { waiter: node("a"), estimateMicros: 1 });
    expect(paused.size).toBe(1);
    expect(paused.release((_org, budgetId) => (budgetId === "cap" ? 100 : -1))).toEqual([]);
    paused.leave(node("a"));
    paused.leave(node("b"));
    expect(paused.release(() => 100)).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import { decideSlots } from "./decide.ts";

const FREE = { open: null, queued: 0 };
const BUSY = { open: { slotAt: 0, runId: "run_1" }, queued: 0 };
const STARTING = { open: { slotAt: 0, runId: null }, queued: 0 };
const WAITING = { open: null, queued: 1 };

type Overlap = "skip" | "queue" | "allow";

function onTime(overlap: Overlap, slots: readonly number[], standing: Parameters<typeof decideSlots>[2]): string {
  const decided = decideSlots({ overlap, missed: "skip" }, { missed: [], onTime: slots }, standing);
  return decided.map(({ state }) => state).join(" ");
}

function missed(policy: "skip" | "run_once" | "backfill", overlap: Overlap, standing = FREE): string {
  const decided = decideSlots({ overlap, missed: policy }, { missed: [1, 2, 3], onTime: [4] }, standing);
  expect(decided.map(({ slotAt }) => slotAt)).toEqual([1, 2, 3, 4]);
  return decided.map(({ state }) => state).join(" ");
}

describe("slots on time", () => {
  it.each([
    ["skip", FREE, "claimed skipped skipped"],
    ["skip", BUSY, "skipped skipped skipped"],
    ["skip", STARTING, "skipped skipped skipped"],
    ["skip", WAITING, "skipped skipped skipped"],
    ["queue", FREE, "claimed queued skipped"],
    ["queue", BUSY, "queued skipped skipped"],
    ["queue", WAITING, "skipped skipped skipped"],
    ["allow", FREE, "claimed claimed claimed"],
    ["allow", BUSY, "claimed claimed claimed"],
    ["allow", WAITING, "claimed claimed claimed"],
  ] as const)("with %s after %j become %s", (overlap, standing, states) => {
    expect(onTime(overlap, [1, 2, 3], standing)).toBe(states);
  });

  it("that are skipped record why", () => {
    const reasonOf = (standing: Parameters<typeof decideSlots>[2], overlap: Overlap = "skip") =>
      decideSlots({ overlap, missed: "skip" }, { missed: [], onTime: [1] }, standing)[0]?.reason;
    expect(reasonOf(BUSY)).toBe("the run before it was still open: run_1");
    expect(reasonOf(STARTING)).toBe("the run before it was still open: that of 1970-01-01T00:00:00.000Z");
    expect(reasonOf(WAITING, "queue")).toBe("another slot was waiting already");
    expect(reasonOf(FREE)).toBeNull();
  });
});

describe("slots that were missed", () => {
  it.each([
    ["skip", "skip", "skipped skipped skipped claimed"],
    ["skip", "allow", "skipped skipped skipped claimed"],
    ["run_once", "skip", "skipped skipped claimed skipped"],
    ["run_once", "queue", "skipped skipped claimed queued"],
    ["run_once", "allow", "skipped skipped claimed claimed"],
    ["backfill", "skip", "claimed queued queued skipped"],
    ["backfill", "queue", "claimed queued queued skipped"],
    ["backfill", "allow", "claimed claimed claimed claimed"],
  ] as const)("with %s and overlap %s become %s", (policy, overlap, states) => {
    expect(missed(policy, overlap)).toBe(states);
  });

  it("wait their turn behind what is open already", () => {
    expect(missed("backfill", "skip", { open: null, queued: 2 })).toBe("queued queued queued skipped");
  });

  it("record why nothing was started for them", () => {
    const decided = decideSlots({ overlap: "skip", missed: "run_once" }, { missed: [1, 2], onTime: [] }, FREE);
    expect(decided.map(({ reason }) => reason)).toEqual([
      "missed: a later slot makes up for all that were missed",
      null,
    ]);
  });
});

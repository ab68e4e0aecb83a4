import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PASSED_MAX } from "../../core/base/index.ts";
import { PRIORITIES, type Priority } from "../../core/event/index.ts";
import { FairQueue } from "./fair-queue.ts";

interface Entry {
  readonly runId: string;
  readonly orgId: string;
  readonly priority: Priority;
}

const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ orgId: fc.constantFrom("a", "b", "c", "d"), priority: fc.constantFrom(...PRIORITIES) }),
  },
  { weight: 2, arbitrary: fc.constant(null) },
);

/** Does the steps, and hands each entry that was taken to `onTaken` with those that waited with it. */
function drive(
  steps: readonly (Omit<Entry, "runId"> | null)[],
  onTaken: (taken: Entry, waiting: readonly Entry[]) => void,
): void {
  const queue = new FairQueue<string>(() => false);
  const waiting: Entry[] = [];
  const take = (): void => {
    const runId = queue.shift();
    const index = waiting.findIndex((entry) => entry.runId === runId);
    const [taken] = index < 0 ? [] : waiting.splice(index, 1);
    expect(taken === undefined).toBe(runId === undefined);
    if (taken !== undefined) onTaken(taken, waiting);
  };
  steps.forEach((entry, index) => {
    if (entry === null) return take();
    const added = { ...entry, runId: `run_${index}` };
    waiting.push(added);
    queue.push(added.runId, added, "work");
  });
  while (queue.hasAny) take();
  expect(waiting).toEqual([]);
}

describe("turns of runs", () => {
  it("no organisation waits for more than one turn of each other", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const since = new Map<string, string[]>();
        drive(steps, ({ orgId }, waiting) => {
          since.delete(orgId);
          const still = new Set(waiting.map((entry) => entry.orgId));
          for (const other of still) {
            if (other === orgId) continue;
            const before = [...(since.get(other) ?? []), orgId];
            expect(new Set(before).size).toBe(before.length);
            since.set(other, before);
          }
        });
      }),
    );
  });

  it("within an organisation a higher priority overtakes, the others in order, and none is passed over for ever", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const passed = new Map<string, number>();
        drive(steps, (taken, waiting) => {
          const levelOf = ({ priority }: Entry): number => PRIORITIES.indexOf(priority);
          const own = waiting.filter(({ orgId }) => orgId === taken.orgId);
          const older = own.filter((entry) => levelOf(entry) === levelOf(taken) && numberOf(entry) < numberOf(taken));
          expect(older).toEqual([]);
          for (const level of [1, 2]) {
            const key = `${taken.orgId} ${level}`;
            const isWaiting = own.some((entry) => levelOf(entry) === level);
            passed.set(key, isWaiting && levelOf(taken) < level ? (passed.get(key) ?? 0) + 1 : 0);
            // Two levels that are due at once go one after the other.
            expect(passed.get(key) ?? 0).toBeLessThanOrEqual(PASSED_MAX + 1);
          }
        });
      }),
    );
  });

  it("a run of high priority goes next, whatever waits", () => {
    const queue = new FairQueue<string>(() => false);
    for (let index = 0; index < 100; index += 1) queue.push(`low_${index}`, { orgId: "a", priority: "low" }, "work");
    expect(queue.shift()).toBe("low_0");
    queue.push("high", { orgId: "a", priority: "high" }, "work");
    queue.push("other", { orgId: "b", priority: "low" }, "work");
    expect([queue.shift(), queue.shift(), queue.shift()]).toEqual(["high", "other", "low_1"]);
  });
});

function numberOf({ runId }: Entry): number {
  return Number(runId.slice("run_".length));
}

import { describe, expect, it } from "vitest";
import { creation, logFrom, openAttempt, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

export function timerRules(subjectOf: SubjectOf): void {
  describe("attempts and timers", () => {
    const open = (nodeId: string, attempt: number, deadlineAt: number | null = null) =>
      openAttempt(nodeId, { attempt, deadlineAt });

    it("open and close; closing wins, opening again renews, closing what is not open does nothing", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", {}, { opened: [open("a", 1, 5), open("b", 1)] })]);
      const closed = [
        { nodeId: "b", attempt: 1 },
        { nodeId: "c", attempt: 1 },
        { nodeId: "x", attempt: 9 },
      ];
      const opened = [open("a", 1, 7), open("c", 1), open("a", 2)];
      await store.commit([share("run_1", 1, logFrom(2, 1), { opened, closed })]);
      expect((await store.loadRuns(["run_1"]))[0]?.openAttempts).toEqual([open("a", 1, 7), open("a", 2)]);
    });

    it("are due by database time, deadlines among them, oldest first and no more than asked", async () => {
      const { store } = subjectOf();
      const now = await store.now();
      const timersSet = [
        { timer: { kind: "retry", nodeId: "a", retries: 1 } as const, dueAt: now - 10 },
        { timer: { kind: "run", epoch: 0 } as const, dueAt: now + 1_000_000 },
      ];
      await store.commit([
        creation("run_1", {}, { timersSet, opened: [open("b", 3, now - 20), open("c", 1, now + 2_000_000)] }),
      ]);
      const deadline = { runId: "run_1", timer: { kind: "attempt", nodeId: "b", attempt: 3 }, dueAt: now - 20 };
      const retry = { runId: "run_1", timer: timersSet[0]?.timer, dueAt: now - 10 };
      expect(await store.dueTimers(10)).toEqual([deadline, retry]);
      expect(await store.dueTimers(1)).toEqual([deadline]);
      expect(await store.nextDueAt()).toBe(now - 20);
      await subjectOf().passTime(1_000_000);
      expect((await store.dueTimers(10)).map(({ timer }) => timer.kind)).toEqual(["attempt", "retry", "run"]);
    });

    it("set again are moved; cleared and set at once are set; cleared are gone", async () => {
      const { store } = subjectOf();
      const timer = { kind: "wake", nodeId: "a", epoch: 0 } as const;
      // The same timer, its fields in another order.
      const same = { epoch: 0, nodeId: "a", kind: "wake" } as const;
      await store.commit([creation("run_1", {}, { timersSet: [{ timer, dueAt: 5 }] })]);
      await store.commit([
        share("run_1", 1, logFrom(2, 1), { timersCleared: [timer], timersSet: [{ timer: same, dueAt: 6 }] }),
      ]);
      expect(await store.dueTimers(10)).toEqual([{ runId: "run_1", timer, dueAt: 6 }]);
      await store.commit([share("run_1", 2, logFrom(3, 1), { timersCleared: [same] })]);
      expect(await store.dueTimers(10)).toEqual([]);
      expect(await store.nextDueAt()).toBeNull();
    });
  });
}

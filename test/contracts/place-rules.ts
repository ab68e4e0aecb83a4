import { describe, expect, it } from "vitest";
import type { PlaceChange } from "../../src/store/index.ts";
import { creation, logFrom, share, WRITTEN } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

export function placeRules(subjectOf: SubjectOf): void {
  describe("places of runs with the same key", () => {
    const hold = (slot: number, since = 1, key = "k"): PlaceChange => ({ kind: "hold", key, slot, since });
    const wait = (since: number, key = "k"): PlaceChange => ({ kind: "wait", key, since });
    const release: PlaceChange = { kind: "release" };
    const OVER = { isOverLimit: true, conflicts: [], duplicates: [] };
    const LOOK = { kind: "place" } as const;
    const looking = async (): Promise<readonly string[]> => {
      const due = await subjectOf().store.dueTimers(100);
      return due.filter(({ timer }) => timer.kind === "place").map(({ runId }) => runId);
    };

    it("are listed as held and as waited for, in the order the runs came", async () => {
      const { store } = subjectOf();
      await store.commit([
        creation("run_1", {}, { place: hold(1, 5) }),
        creation("run_2", {}, { place: hold(0, 3) }),
        creation("run_3", {}, { place: wait(9) }),
        creation("run_4", {}, { place: wait(7) }),
        creation("run_5", {}, { place: hold(0, 1, "other") }),
      ]);
      expect(await store.placesOf("org_1", "k", 10)).toEqual([
        { runId: "run_2", slot: 0, since: 3 },
        { runId: "run_1", slot: 1, since: 5 },
        { runId: "run_4", slot: null, since: 7 },
        { runId: "run_3", slot: null, since: 9 },
      ]);
      expect(await store.placesOf("org_1", "k", 1)).toEqual([
        { runId: "run_2", slot: 0, since: 3 },
        { runId: "run_4", slot: null, since: 7 },
      ]);
      expect(await store.placesOf("org_2", "k", 10)).toEqual([]);
    });

    it("are held by one run each: a batch that takes one twice, or a taken one, writes nothing", async () => {
      const { store, rival } = subjectOf();
      const both = [creation("run_1", {}, { place: hold(0) }), creation("run_2", {}, { place: hold(0) })];
      expect(await store.commit(both)).toEqual(OVER);
      expect(await store.commit(both.slice(0, 1))).toEqual(WRITTEN);
      expect(await rival.commit(both.slice(1))).toEqual(OVER);
      expect(await store.getRun("org_1", "run_2")).toBeUndefined();
      expect(await rival.commit([creation("run_2", {}, { place: hold(1) })])).toEqual(WRITTEN);
    });

    it("are held by one of many that take them at the same time", async () => {
      const { store, rival } = subjectOf();
      const taking = Array.from({ length: 8 }, (_, index) =>
        (index % 2 === 0 ? store : rival).commit([creation(`run_${index}`, {}, { place: hold(0) })]),
      );
      const outcomes = await Promise.all(taking);
      expect(outcomes.filter(({ isOverLimit }) => !isOverLimit)).toHaveLength(1);
      expect(await store.placesOf("org_1", "k", 10)).toHaveLength(1);
    });

    it("are freed by their commit, which also wakes the run that waits longest", async () => {
      const { store } = subjectOf();
      await store.commit([
        creation("run_1", {}, { place: hold(0, 1) }),
        creation("run_2", {}, { place: wait(3) }),
        creation("run_3", {}, { place: wait(2) }),
      ]);
      expect(await looking()).toEqual([]);
      await store.commit([share("run_1", 1, logFrom(2, 1), { place: release, head: { status: "completed" } })]);
      expect(await store.placesOf("org_1", "k", 10)).toMatchObject([{ runId: "run_3" }, { runId: "run_2" }]);
      expect(await looking()).toEqual(["run_3"]);
      const taken = { place: hold(0, 2), timersCleared: [LOOK] };
      expect(await store.commit([share("run_3", 1, logFrom(2, 1), taken)])).toEqual(WRITTEN);
      expect(await store.placesOf("org_1", "k", 10)).toMatchObject([
        { runId: "run_3", slot: 0, since: 2 },
        { runId: "run_2", slot: null },
      ]);
      // There may be more than one free place.
      expect(await looking()).toEqual(["run_2"]);
    });

    it("change nothing for a run that another replica has advanced", async () => {
      const { store } = subjectOf();
      await store.commit([creation("run_1", {}, { place: hold(0) })]);
      await store.commit([share("run_1", 7, logFrom(2, 1), { place: release })]);
      expect(await store.placesOf("org_1", "k", 10)).toHaveLength(1);
    });

    it("are no reason to look at a run that waits for one", async () => {
      const { store } = subjectOf();
      await store.commit([
        creation("run_1", {}, { place: hold(0) }),
        creation("run_2", {}, { place: wait(2), head: { status: "queued" } }),
      ]);
      expect(await store.listStalled(10)).toEqual(["run_1"]);
    });
  });
}

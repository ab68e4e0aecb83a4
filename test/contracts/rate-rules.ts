import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Hits, RateWindow } from "../../src/core/governance/index.ts";
import type { RunCommit, SlotChange } from "../../src/store/index.ts";
import { Replica } from "./rate-replica.ts";
import { creation, logFrom, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const slot = (hits: readonly Hits[], rate: RateWindow | null): SlotChange => {
  const delta = hits.reduce((sum, { count }) => sum + count, 0);
  return { agentId: "analyst", delta, maxOpen: 10_000_000, hits, rate };
};

const some = (at: number, count = 1): Hits => ({ at, count });
const sum = (hits: readonly Hits[] = []): number => hits.reduce((total, { count }) => total + count, 0);

/** No window ever holds more than its count, whichever replica writes first and however many there are. */
export function rateRules(subjectOf: SubjectOf): void {
  let made = 0;
  const run = (hits: readonly Hits[], rate: RateWindow): RunCommit => {
    made += 1;
    return creation(`run_rate_${made}`, {}, { slots: [slot(hits, rate)] });
  };
  const isIn = async (...batch: readonly RunCommit[]) => !(await subjectOf().store.commit([...batch])).isOverLimit;
  const agents = async () => (await subjectOf().store.readCounters("org_1", 0)).agents;
  const kept = async () => (await agents())[0]?.hits;

  describe("a window", () => {
    const two = { count: 2, windowMs: 1_000 };
    const at = (moment: number): RunCommit => run([some(moment)], two);

    it("lets so many in, and the next when the oldest has left it", async () => {
      expect(await isIn(at(1_000), at(1_500))).toBe(true);
      expect(await isIn(at(1_999))).toBe(false);
      expect(await isIn(at(2_000))).toBe(true);
      expect(await kept()).toEqual([some(1_000), some(1_500), some(2_000)]);
    });

    it("counts one that is written late with those that came before it", async () => {
      await isIn(at(1_000), at(1_050));
      await isIn(at(2_060));
      expect(await isIn(at(1_500))).toBe(false);
      expect(await isIn(at(1_060))).toBe(false);
      expect(await isIn(at(2_061))).toBe(true);
    });

    it("is a limit for the first commit of an agent too", async () => {
      expect(await isIn(run([some(1_000), some(1_001), some(1_002)], two))).toBe(false);
      expect(await isIn(run([some(1_000, 3)], two))).toBe(false);
      expect(await isIn(at(1_000), at(1_001), at(1_002))).toBe(false);
      expect(await agents()).toEqual([]);
      expect(await isIn(at(1_000), at(1_001))).toBe(true);
    });

    it("is shared by what is counted without a run, which takes all of its places or none", async () => {
      const { store } = subjectOf();
      const place = (counter: string, moment: number, rate = two) => ({ counter, rate, at: moment });
      expect(await store.takePlaces("org_1", [place("starts/", 1_000), place("starts/key_1", 1_000)])).toBe(true);
      expect(await store.takePlaces("org_1", [place("starts/", 1_500)])).toBe(true);
      expect(await store.takePlaces("org_1", [place("starts/", 1_999), place("starts/key_1", 1_999)])).toBe(false);
      expect(await store.takePlaces("org_2", [place("starts/", 1_999)])).toBe(true);
      expect(await store.takePlaces("org_1", [place("starts/", 2_000)])).toBe(true);
      const counted = Object.fromEntries((await agents()).map(({ agentId, hits }) => [agentId, sum(hits)]));
      expect(counted).toEqual({ "starts/": 3, "starts/key_1": 1 });
      expect(await store.recount()).toEqual([]);
    });

    it("is left alone by what only gives back", async () => {
      const { store } = subjectOf();
      const one = at(1_000);
      await store.commit([one]);
      const back = { agentId: "analyst", delta: -1, maxOpen: null, hits: [], rate: null };
      await store.commit([share(one.runId, 1, logFrom(2, 1), { slots: [back] })]);
      expect(await agents()).toEqual([{ agentId: "analyst", open: 0, hits: [some(1_000)] }]);
    });

    it("is one for what takes no slot as well, as tool calls do, beside the slots of the same commit", async () => {
      const call = (moment: number): SlotChange => ({
        agentId: "tool/refunds/analyst",
        delta: 0,
        maxOpen: null,
        hits: [some(moment)],
        rate: two,
      });
      const calling = (...moments: readonly number[]): RunCommit => {
        made += 1;
        const slots = [{ ...slot([], null), delta: 1 }, ...moments.map(call)];
        return creation(`run_rate_${made}`, {}, { slots });
      };
      expect(await isIn(calling(1_000), calling(1_500))).toBe(true);
      expect(await isIn(calling(1_999))).toBe(false);
      expect(await isIn(calling(2_000))).toBe(true);
      expect(new Map((await agents()).map(({ agentId, open, hits }) => [agentId, [open, sum(hits)]]))).toEqual(
        new Map([
          ["analyst", [3, 0]],
          ["tool/refunds/analyst", [0, 3]],
        ]),
      );
    });

    it("returns those of one moment as one, whichever replica wrote them", async () => {
      await isIn(
        run([some(1_000, 3)], { count: 9, windowMs: 1_000 }),
        run([some(1_000)], { count: 9, windowMs: 1_000 }),
      );
      await isIn(run([some(1_000, 2)], { count: 9, windowMs: 1_000 }));
      expect(await kept()).toEqual([some(1_000, 6)]);
    });
  });

  describe.each([255, 256, 257, 1_000_000])("a window for %i", (count) => {
    const rate = { count, windowMs: 60_000 };

    it.each([
      [count - 1, true],
      [count, true],
      [count + 1, false],
    ])("asked for %i at once says %s", async (many, said) => {
      expect(await isIn(run([some(1_000_000, many)], rate))).toBe(said);
    });

    it("is full with the last, and empty once all have left", async () => {
      expect(await isIn(run([some(1_000_000, count - 1)], rate))).toBe(true);
      expect(await isIn(run([some(1_000_000, 2)], rate))).toBe(false);
      expect(await isIn(run([some(1_000_000)], rate))).toBe(true);
      expect(await isIn(run([some(1_059_999)], rate))).toBe(false);
      expect(await isIn(run([some(1_060_000, count)], rate))).toBe(true);
      expect(sum(await kept())).toBe(2 * count);
    });
  });

  describe("a window for many", () => {
    const windowMs = 25_600;
    const rate = { count: 1_000, windowMs };

    it("counts the hits of a slice at the last of them, and lets them leave together", async () => {
      await isIn(run([some(100_000, 3)], rate), run([some(100_099, 4)], rate));
      await isIn(run([some(100_050)], rate));
      expect(await kept()).toEqual([some(100_099, 8)]);
      await isIn(run([some(100_100, 990)], rate));
      expect(await kept()).toEqual([some(100_099, 8), some(100_100, 990)]);
      expect(await isIn(run([some(100_000 + windowMs, 3)], rate))).toBe(false);
      expect(await isIn(run([some(100_099 + windowMs, 10)], rate))).toBe(true);
    });

    it("keeps as many moments as two windows have slices, however many hits there are", async () => {
      const step = 20;
      for (let begin = 1_000_000; begin < 1_000_000 + 4 * windowMs; begin += 100 * step) {
        const hits = Array.from({ length: 100 }, (_, index) => some(begin + index * step));
        expect(await isIn(run(hits, { count: 1_000_000, windowMs }))).toBe(true);
      }
      const hits = (await kept()) ?? [];
      expect(hits.length).toBeLessThanOrEqual(2 * 256 + 1);
      expect(sum(hits)).toBeGreaterThanOrEqual((2 * windowMs) / step);
    });

    it.each([
      ["shortest", 1],
      ["half a second", 500],
      ["longest", 30 * 86_400_000],
    ])("holds for the %s", async (_name, length) => {
      const start = 1_700_000_000_000;
      const limit = { count: 300, windowMs: length };
      expect(await isIn(run([some(start, 300)], limit))).toBe(true);
      expect(await isIn(run([some(start + length - 1)], limit))).toBe(false);
      expect(await isIn(run([some(start + length, 300)], limit))).toBe(true);
    });

    it("that becomes one for few continues to count what it has", async () => {
      expect(await isIn(run([some(100_010, 30), some(100_020, 40)], rate))).toBe(true);
      expect(await isIn(run([some(100_030)], { count: 70, windowMs }))).toBe(false);
      expect(await isIn(run([some(100_030)], { count: 71, windowMs }))).toBe(true);
      expect(await isIn(run([some(100_031, 2)], { count: 72, windowMs }))).toBe(false);
      expect(sum(await kept())).toBe(71);
      expect(await isIn(run([some(100_031, 900)], rate))).toBe(true);
      expect(sum(await kept())).toBe(971);
    });
  });

  it("of rates hold over replicas whose clocks differ and go back", async () => {
    const turn = fc.record({
      who: fc.nat({ max: 2 }),
      passes: fc.nat({ max: 300 }),
      jump: fc.constantFrom(0, 0, 0, 0, -4_000, 3_000),
      many: fc.integer({ min: 1, max: 80 }),
      isNews: fc.boolean(),
    });
    const limit = fc.constantFrom({ count: 4, windowMs: 500 }, { count: 300, windowMs: 1_000 });
    const check = async (
      rate: RateWindow,
      turns: readonly (typeof turn extends fc.Arbitrary<infer T> ? T : never)[],
    ) => {
      await subjectOf().reset();
      const { store, rival } = subjectOf();
      const replicas = [new Replica(store, rate, 0), new Replica(rival, rate, 2_500), new Replica(store, rate, -1_500)];
      let now = 1_700_000_000_000;
      const made: number[] = [];
      for (const { who, passes, jump, many, isNews } of turns) {
        now += passes;
        const replica = replicas[who];
        if (replica === undefined) continue;
        replica.ahead += jump;
        if (isNews) await replica.reload();
        for (const moment of await replica.dispatch(now, many)) made.push(moment);
      }
      for (const end of made) {
        const inside = made.filter((moment) => moment > end - rate.windowMs && moment <= end).length;
        expect(inside).toBeLessThanOrEqual(rate.count);
      }
    };
    await fc.assert(fc.asyncProperty(limit, fc.array(turn, { minLength: 20, maxLength: 40 }), check), { numRuns: 12 });
  });
}

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Hits } from "../core/governance/index.ts";
import { changesOf } from "../../test/governance/scene.ts";
import type { Admission } from "./judge.ts";
import { Tally } from "./tally.ts";

const START = 1_000;
const SECOND = { count: 3, windowMs: 1_000 };

const admission = (nodeId: string, parts: Partial<Admission> = {}): Admission => ({
  runId: "run_1",
  nodeId,
  agentId: "analyst",
  maxOpen: 3,
  rate: null,
  at: 0,
  reserved: [{ envelopeId: "cap", periodStart: START, micros: 10, ceiling: 100 }],
  ...parts,
});

const slot = (delta: number) => ({ agentId: "analyst", delta, maxOpen: 3, hits: [], rate: null });
const money = (reserved: number, spent: number) => ({
  envelopeId: "cap",
  periodStart: START,
  reserved,
  spent,
  ceiling: null,
});
const counters = (open: number, spent = 0, reserved = 0, moments: readonly number[] = []) => ({
  agents: [{ agentId: "analyst", open, hits: moments.map((at) => ({ at, count: 1 })) }],
  envelopes: [{ envelopeId: "cap", periodStart: START, spent, reserved }],
});

const standing = (tally: Tally) => [tally.openOf("analyst"), tally.spendingOf("cap", START)];

describe("a tally", () => {
  it("counts what is being taken at once, and as committed afterwards", () => {
    const tally = new Tally();
    const taken = [admission("a")];
    tally.take(admission("a"));
    const during = standing(tally);
    expect(during).toEqual([1, { spentMicros: 0, reservedMicros: 10 }]);
    tally.commit(changesOf({ taken, slots: [slot(1)], ledger: [money(10, 0)] }));
    expect(standing(tally)).toEqual(during);
  });

  it("has nothing of what was given back", () => {
    const tally = new Tally();
    tally.load(counters(2, 5, 20));
    const before = standing(tally);
    const one = admission("a", { rate: SECOND, at: 500 });
    tally.take(one);
    tally.undoAdmission(one);
    expect(standing(tally)).toEqual(before);
    expect(tally.windowOf("analyst", SECOND, 600)).toEqual({ used: 0, freesAt: null });
    expect(tally.holdersOf("analyst", 5)).toEqual([]);
  });

  it("keeps what is being taken when it is loaded meanwhile", () => {
    const tally = new Tally();
    const one = admission("a", { rate: SECOND, at: 900 });
    tally.take(one);
    tally.load(counters(2, 7, 30, [800]));
    expect(standing(tally)).toEqual([3, { spentMicros: 7, reservedMicros: 40 }]);
    expect(tally.windowOf("analyst", SECOND, 1_000).used).toBe(2);
    tally.undoAdmission(one);
    expect(standing(tally)).toEqual([2, { spentMicros: 7, reservedMicros: 30 }]);
  });

  it("forgets what the database no longer has", () => {
    const tally = new Tally();
    tally.load(counters(2, 7, 30, [1]));
    tally.load({ agents: [], envelopes: [] });
    expect(standing(tally)).toEqual([0, { spentMicros: 0, reservedMicros: 0 }]);
  });

  it("counts a period of an envelope apart from the next", () => {
    const tally = new Tally();
    tally.load(counters(0, 7, 0));
    expect(tally.spendingOf("cap", START + 1)).toEqual({ spentMicros: 0, reservedMicros: 0 });
  });

  it("names who holds slots until they end", () => {
    const tally = new Tally();
    for (const nodeId of ["a", "b", "c"]) tally.take(admission(nodeId));
    expect(tally.holdersOf("analyst", 2).map(({ nodeId }) => nodeId)).toEqual(["a", "b"]);
    tally.commit(changesOf({ ended: ["a"], slots: [slot(-1)] }));
    expect(tally.holdersOf("analyst", 5).map(({ nodeId }) => nodeId)).toEqual(["b", "c"]);
    expect(tally.holdersOf("missing", 5)).toEqual([]);
  });
});

describe("a window", () => {
  const at = (...hits: readonly number[]): Tally => {
    const tally = new Tally();
    tally.load(counters(0, 0, 0, hits));
    return tally;
  };

  it.each([
    [[], 0, { used: 0, freesAt: null }],
    [[100, 200], 0, { used: 2, freesAt: null }],
    [[100, 200, 300], 0, { used: 3, freesAt: 1_100 }],
    [[100, 200, 300, 400], 0, { used: 4, freesAt: 1_200 }],
    // Places that are promised to those before are not to be had.
    [[100, 200], 1, { used: 3, freesAt: 1_100 }],
    [[100, 200], 2, { used: 3, freesAt: 1_200 }],
    [[100, 200], 3, { used: 3, freesAt: null }],
    [[], 3, { used: 3, freesAt: null }],
  ])("with hits at %j and %i ahead is %j", (hits, ahead, expected) => {
    expect(at(...hits).windowOf("analyst", SECOND, 500, ahead)).toEqual(expected);
  });

  it("does not count what is exactly as old as it is long", () => {
    expect(at(0, 1, 2).windowOf("analyst", SECOND, 999).used).toBe(3);
    expect(at(0, 1, 2).windowOf("analyst", SECOND, 1_000).used).toBe(2);
  });

  it.each([
    [300, 400],
    [400, 400],
    [500, 500],
  ])("takes a hit at %i ms as one at %i", (now, counted) => {
    expect(at(100, 400).hitAt("analyst", now)).toBe(counted);
    expect(new Tally().hitAt("analyst", now)).toBe(now);
  });

  it("counts those being taken, and each of several at one moment", () => {
    const tally = at(400);
    const both = [admission("a", { rate: SECOND, at: 450 }), admission("b", { rate: SECOND, at: 450 })];
    for (const one of both) tally.take(one);
    expect(tally.windowOf("analyst", SECOND, 500)).toEqual({ used: 3, freesAt: 1_400 });
    for (const one of both.slice(1)) tally.undoAdmission(one);
    expect(tally.windowOf("analyst", SECOND, 500).used).toBe(2);
    tally.commit(
      changesOf({ taken: both.slice(0, 1), slots: [{ ...slot(1), hits: [{ at: 450, count: 1 }], rate: SECOND }] }),
    );
    expect(tally.windowOf("analyst", SECOND, 500).used).toBe(2);
  });
});

describe("a window for many", () => {
  const loaded = (hits: readonly Hits[]): Tally => {
    const tally = new Tally();
    tally.load({ agents: [{ agentId: "analyst", open: 0, hits }], envelopes: [] });
    return tally;
  };

  it.each([255, 256, 257, 1_000_000])("of %i has room for the last, and not for one more", (count) => {
    const rate = { count, windowMs: 1_000 };
    const windowWith = (many: number) => loaded([{ at: 400, count: many }]).windowOf("analyst", rate, 500);
    expect(windowWith(count - 1)).toEqual({ used: count - 1, freesAt: null });
    expect(windowWith(count)).toEqual({ used: count, freesAt: 1_400 });
    expect(windowWith(count + 1)).toEqual({ used: count + 1, freesAt: 1_400 });
  });

  it("reports when enough have left for those ahead too, and lets the next in at that moment", () => {
    const rate = { count: 300, windowMs: 1_000 };
    const tally = loaded([
      { at: 100, count: 100 },
      { at: 200, count: 150 },
    ]);
    const others = Array.from({ length: 50 }, (_, index) => admission(`n${index}`, { rate, at: 300 }));
    for (const one of others) tally.take(one);
    const freed = [0, 99, 100, 249, 250, 299, 300].map((ahead) => tally.windowOf("analyst", rate, 400, ahead).freesAt);
    expect(freed).toEqual([1_100, 1_100, 1_200, 1_200, 1_300, 1_300, null]);
    expect(tally.windowOf("analyst", rate, 1_099)).toEqual({ used: 300, freesAt: 1_100 });
    expect(tally.windowOf("analyst", rate, 1_100)).toEqual({ used: 200, freesAt: null });
    expect(tally.windowOf("analyst", rate, 1_100, 99)).toEqual({ used: 200, freesAt: null });
  });

  it("takes as many as there are without an error, each at its own moment", () => {
    const rate = { count: 1_000_000, windowMs: 3_600_000 };
    const tally = loaded(Array.from({ length: 200_000 }, (_, index) => ({ at: 1 + index * 18, count: 1 })));
    const at = 200_000 * 18;
    expect(tally.windowOf("analyst", rate, at)).toEqual({ used: 200_000, freesAt: null });
    expect(tally.windowOf("analyst", { ...rate, count: 200_000 }, at)).toEqual({
      used: 200_000,
      freesAt: 1 + 3_600_000,
    });
    expect(tally.hitAt("analyst", 5)).toBe(1 + 199_999 * 18);
    const one = admission("a", { rate, at });
    tally.take(one);
    tally.commit(changesOf({ taken: [one], slots: [{ ...slot(1), hits: [{ at, count: 1 }], rate }] }));
    expect(tally.windowOf("analyst", rate, at)).toEqual({ used: 200_001, freesAt: null });
  });
});

describe("a tally, whatever happens", () => {
  it("ends as the database has it, however takes, commits and drops are mixed", () => {
    const step = fc.record({ kind: fc.constantFrom("take", "commit", "drop", "end"), micros: fc.nat(50) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const tally = new Tally();
        const flying: Admission[] = [];
        const open: Admission[] = [];
        let spent = 0;
        steps.forEach(({ kind, micros }, index) => {
          if (kind === "take") {
            const reserved = [{ envelopeId: "cap", periodStart: START, micros, ceiling: 1 }];
            const one = admission(`n${index}`, { reserved });
            tally.take(one);
            flying.push(one);
          }
          const one = kind === "commit" || kind === "drop" ? flying.shift() : undefined;
          if (one !== undefined && kind === "drop") tally.undoAdmission(one);
          if (one !== undefined && kind === "commit") {
            const [reserved] = one.reserved;
            tally.commit(changesOf({ taken: [one], slots: [slot(1)], ledger: [money(reserved?.micros ?? 0, 0)] }));
            open.push(one);
          }
          const ended = kind === "end" ? open.shift() : undefined;
          if (ended !== undefined) {
            const [reserved] = ended.reserved;
            spent += micros;
            const ledger = [money(-(reserved?.micros ?? 0), micros)];
            tally.commit(changesOf({ ended: [ended.nodeId], slots: [slot(-1)], ledger }));
          }
          const reserved = [...flying, ...open].reduce((sum, held) => sum + (held.reserved[0]?.micros ?? 0), 0);
          expect(standing(tally)).toEqual([
            flying.length + open.length,
            { spentMicros: spent, reservedMicros: reserved },
          ]);
        });
      }),
      { numRuns: 300 },
    );
  });
});

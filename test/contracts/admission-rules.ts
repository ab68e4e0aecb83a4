import { describe, expect, it } from "vitest";
import { auditEntry } from "../../src/core/audit/index.ts";
import { type LedgerChange, type RunCommit, runCounter, type SlotChange } from "../../src/store/index.ts";
import { creation, logFrom, openAttempt, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const slot = (delta: number, parts: Partial<SlotChange> = {}): SlotChange => ({
  agentId: "analyst",
  delta,
  maxOpen: delta > 0 ? 3 : null,
  hits: [],
  rate: null,
  ...parts,
});

const money = (reserved: number, spent: number, parts: Partial<LedgerChange> = {}): LedgerChange => ({
  envelopeId: "monthly",
  periodStart: 1_000,
  reserved,
  spent,
  ceiling: reserved > 0 ? 100 : null,
  ...parts,
});

/** Limits hold on what is committed, whichever replica commits at the same moment. */
export function admissionRules(subjectOf: SubjectOf): void {
  const make = (id: string, parts: Partial<RunCommit>): RunCommit => creation(id, {}, parts);
  const counters = async () => subjectOf().store.readCounters("org_1", 0);

  describe("slots", () => {
    it("are taken up to the limit, by one batch or by several", async () => {
      const { store } = subjectOf();
      const three = ["run_1", "run_2", "run_3"].map((id) => make(id, { slots: [slot(1)] }));
      expect((await store.commit(three)).isOverLimit).toBe(false);
      expect(await store.commit([make("run_4", { slots: [slot(1)] })])).toMatchObject({ isOverLimit: true });
      expect(await store.getRun("org_1", "run_4")).toBeUndefined();
      expect((await counters()).agents).toEqual([{ agentId: "analyst", open: 3, hits: [] }]);
      await store.commit([share("run_1", 1, logFrom(2, 1), { slots: [slot(-1)] })]);
      expect((await store.commit([make("run_4", { slots: [slot(1)] })])).isOverLimit).toBe(false);
    });

    it("that one batch frees and takes are the same slots", async () => {
      const { store } = subjectOf();
      await store.commit(["run_1", "run_2", "run_3"].map((id) => make(id, { slots: [slot(1)] })));
      const both = [share("run_1", 1, logFrom(2, 1), { slots: [slot(-1)] }), make("run_4", { slots: [slot(1)] })];
      expect((await store.commit(both)).isOverLimit).toBe(false);
      expect((await counters()).agents[0]?.open).toBe(3);
    });

    it("of a run that another has advanced are not counted", async () => {
      const { store } = subjectOf();
      await store.commit([make("run_1", { slots: [slot(1)] })]);
      const late = share("run_1", 7, logFrom(2, 1), { slots: [slot(1)] });
      expect((await store.commit([late, make("run_2", { slots: [slot(1)] })])).conflicts).toEqual(["run_1"]);
      expect((await counters()).agents[0]?.open).toBe(2);
    });

    it("hold against a rival that commits at the same moment", async () => {
      const { store, rival } = subjectOf();
      const tries = Array.from({ length: 20 }, (_, index) => index);
      const outcomes = await Promise.all(
        tries.map((index) => (index % 2 === 0 ? store : rival).commit([make(`run_${index}`, { slots: [slot(1)] })])),
      );
      expect(outcomes.filter(({ isOverLimit }) => !isOverLimit)).toHaveLength(3);
      expect((await counters()).agents[0]?.open).toBe(3);
    });

    it("are counted again from the attempts that are open", async () => {
      const { store } = subjectOf();
      const opened = [openAttempt("a", { agentId: "analyst" })];
      await store.commit([make("run_1", { opened, slots: [slot(3)] })]);
      expect(await store.recount()).toEqual(["agent analyst of org_1: 3 open, counted again 1"]);
      expect((await counters()).agents[0]?.open).toBe(1);
      expect(await store.recount()).toEqual([]);
    });

    it("of a run and its blocks are counted together, kept with their attempts, and forgotten when none is open", async () => {
      const { store } = subjectOf();
      const agentId = runCounter("run_1");
      const opened = [openAttempt("a", { parallelOf: "run_1" })];
      const take = (id: string, delta: number) => make(id, { opened, slots: [slot(delta, { agentId, maxOpen: 2 })] });
      expect((await store.commit([take("run_1", 1)])).isOverLimit).toBe(false);
      expect((await store.commit([take("run_2", 1)])).isOverLimit).toBe(false);
      expect((await store.commit([take("run_3", 1)])).isOverLimit).toBe(true);
      expect((await counters()).agents).toEqual([{ agentId, open: 2, maxOpen: 2, hits: [] }]);
      expect(await store.recount()).toEqual([]);
      expect((await store.loadRuns(["run_2"]))[0]?.openAttempts).toEqual(opened);
      const done = { closed: [{ nodeId: "a", attempt: 1 }], slots: [slot(-1, { agentId })] };
      await store.commit(["run_1", "run_2"].map((id) => share(id, 1, logFrom(2, 1), done)));
      expect((await counters()).agents).toEqual([]);
      expect(await store.recount()).toEqual([]);
      expect((await store.commit([take("run_4", 2)])).isOverLimit).toBe(false);
      expect(await store.recount()).toEqual([`agent ${agentId} of org_1: 2 open, counted again 1`]);
    });

    it("and reservations that are not counted at all are counted from the attempts", async () => {
      const { store } = subjectOf();
      const held = (micros: number) => ({ envelopeId: "monthly", periodStart: 1_000, micros });
      const other = { envelopeId: "daily", periodStart: 500, micros: 7 };
      const opened = [
        openAttempt("a", { agentId: "analyst", reserved: [held(10), other] }),
        openAttempt("b", { agentId: "analyst", reserved: [held(20)] }),
      ];
      await store.commit([make("run_1", { opened, slots: [slot(2)], ledger: [money(50, 3)] })]);
      expect([...(await store.recount())].sort()).toEqual([
        "envelope daily of org_1: 0 micro-dollars reserved, counted again 7",
        "envelope monthly of org_1: 50 micro-dollars reserved, counted again 30",
      ]);
      expect(await store.recount()).toEqual([]);
      const right = [
        { envelopeId: "daily", periodStart: 500, spent: 0, reserved: 7 },
        { envelopeId: "monthly", periodStart: 1_000, spent: 3, reserved: 30 },
      ];
      expect((await counters()).envelopes).toEqual(expect.arrayContaining(right));
      expect((await counters()).agents).toEqual([{ agentId: "analyst", open: 2, hits: [] }]);
    });

    it("are counted right while rivals commit", async () => {
      const { store, rival } = subjectOf();
      const reserved = [{ envelopeId: "monthly", periodStart: 1_000, micros: 1 }];
      const open = (id: string) =>
        make(id, {
          opened: [openAttempt("a", { agentId: "analyst", reserved })],
          slots: [slot(1, { maxOpen: 1_000 })],
          ledger: [money(1, 0)],
        });
      const close = (id: string) =>
        share(id, 1, logFrom(2, 1), {
          closed: [{ nodeId: "a", attempt: 1 }],
          slots: [slot(-1)],
          ledger: [money(-1, 1)],
        });
      const ids = Array.from({ length: 30 }, (_, index) => `run_${index}`);
      const commits = ids.map(async (id, index) => {
        const on = index % 2 === 0 ? store : rival;
        await on.commit([open(id)]);
        if (index % 3 === 0) await on.commit([close(id)]);
      });
      const recounts = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? rival : store).recount());
      await Promise.all([...commits, ...recounts]);
      expect((await Promise.all(recounts)).flat()).toEqual([]);
      expect((await counters()).agents[0]?.open).toBe(20);
      expect((await counters()).envelopes[0]).toMatchObject({ reserved: 20, spent: 10 });
    });

    it("are a limit for the first commit of an agent too", async () => {
      const { store } = subjectOf();
      expect((await store.commit([make("run_1", { slots: [slot(4)] })])).isOverLimit).toBe(true);
      expect((await counters()).agents).toEqual([]);
      expect((await store.commit([make("run_1", { slots: [slot(3, { agentId: "b" })] })])).isOverLimit).toBe(false);
    });
  });

  describe("an envelope", () => {
    it("takes reservations up to its ceiling, and spending beyond it", async () => {
      const { store } = subjectOf();
      await store.commit([make("run_1", { ledger: [money(60, 0)] })]);
      expect((await store.commit([make("run_2", { ledger: [money(41, 0)] })])).isOverLimit).toBe(true);
      expect((await store.commit([make("run_2", { ledger: [money(40, 0)] })])).isOverLimit).toBe(false);
      await store.commit([share("run_1", 1, logFrom(2, 1), { ledger: [money(-60, 90)] })]);
      expect((await counters()).envelopes).toEqual([
        { envelopeId: "monthly", periodStart: 1_000, spent: 90, reserved: 40 },
      ]);
      expect((await store.commit([make("run_3", { ledger: [money(1, 0)] })])).isOverLimit).toBe(true);
    });

    it("keeps the lowest of several ceilings, whatever else the same batch may take", async () => {
      const { store } = subjectOf();
      const low = (micros: number) => money(micros, 0, { ceiling: 20 });
      const free = (micros: number) => money(micros, 0, { ceiling: null });
      const both = [make("run_1", { ledger: [low(10)] }), make("run_2", { ledger: [money(50, 0)] })];
      expect((await store.commit(both)).isOverLimit).toBe(true);
      expect((await store.commit(both.slice(0, 1))).isOverLimit).toBe(false);
      expect((await store.commit(both.slice(1))).isOverLimit).toBe(false);
      expect((await store.commit([make("run_3", { ledger: [low(1)] })])).isOverLimit).toBe(true);
      expect((await store.commit([make("run_3", { ledger: [free(500)] })])).isOverLimit).toBe(false);
      expect((await counters()).envelopes[0]).toMatchObject({ reserved: 560, spent: 0 });
      expect((await store.commit([make("run_4", { ledger: [money(1, 0)] })])).isOverLimit).toBe(true);
    });

    it("is another one in every period and organisation", async () => {
      const { store } = subjectOf();
      await store.commit([make("run_1", { ledger: [money(100, 0), money(100, 0, { periodStart: 2_000 })] })]);
      await store.commit([{ ...make("run_2", { ledger: [money(100, 0)] }), orgId: "org_2" }]);
      expect((await store.readCounters("org_1", 1_500)).envelopes).toHaveLength(1);
      expect((await store.readCounters("org_2", 0)).envelopes).toHaveLength(1);
      const both = await store.readCountersOf(["org_1", "org_2", "org_3"], 1_500);
      expect([...both].map(([orgId, { envelopes }]) => [orgId, envelopes.length])).toEqual([
        ["org_1", 1],
        ["org_2", 0],
        ["org_3", 0],
      ]);
      expect(both.get("org_1")).toEqual(await store.readCounters("org_1", 1_500));
    });

    it("first used by two at once is one", async () => {
      const { store, rival } = subjectOf();
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          (index % 2 === 0 ? store : rival).commit([make(`run_${index}`, { ledger: [money(20, 0)] })]),
        ),
      );
      expect(outcomes.filter(({ isOverLimit }) => !isOverLimit)).toHaveLength(5);
      expect((await counters()).envelopes[0]?.reserved).toBe(100);
    });
  });

  it("marks a key once, whichever replica is first", async () => {
    const { store, rival } = subjectOf();
    const entry = auditEntry({ at: 5, type: "budget.alert", actor: "sluice", resource: "budget/cap", detail: {} });
    const marked = await Promise.all([store.markOnce("org_1", "a", entry), rival.markOnce("org_1", "a", entry)]);
    expect(marked.filter(Boolean)).toHaveLength(1);
    expect(await store.markOnce("org_2", "a", entry)).toBe(true);
    expect(await store.markOnce("org_1", "b", entry)).toBe(true);
    expect(await store.listPendingOrganisations(0, 10)).toEqual(["org_1", "org_2"]);
  });
}

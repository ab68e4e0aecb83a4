import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { canonicalJson } from "../../src/core/base/index.ts";
import { createMemoryStore, type RunCommit, type Store } from "../../src/store/index.ts";
import { approval, creation, logFrom, share } from "./shares.ts";
import type { Subject } from "./store-contract.ts";

const RUNS = ["run_a", "run_b", "run_c"];
const NODES = ["x", "y"];

/** What one run does in one commit; `slip` makes its expected version wrong. */
const stepArb = fc.record({
  run: fc.constantFrom(...RUNS),
  slip: fc.constantFrom(0, 0, 0, 1),
  events: fc.nat({ max: 3 }),
  opened: fc.uniqueArray(fc.tuple(fc.constantFrom(...NODES), fc.integer({ min: 1, max: 3 })), {
    maxLength: 2,
    selector: String,
  }),
  closed: fc.array(fc.tuple(fc.constantFrom(...NODES), fc.integer({ min: 1, max: 3 })), { maxLength: 2 }),
  timersSet: fc.array(fc.tuple(fc.nat({ max: 2 }), fc.integer({ min: 1, max: 99 })), { maxLength: 2 }),
  timersCleared: fc.array(fc.nat({ max: 2 }), { maxLength: 2 }),
  approvals: fc.array(fc.constantFrom("apr_1", "apr_2", "apr_3"), { maxLength: 1 }),
  key: fc.option(fc.constantFrom("k1", "k2"), { nil: null }),
});
type Step = typeof stepArb extends fc.Arbitrary<infer T> ? T : never;

function shareOf(step: Step, version: number, lastEventId: number): RunCommit {
  const expected = Math.max(0, version + step.slip);
  const events = logFrom(expected === 0 ? 0 : lastEventId, step.events);
  const parts = {
    opened: step.opened.map(([nodeId, attempt]) => ({
      nodeId,
      attempt,
      replicaId: "rep_1",
      deadlineAt: attempt,
      agentId: null,
      reserved: [],
    })),
    closed: step.closed.map(([nodeId, attempt]) => ({ nodeId, attempt })),
    timersSet: step.timersSet.map(([epoch, dueAt]) => ({ timer: { kind: "run", epoch } as const, dueAt })),
    timersCleared: step.timersCleared.map((epoch) => ({ kind: "run", epoch }) as const),
    // Ids of approvals are derived from their run: no two runs have the same.
    approvalsOpened: step.approvals.map((id) => approval(`${id}_${step.run}`, step.run)),
    head: { lastEventId: (expected === 0 ? 0 : lastEventId) + step.events },
  };
  const key = step.key;
  const idempotency =
    key === null ? null : { orgId: "org_1", keyId: "key_1", workflow: "triage", key, bodyHash: step.run };
  return expected === 0
    ? creation(step.run, { idempotency }, { ...parts, events })
    : share(step.run, expected, events, parts);
}

/** Everything a reader can see. */
async function seen(store: Store): Promise<unknown> {
  const page = { limit: 100, cursor: null };
  return {
    loaded: await store.loadRuns(RUNS),
    listed: await store.listRuns("org_1", {}, page),
    approvals: await store.listApprovals("org_1", null, page),
    due: new Set(
      (await store.dueTimers(100)).map(({ timer, ...due }) => canonicalJson({ ...due, timer: { ...timer } })),
    ),
    next: await store.nextDueAt(),
    stalled: await store.listStalled(100),
  };
}

/** The memory store is short enough to be believed; any other must answer as it does. */
export function testAgainstMemory(name: string, numRuns: number, open: () => Promise<Subject>): void {
  describe(`${name} and memory`, () => {
    let subject: Subject;
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(() => subject.close());

    it("answer alike, whatever is committed", async () => {
      const batchArb = fc.uniqueArray(stepArb, { maxLength: 3, selector: ({ run }) => run });
      await fc.assert(
        fc.asyncProperty(fc.array(batchArb, { minLength: 1, maxLength: 6 }), async (batches) => {
          await subject.reset();
          const memory = createMemoryStore();
          for (const steps of batches) {
            const heads = new Map((await memory.headsOf(RUNS)).map((head) => [head.runId, head]));
            const batch = steps.map((step) => {
              const head = heads.get(step.run);
              return shareOf(step, head?.rowVersion ?? 0, head?.lastEventId ?? 0);
            });
            const [expected, found] = [await memory.commit(batch), await subject.store.commit(batch)];
            expect(sorted(found)).toEqual(sorted(expected));
          }
          expect(await seen(subject.store)).toEqual(await seen(memory));
        }),
        { numRuns },
      );
    });
  });
}

function sorted({ conflicts, duplicates }: Awaited<ReturnType<Store["commit"]>>): unknown {
  return { conflicts: new Set(conflicts), duplicates: new Set(duplicates.map((one) => JSON.stringify(one))) };
}

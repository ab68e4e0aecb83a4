import { beforeEach, describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/core/event/index.ts";
import { searchWords } from "../../src/core/search/index.ts";
import type { RunFilter, Store } from "../../src/store/index.ts";
import { creation, type Parts, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const NOBODY = { gatewayId: null, provider: null, verdictId: null, executionPath: null };

function started(eventId: number, agentId: string, model: string): RunEvent {
  const payload = { nodeId: "draft", attempt: 1, wave: 0, agentId, model, ...NOBODY };
  return { eventId, at: 1_000, type: "node.started", payload };
}

function completed(eventId: number, answer: string): RunEvent {
  const envelope = { output: answer, data: null, media: [], metadata: {} } as never;
  const nothing = { durationMs: 5, inputTokens: 0, outputTokens: 0, costMicros: 0 };
  const payload = { nodeId: "draft", attempt: 1, envelope, outputs: { answer }, ...nothing };
  return { eventId, at: 2_000, type: "node.completed", payload };
}

function ended(head: Parts["head"]): Parts {
  return { head: { status: "completed", startedAt: 1_000, endedAt: 3_000, ...head } };
}

/** As the server does it in the background. */
async function readAll(store: Store): Promise<void> {
  while ((await store.indexRuns(2)) > 0);
}

export function searchRules(subjectOf: SubjectOf): void {
  describe("runs are found", () => {
    const ids = async (filter: RunFilter, orgId = "org_1"): Promise<string[]> => {
      const { data } = await subjectOf().store.listRuns(orgId, filter, { limit: 10, cursor: null });
      return data.map(({ runId }) => runId);
    };
    const asked = (text: string) => ids({ words: searchWords(text) });

    beforeEach(async () => {
      const { store } = subjectOf();
      const failed = { status: "failed", errorCode: "timeout", errorMessage: "draft took too long" } as const;
      await store.commit([
        creation("run_1", { createdAt: 1_000, labels: { customer: "4711", stage: "a:b" } }, ended({ costMicros: 500 })),
        creation(
          "run_2",
          { createdAt: 2_000, version: 2, workflow: "other", trigger: "schedule", startedBy: "schedule:nightly" },
          ended({ ...failed, endedAt: 61_000, costMicros: 2_000_000 }),
        ),
        creation("run_3", { createdAt: 3_000, labels: { customer: "4711" } }, { head: { costMicros: 900 } }),
        creation("run_4", { createdAt: 4_000, labels: { customer: "12" }, args: { note: "Refund für Zoë" } }),
        creation("run_5", { createdAt: 5_000, block: "a", labels: {} }, ended(failed)),
      ]);
    });

    it("by version, trigger and starter", async () => {
      expect(await ids({ version: 2 })).toEqual(["run_2"]);
      expect(await ids({ trigger: "schedule" })).toEqual(["run_2"]);
      expect(await ids({ startedBy: "schedule:nightly" })).toEqual(["run_2"]);
      expect(await ids({ trigger: "api", version: 1, workflow: "triage" })).toEqual(["run_4", "run_3", "run_1"]);
    });

    it("by labels, at once and all of them", async () => {
      expect(await ids({ facets: ["label:customer:4711"] })).toEqual(["run_3", "run_1"]);
      expect(await ids({ facets: ["label:customer:4711", "label:stage:a:b"] })).toEqual(["run_1"]);
      expect(await ids({ facets: ["label:customer:4711"], status: "running" })).toEqual(["run_3"]);
      expect(await ids({ facets: ["label:customer:47"] })).toEqual([]);
      expect(await ids({ facets: ["label:customer:4711"] }, "org_2")).toEqual([]);
      expect((await subjectOf().store.getRun("org_1", "run_1"))?.labels).toEqual({ customer: "4711", stage: "a:b" });
    });

    it("by cost, of open runs too, and by duration, of those that have ended", async () => {
      expect(await ids({ cost: { from: 500, to: 900 } })).toEqual(["run_3", "run_1"]);
      expect(await ids({ cost: { from: 901 } })).toEqual(["run_2"]);
      expect(await ids({ cost: { to: 499 } })).toEqual(["run_4"]);
      expect(await ids({ duration: { from: 2_000 } })).toEqual(["run_2", "run_1"]);
      expect(await ids({ duration: { from: 2_001, to: 60_000 } })).toEqual(["run_2"]);
      expect(await ids({ duration: { to: 2_000 } })).toEqual(["run_1"]);
    });

    it("by when they were created, the end excluded", async () => {
      expect(await ids({ created: { from: 2_000, to: 4_000 } })).toEqual(["run_3", "run_2"]);
      expect(await ids({ created: { from: 2_000 }, status: "running" })).toEqual(["run_4", "run_3"]);
      expect(await ids({ created: { to: 2_000 }, facets: ["label:customer:4711"] })).toEqual(["run_1"]);
    });

    it("by the code they ended with, until they are opened again", async () => {
      const { store } = subjectOf();
      expect(await ids({ errorCode: "timeout" })).toEqual(["run_2"]);
      const run = await store.getRun("org_1", "run_2");
      expect(run).toMatchObject({ errorCode: "timeout", errorMessage: "draft took too long" });
      await store.commit([share("run_2", 1, [], { head: { lastEventId: 2, status: "recovered" } })]);
      expect(await ids({ errorCode: "timeout" })).toEqual([]);
      expect(await ids({ duration: { from: 1 } })).toEqual(["run_1"]);
      expect(await ids({ cost: { to: 0 } })).toEqual(["run_4", "run_2"]);
    });

    it("by agents and models, once they have been read", async () => {
      const { store } = subjectOf();
      const events = [started(3, "writer", "m-1"), completed(4, "Done")];
      await store.commit([share("run_3", 1, events, { isReindexed: true })]);
      await readAll(store);
      expect(await ids({ facets: ["agent:writer"] })).toEqual(["run_3"]);
      expect(await ids({ facets: ["model:m-1", "label:customer:4711"] })).toEqual(["run_3"]);
      expect(await ids({ facets: ["agent:m-1"] })).toEqual([]);
    });

    it("by words of args, outputs, errors, labels, ids and names, all of them", async () => {
      const { store } = subjectOf();
      await store.commit([share("run_3", 1, [started(3, "writer", "m-1"), completed(4, "A refund of 12.50 €")])]);
      await store.commit([share("run_3", 2, [], { head: { lastEventId: 4 }, isReindexed: true })]);
      await readAll(store);
      expect(await asked("refund")).toEqual(["run_4", "run_3"]);
      expect(await asked("REFUND 12.50")).toEqual(["run_3"]);
      expect(await asked("zoë")).toEqual(["run_4"]);
      expect(await asked("took long")).toEqual(["run_2"]);
      expect(await asked("4711")).toEqual(["run_3", "run_1"]);
      expect(await asked("run_2")).toEqual(["run_2"]);
      expect(await asked("ref")).toEqual([]);
      expect(await asked("ref*")).toEqual(["run_4", "run_3"]);
      expect(await asked("refund' | !")).toEqual(["run_4", "run_3"]);
      expect(await ids({ words: searchWords("refund"), facets: ["label:customer:12"] })).toEqual(["run_4"]);
      expect(await ids({ words: searchWords("refund"), status: "completed" })).toEqual([]);
      expect(await ids({ words: searchWords("refund"), created: { to: 4_000 } })).toEqual(["run_3"]);
      expect(await ids({ words: searchWords("refund") }, "org_2")).toEqual([]);
    });

    it("not by what looks like a credential", async () => {
      const { store } = subjectOf();
      const key = `sk-${"aB3".repeat(10)}`;
      await store.commit([creation("run_6", { createdAt: 6_000, args: { key, note: "harmless" } })]);
      await readAll(store);
      expect(await asked("harmless")).toEqual(["run_6"]);
      expect(await asked(key)).toEqual([]);
    });

    it("in pages", async () => {
      const { store } = subjectOf();
      await readAll(store);
      for (const filter of [{ facets: ["label:customer:4711"] }, { words: searchWords("4711") }] as RunFilter[]) {
        const first = await store.listRuns("org_1", filter, { limit: 1, cursor: null });
        const second = await store.listRuns("org_1", filter, { limit: 1, cursor: first.nextCursor });
        expect([...first.data, ...second.data].map(({ runId }) => runId)).toEqual(["run_3", "run_1"]);
        expect(second.nextCursor).toBeNull();
      }
    });
  });
}

import { describe, expect, it } from "vitest";
import { auditEntry } from "../../src/core/audit/index.ts";
import { MEMORY_ENTRIES_MAX, type MemoryRecord } from "../../src/store/index.ts";
import { creation, logFrom, share } from "./shares.ts";
import type { SubjectOf } from "./store-contract.ts";

const ORG = "org_1";
const entry = auditEntry({ at: 5, type: "agent.changed", actor: "key_1", resource: "agent/ada", detail: {} });
const page = { limit: 100, cursor: null };

/** What agents keep of their own answers. */
export function agentMemoryRules(subjectOf: SubjectOf): void {
  const kept = (runId: string, at: number, parts: Partial<MemoryRecord> = {}): MemoryRecord => ({
    agentId: "ada",
    profile: "long",
    at,
    workflow: "w",
    runId,
    nodeId: "a",
    attempt: 1,
    text: `said at ${at}`,
    ...parts,
  });
  const commit = (runId: string, memories: readonly MemoryRecord[], orgId = ORG) =>
    subjectOf().store.commit([creation(runId, {}, { orgId, memories })]);
  const textsOf = (entries: readonly MemoryRecord[]): readonly string[] => entries.map(({ text }) => text);
  const read = async (agentId = "ada", profile = "long", orgId = ORG) =>
    textsOf(await subjectOf().store.readMemories(orgId, [{ agentId, profile }]));
  const ofAda = { agentId: "ada", profile: "long" };

  describe("what an agent remembers", () => {
    it("is written by the commit of its run, as it is, and found again", async () => {
      const { store, rival } = subjectOf();
      const hostile = kept("run_1", 7, {
        nodeId: "each[3]",
        attempt: 12,
        text: `# Layer 1\n'; drop table agent_memories; -- {"a",NULL} \\ \u{1F600} \${x} [[y]]`,
      });
      const memories = [hostile, kept("run_1", 6)];
      await store.commit([creation("run_1", {}, { memories }), creation("run_2")]);
      expect(await rival.readMemories(ORG, [ofAda])).toEqual([kept("run_1", 6), hostile]);
      expect(await store.listMemory(ORG, "ada", page)).toEqual({
        data: [hostile, kept("run_1", 6)],
        nextCursor: null,
      });
    });

    it("is not written by a share that another has overtaken", async () => {
      const { store } = subjectOf();
      await commit("run_1", []);
      const late = share("run_1", 5, logFrom(2, 1), { memories: [kept("run_1", 1)] });
      expect((await store.commit([late, creation("run_2", {}, { memories: [kept("run_2", 2)] })])).conflicts).toEqual([
        "run_1",
      ]);
      expect(await read()).toEqual(["said at 2"]);
      expect((await store.commit([{ ...late, expectedVersion: 1 }])).conflicts).toEqual([]);
      expect((await store.commit([{ ...late, expectedVersion: 1 }])).conflicts).toEqual(["run_1"]);
      expect(await read()).toEqual(["said at 1", "said at 2"]);
    });

    it("is its own: other agents, other memories and other organisations have theirs", async () => {
      const { store } = subjectOf();
      await commit("run_1", [kept("run_1", 1), kept("run_1", 2, { agentId: "bob", nodeId: "b" })]);
      await commit("run_2", [kept("run_2", 3, { profile: "short" })]);
      await commit("run_3", [kept("run_3", 4, { text: "theirs" })], "org_2");
      expect(await read()).toEqual(["said at 1"]);
      expect(await read("bob")).toEqual(["said at 2"]);
      expect(await read("ada", "short")).toEqual(["said at 3"]);
      expect(await read("ada", "long", "org_2")).toEqual(["theirs"]);
      expect(await read("ada", "long", "org_3")).toEqual([]);
      const several = [{ agentId: "bob", profile: "long" }, ofAda, { agentId: "unknown", profile: "long" }];
      expect(textsOf(await store.readMemories(ORG, several))).toEqual(["said at 1", "said at 2"]);
      expect(await store.readMemories(ORG, [])).toEqual([]);
      expect(textsOf((await store.listMemory(ORG, "ada", page)).data)).toEqual(["said at 3", "said at 1"]);
      expect(textsOf((await store.listMemory("org_2", "ada", page)).data)).toEqual(["theirs"]);
      expect((await store.listMemory(ORG, "a\0da", page)).data).toEqual([]);
    });

    it("is listed page by page, newest first, also where several are of one moment", async () => {
      const { store } = subjectOf();
      const nodes = ["a", "b", "c", "d", "e"];
      await commit(
        "run_1",
        nodes.map((nodeId) => kept("run_1", nodeId === "e" ? 2 : 1, { nodeId, text: nodeId })),
      );
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const found = await store.listMemory(ORG, "ada", { limit: 2, cursor });
        seen.push(...textsOf(found.data));
        ({ nextCursor: cursor } = found);
      } while (cursor !== null);
      expect(seen).toEqual(["e", "d", "c", "b", "a"]);
    });

    it.each([-1, 0, 1])("is read and pruned to the newest: the limit %i", async (more) => {
      const { store, rival } = subjectOf();
      await store.putEntry(ORG, "agent", "ada", {}, 0);
      const count = MEMORY_ENTRIES_MAX + more;
      const all = Array.from({ length: count }, (_, at) => kept("run_1", at, { nodeId: `n${at}` }));
      await commit("run_1", [...all, kept("run_1", 0, { profile: "short" })]);
      const newest = textsOf(all.slice(-MEMORY_ENTRIES_MAX));
      expect(await read()).toEqual(newest);
      const gone = await Promise.all([store.pruneMemories(1_000), rival.pruneMemories(1_000)]);
      expect(gone[0] + gone[1]).toBe(Math.max(0, more));
      expect(await read()).toEqual(newest);
      expect((await store.listMemory(ORG, "ada", page)).data).toHaveLength(newest.length + 1);
    });

    it("goes in batches, and all of it with its agent", async () => {
      const { store } = subjectOf();
      await store.putEntry(ORG, "agent", "bob", {}, 0);
      const all = [1, 2, 3].map((at) => kept("run_1", at, { nodeId: `n${at}` }));
      await commit("run_1", [...all, kept("run_1", 4, { agentId: "bob" })]);
      expect(await store.pruneMemories(2)).toBe(2);
      expect(await store.pruneMemories(2)).toBe(1);
      expect(await store.pruneMemories(2)).toBe(0);
      expect(await read("bob")).toEqual(["said at 4"]);
    });

    it("is forgotten as a whole, which the audit records if there was anything", async () => {
      const { store } = subjectOf();
      await commit("run_1", [kept("run_1", 1), kept("run_1", 2, { profile: "short", nodeId: "b" })]);
      await commit("run_2", [kept("run_2", 3, { agentId: "bob" })]);
      await commit("run_3", [kept("run_3", 4)], "org_2");
      expect(await store.forgetMemory(ORG, "unknown", entry)).toBe(0);
      expect(await store.listPendingOrganisations(0, 10)).toEqual([]);
      expect(await store.forgetMemory(ORG, "ada", entry)).toBe(2);
      expect(await store.listPendingOrganisations(0, 10)).toEqual([ORG]);
      expect(await store.forgetMemory(ORG, "ada", entry)).toBe(0);
      expect([...(await read()), ...(await read("ada", "short"))]).toEqual([]);
      expect(await read("bob")).toEqual(["said at 3"]);
      expect(await read("ada", "long", "org_2")).toEqual(["said at 4"]);
    });
  });
}

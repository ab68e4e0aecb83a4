import { describe, expect, it } from "vitest";
import { DEFAULT_AGENT } from "../registry/index.ts";
import { MEMORY_ENTRIES_MAX, type MemoryRecord } from "../store/index.ts";
import { Memories } from "./memories.ts";

const LONG = { name: "long", entries: MEMORY_ENTRIES_MAX };
const registered = (...ids: readonly string[]) => ({
  agents: new Map(
    ["plain", ...ids].map((id) => [id, { ...DEFAULT_AGENT, id, memoryProfile: id === "plain" ? null : LONG }]),
  ),
});
const kept = (at: number, parts: Partial<MemoryRecord> = {}): MemoryRecord => ({
  agentId: "ada",
  profile: "long",
  at,
  workflow: "w",
  runId: "run_1",
  nodeId: `n${at}`,
  attempt: 1,
  text: String(at),
  ...parts,
});

/** A store whose answers come when a test releases them. */
function rig(stored: MemoryRecord[] = []) {
  const asked: string[] = [];
  let hold: Promise<void> = Promise.resolve();
  const memories = new Memories({
    readMemories: async (orgId, keys) => {
      asked.push(`${orgId}: ${keys.map(({ agentId, profile }) => `${agentId} ${profile}`).join(", ")}`);
      const seen = [...stored];
      await hold;
      return seen.filter(({ agentId }) => keys.some((key) => key.agentId === agentId));
    },
  });
  const recall = (entries = MEMORY_ENTRIES_MAX, own: readonly MemoryRecord[] = [], org = "org") =>
    memories.recall(org, "ada", { name: "long", entries }, own).map(({ text }) => text);
  return {
    memories,
    asked,
    stored,
    recall,
    /** Answers wait until what is returned is called. */
    pause: (): (() => void) => {
      let release: () => void = () => undefined;
      hold = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
  };
}

describe("memories", () => {
  it("ask for nothing where no agent has one", async () => {
    const { memories, asked } = rig();
    expect(memories.isReady("org", registered())).toBe(true);
    await memories.ensure("org", registered());
    await memories.refreshAll({ of: () => registered() });
    expect(asked).toEqual([]);
  });

  it("are read once for all agents, and again for one that is new", async () => {
    const { memories, asked, recall } = rig([kept(1)]);
    const first = registered("ada", "bob");
    expect(memories.isReady("org", first)).toBe(false);
    await memories.ensure("org", first);
    await memories.ensure("org", first);
    expect(memories.isReady("org", registered("ada"))).toBe(true);
    expect(asked).toEqual(["org: ada long, bob long"]);
    expect(memories.isReady("org", registered("ada", "eve"))).toBe(false);
    await memories.ensure("org", registered("ada", "eve"));
    expect(asked).toHaveLength(2);
    expect(recall()).toEqual(["1"]);
    expect(recall(5, [], "other")).toEqual([]);
  });

  it("return the newest, oldest first, with what the run adds itself, each once", async () => {
    const { memories, recall } = rig([kept(3), kept(1), kept(2)]);
    await memories.ensure("org", registered("ada"));
    expect(recall()).toEqual(["1", "2", "3"]);
    expect(recall(2)).toEqual(["2", "3"]);
    expect(recall(2, [kept(4), kept(3)])).toEqual(["3", "4"]);
    memories.add("org", [kept(5), kept(0), kept(5, { agentId: "eve" })]);
    expect(recall()).toEqual(["0", "1", "2", "3", "5"]);
    expect(recall(1)).toEqual(["5"]);
  });

  it.each([-1, 0, 1])("hold the newest: the limit %i", async (more) => {
    const { memories, recall } = rig();
    await memories.ensure("org", registered("ada"));
    const all = Array.from({ length: MEMORY_ENTRIES_MAX + more }, (_, at) => kept(at));
    for (const entry of all) memories.add("org", [entry]);
    expect(recall()).toEqual(all.slice(-MEMORY_ENTRIES_MAX).map(({ text }) => text));
  });

  it("miss nothing that is added while they are read", async () => {
    const { memories, recall, pause } = rig([kept(1)]);
    await memories.ensure("org", registered("ada"));
    const release = pause();
    const reading = memories.refresh("org", registered("ada"));
    memories.add("org", [kept(2)]);
    release();
    await reading;
    expect(recall()).toEqual(["1", "2"]);
  });

  it("do not bring back what was forgotten while they were read", async () => {
    const { memories, stored, recall, pause, asked } = rig([kept(1)]);
    await memories.ensure("org", registered("ada"));
    const release = pause();
    const reading = memories.refresh("org", registered("ada"));
    memories.add("org", [kept(2)]);
    stored.length = 0;
    memories.forget("org", "ada");
    expect(recall()).toEqual([]);
    release();
    await reading;
    expect(recall()).toEqual([]);
    expect(asked).toHaveLength(3);
    memories.forget("nowhere", "ada");
  });
});

import { describe, expect, it } from "vitest";
import { createScriptedAdapter, EMPTY_SCRIPT } from "../../adapters/index.ts";
import { createVirtualClock } from "../../clock/index.ts";
import { digestText } from "../../core/base/index.ts";
import { createAllowAllJudge } from "../../governance/index.ts";
import { createNodeModeration, type NodeModeration } from "../moderation/index.ts";
import { createMemoryStore, type Store } from "../../store/index.ts";
import { DurableDriver } from "./durable-driver.ts";

const SOURCE = `name: g
format: lens-graph/v1
nodes:
  - { id: checked, config: { template_body: go, moderation: output } }
  - { id: other, config: { template_body: go } }
edges: []
`;

describe("an answer that is being looked at", () => {
  it("is not asked for again when its run is loaded anew meanwhile", async () => {
    const clock = createVirtualClock(1_000_000);
    const memory = createMemoryStore({ now: () => clock.now() });
    let pass: () => void = () => undefined;
    const looked = new Promise<void>((resolve) => (pass = resolve));
    const rules = createNodeModeration();
    const moderation: NodeModeration = {
      ...rules,
      result: async (...about) => {
        await looked;
        return rules.result(...about);
      },
    };
    let conflicts = 1;
    const store: Store = {
      ...memory,
      // Another replica was quicker, or so it seems: the run is dropped and loaded again.
      commit: async (batch) => {
        const isOther = batch.some(({ events }) => events.some(({ type }) => type === "node.completed"));
        if (!isOther || (conflicts -= 1) < 0) return memory.commit(batch);
        return { conflicts: batch.map(({ runId }) => runId), duplicates: [], isOverLimit: false };
      },
    };
    const calls: string[] = [];
    const ledger = ({ stepId }: { readonly stepId: string }) => calls.push(stepId);
    const driver = new DurableDriver({
      store,
      clock,
      adapters: [createScriptedAdapter({ script: EMPTY_SCRIPT, clock, ledger })],
      judge: createAllowAllJudge(new Set(["scripted"]), "scripted"),
      moderation,
      monotonic: () => clock.now(),
      isUnavailable: () => false,
      supersedesAll: true,
      onTrouble: (what) => expect.fail(what),
    });
    await driver.start();
    const definitionHash = digestText(SOURCE);
    await memory.putDefinition("default", definitionHash, { source: SOURCE, catalog: null });
    const about = { orgId: "default", workflow: "g", version: 1, definitionHash, trigger: "test", startedBy: null };
    const launched = driver.launch({ ...about, args: {} });
    let waited = 0;
    clock.after(2_000, () => {
      waited += 1;
      pass();
    });
    clock.after(4_000, () => (waited += 1));
    await clock.run(() => waited === 2);
    const outcome = await launched;
    const runId = outcome.kind === "started" ? outcome.run.runId : "";
    expect(await memory.getRun("default", runId)).toMatchObject({ status: "completed" });
    expect(calls.sort()).toEqual(["checked", "other"]);
    expect(conflicts).toBeLessThan(1);
  });
});

import { describe, expect, it } from "vitest";
import { EMPTY_CATALOG } from "../core/definition/index.ts";
import { advance, createRunState } from "../core/engine/index.ts";
import { checkSource } from "../core/plan/index.ts";
import { type NodeView, outlineOf, reduceRun } from "../core/view/index.ts";
import { chooseNodes } from "./live-tree.ts";

/** A run of many independent nodes of which the first few have been started. */
function startedRun(count: number): readonly NodeView[] {
  const steps = Array.from({ length: count }, (_, index) => ({
    id: `n${String(index).padStart(4, "0")}`,
    command: "x",
  }));
  const { plan } = checkSource(JSON.stringify({ name: "many", max_parallel: 5, steps }), EMPTY_CATALOG);
  if (plan === null) throw new Error("no plan");
  const state = createRunState(plan, "run_1");
  const base = { at: 1, jitter: 0 };
  const turn = advance(state, {
    ...base,
    type: "start",
    workflow: "many",
    version: null,
    hash: "",
    args: {},
    trigger: "test",
    recursionDepth: 0,
  });
  const route = { agentId: null, gatewayId: null, provider: null, model: null, executionPath: null };
  const log = [...turn.events];
  for (const effect of turn.effects) {
    if (effect.type !== "request-verdict") continue;
    const { nodeId, epoch } = effect;
    const { events } = advance(state, {
      ...base,
      type: "verdict",
      nodeId,
      epoch,
      verdict: { disposition: "allow", verdictId: "v", route },
    });
    log.push(...events);
  }
  return [...reduceRun(log, outlineOf(plan)).nodes.values()];
}

describe("nodes on the screen", () => {
  it("are all of them when they fit", () => {
    const nodes = startedRun(12);
    expect(chooseNodes(nodes, 12)).toEqual(nodes);
    expect(chooseNodes(nodes, 11)).toHaveLength(11);
  });

  it("are those that go on, then what comes next, in plan order", () => {
    const shown = chooseNodes(startedRun(1_000), 8);
    expect(shown.map(({ status }) => status)).toEqual([
      ...Array<string>(5).fill("running"),
      "queued",
      "queued",
      "queued",
    ]);
    expect(shown.map(({ id }) => id)).toEqual(shown.map(({ id }) => id).toSorted());
  });
});

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/base/index.ts";
import { type Rig, runOf, workflow } from "./rig.ts";
import { Scene } from "./scene.ts";

const inputsOf = (rig: Rig, nodeId: string): string[] =>
  rig
    .of("node.provenance", nodeId)
    .map(({ sourceNodeId, sourceOutputPath, targetInputPath, transform }) =>
      [sourceNodeId ?? "-", sourceOutputPath, targetInputPath, ...(transform === undefined ? [] : [transform])].join(
        " ",
      ),
    );

describe("node.provenance of steps", () => {
  it("names args and outputs by what they became", () => {
    const rig = runOf(
      workflow(
        [
          "a {outputs: {list: array}}",
          "b {command: 'use ${a.outputs.list[0]} for ${tag}', stdin: '$a.stdout', inputs: {tag: {type: string}}}",
        ],
        "args: {tag: v1}",
      ),
    ).complete("a", { outputs: { list: [1] } });
    expect(inputsOf(rig, "b")).toEqual([
      "- args.tag inputs.tag",
      "a outputs.list[0] command",
      "- args.tag command",
      "a stdout stdin",
    ]);
  });

  it("names what is handed to a child run, once however often it is tried", () => {
    const rig = runOf(
      workflow(
        [
          "a",
          "kid < a {workflow_ref: audit, with: {tag: '${tag}', deep: {note: ['for ${a.stdout}']}, n: 1}, on_failure: retry_once}",
        ],
        "args: {tag: v1}",
      ),
    ).complete("a");
    const handed = ["- args.tag with.tag", "a stdout with.deep.note[0]"];
    expect(inputsOf(rig, "kid")).toEqual(handed);
    const started = rig.of("child.started", "kid").at(-1)?.childRunId ?? "";
    const spent = { costMicros: 0, tokens: { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 } };
    rig.submit({
      type: "child_finished",
      nodeId: "kid",
      attempt: 1,
      childRunId: started,
      status: "failed",
      outputs: {},
      ...spent,
    });
    expect(rig.of("child.started", "kid")).toHaveLength(2);
    expect(inputsOf(rig, "kid")).toEqual(handed);
  });

  it("names the list of a for_each, and for each instance its very element", () => {
    const rig = runOf(
      workflow(["a {outputs: {list: array}}", "each {for_each: a.outputs.list, command: 'do ${item.x} at ${index}'}"]),
    ).complete("a", { outputs: { list: [{ x: 1 }, { x: 2 }] } });
    expect(inputsOf(rig, "each")).toEqual(["a outputs.list for_each"]);
    expect(inputsOf(rig, "each[1]")).toEqual(["a outputs.list[1].x command"]);
  });

  it("is recorded anew after a rewind", () => {
    const rig = runOf(workflow(["a {command: 'do ${tag}'}"], "args: {tag: v1}")).complete("a");
    rig.submit({ type: "rewind", eventId: 1, isConsumed: false });
    expect(inputsOf(rig, "a")).toEqual(["- args.tag command", "- args.tag command"]);
  });
});

describe("node.provenance of lens nodes", () => {
  const reads = (id: string, template: string, config: JsonObject = {}) => ({
    id,
    config: { template_body: template, ...config },
  });
  const graph = (nodes: object[], edges: object[], root_inputs: JsonObject): string =>
    JSON.stringify({ format: "lens-graph/v1", name: "g", nodes, edges, root_inputs });
  const edge = (source: string, target: string, label: string) => ({
    id: `${source}-${target}`,
    source_node_id: source,
    target_node_id: target,
    target_param_label: label,
  });
  const ROOT = { y: { default: 1 }, z: { default: 2 } };

  it("leaves out whatever did not win", () => {
    const nodes = [
      reads("a", "A"),
      reads("b", "B"),
      reads("c", "[[x]] [[y]] [[z]]", { param_overrides: { y: "[[a.output]]" } }),
    ];
    const rig = runOf(graph(nodes, [edge("a", "c", "x"), edge("b", "c", "x")], ROOT))
      .complete("a")
      .complete("b");
    expect(inputsOf(rig, "c")).toEqual(["a output y", "- args.z z", "b output x last_write_wins"]);
  });

  it("names what is handed to a child run, but for the constants of `with`", () => {
    const nodes = [reads("a", "A"), { id: "kid", config: { workflow_ref: "audit", with: { y: 7 } } }];
    const rig = runOf(graph(nodes, [edge("a", "kid", "x")], ROOT)).complete("a");
    expect(inputsOf(rig, "kid")).toEqual(["- args.z with.z", "a output with.x"]);
  });
});

describe("the counts of a run's hand-offs", () => {
  let scene: Scene;

  beforeEach(async () => {
    scene = await Scene.open("default: echo\nnodes:\n  bad: { fail: provider_auth }\n");
  });

  afterEach(async () => {
    await scene.close();
  });

  const countsOf = async (runId: string) => {
    const { data } = await scene.get(`runs/${runId}/provenance`);
    const { upstreamCount, downstreamCount } = await scene.get(`runs/${runId}/state`);
    const within = data.filter((row: { sourceRunId: string }) => row.sourceRunId === runId).length;
    return { rows: data.length, within, upstreamCount, downstreamCount };
  };

  it("count rows: one within the run is both, and what was not used yet is none", async () => {
    await scene.save(
      workflow(
        [
          "a {command: 'do ${tag}'}",
          "b {command: 'use ${a.stdout} ${tag}'}",
          "gate < b {approval: required}",
          "c < gate {command: 'use ${a.stdout}'}",
        ],
        "args: {tag: v1}",
      ),
    );
    const runId = await scene.run("w");
    expect(await countsOf(runId)).toEqual({ rows: 3, within: 3, upstreamCount: 3, downstreamCount: 3 });
    await scene.answer(runId, "approve");
    expect(await countsOf(runId)).toEqual({ rows: 4, within: 4, upstreamCount: 4, downstreamCount: 4 });
    await scene.post(`runs/${runId}/rewind`, { eventId: 3 });
    await scene.api.settle(runId);
    expect(await countsOf(runId)).toMatchObject({ rows: 4, upstreamCount: 4, downstreamCount: 4 });
  });

  it("count what lists collect, what child runs are handed and give back, and what a restart keeps", async () => {
    await scene.save("name: kid\nargs: { x: '' }\nsteps:\n  - { id: leaf, command: 'echo ${x}' }\n");
    await scene.save(
      workflow(
        [
          "each {for_each: list, command: 'do ${item}'}",
          "down < each {workflow_ref: kid, with: {x: '${tag} ${each.outputs.count}'}}",
          "bad < down",
        ],
        "args: {list: [1, 2], tag: v1}",
      ),
    );
    const runId = await scene.run("w");
    const parent = await countsOf(runId);
    expect(parent.upstreamCount).toBe(parent.rows);
    expect(parent.downstreamCount).toBe(parent.within + 2);
    const [child] = (await scene.get(`runs?parent=${runId}`)).data;
    expect(await countsOf(child.id)).toEqual({ rows: 3, within: 1, upstreamCount: 3, downstreamCount: 1 });
    const { body } = await scene.post(`runs/${runId}/restart`);
    await scene.api.settle(body.id);
    const again = await countsOf(body.id);
    expect(again.rows).toBeGreaterThan(0);
    expect(again.upstreamCount).toBe(again.rows);
  });
});

import { describe, expect, it } from "vitest";
import { checkSource } from "../../src/core/plan/index.ts";
import { EMPTY_CATALOG } from "../../src/core/definition/index.ts";
import { type Rig, runOf } from "./rig.ts";

const graph = (nodes: readonly string[], edges: readonly string[] = [], more = ""): string =>
  `format: lens-graph/v1
name: g
root_inputs: { "Open Words": { type: array, default: [tea, salt] }, n: 4 }
nodes:
${nodes.map((node) => `  - ${node}`).join("\n")}
edges: [${edges.join(", ")}]
${more}`;

const edge = (source: string, target: string, key: string, label: string): string =>
  `{ id: ${source}-${target}, source_node_id: ${source}, target_node_id: ${target}, source_output_key: ${key}, target_param_label: ${label} }`;

const ended = (rig: Rig): readonly unknown[] => [rig.state.status, rig.state.errorCode];
const problems = (source: string): readonly string[] =>
  checkSource(source, EMPTY_CATALOG).problems.map(({ code, path }) => `${code} ${path}`);

describe("a lens node that works as a step does", () => {
  it("calculates from its labels, in the commit that made it ready, and hands on by edges", () => {
    const rig = runOf(
      graph(
        [
          '{ id: a, config: { set: { v: { expr: "n + 1" }, w: "${open_words[0]}!" } } }',
          "{ id: b, config: { template_body: '[[v]]' } }",
        ],
        [edge("a", "b", "v", "v")],
      ),
    );
    expect(rig.outputs("a")).toEqual({ v: 5, w: "tea!" });
    expect(rig.dispatch("b").request.message).toBe("5");
    expect(rig.state.nodes).toEqual(rig.replayed().nodes);
  });

  it("names the nodes its values came from", () => {
    const rig = runOf(
      graph(
        ["{ id: a, config: { set: { v: 1 } } }", '{ id: b, config: { set: { x: "${v}" } } }'],
        [edge("a", "b", "v", "v")],
      ),
    );
    expect(rig.of("node.provenance", "b")).toContainEqual(
      expect.objectContaining({ sourceNodeId: "a", sourceOutputPath: "v", targetInputPath: "v" }),
    );
  });

  it("sends a script its code and its labels", () => {
    const rig = runOf(graph(['{ id: a, config: { script: "return { m: inputs.n * 2 }" } }']));
    expect(rig.dispatch("a").request).toMatchObject({ message: "return { m: inputs.n * 2 }", inputs: { n: 4 } });
    rig.complete("a", { outputs: { m: 8 } });
    expect(rig.outputs("a")).toEqual({ m: 8 });
  });

  it("waits for a moment and for an event, and emits one", () => {
    const rig = runOf(
      graph([
        "{ id: a, config: { wait: 5m } }",
        '{ id: b, config: { wait: { event: paid, match: { order: "${n}" } } } }',
        '{ id: c, config: { emit: { type: paid, key: { order: "${n}" } } } }',
      ]),
    );
    expect([rig.status("a"), rig.node("a").now]).toMatchObject(["blocked", { waitingReason: "timer" }]);
    expect([rig.status("b"), rig.node("b").now]).toMatchObject(["blocked", { waitingReason: "event" }]);
    expect(rig.outputs("c")).toMatchObject({ type: "paid" });
    rig.submit({
      type: "event",
      nodeId: "b",
      epoch: 0,
      event: { id: "1", type: "paid", key: { order: 4 }, data: { sum: 9 } },
    });
    expect(rig.outputs("b")).toEqual({ sum: 9 });
  });

  it("ends the run", () => {
    expect(ended(runOf(graph(["{ id: a, config: { cancel: enough } }"])))).toEqual(["cancelled", null]);
    expect(ended(runOf(graph(["{ id: a, config: { fail: { code: mine, message: no } } }"])))).toEqual([
      "failed",
      "mine",
    ]);
  });

  it("fails with what its values lack", () => {
    const rig = runOf(graph(['{ id: a, config: { set: { v: "${open_words.x}" } } }']));
    expect([rig.status("a"), rig.error("a")]).toEqual(["failed", "unbound_reference"]);
  });
});

describe("a lens node with for_each", () => {
  it("asks once per element, which its template sees, and hands on the list", () => {
    const rig = runOf(
      graph(
        [
          "{ id: say, config: { for_each: open_words, as: word, template_body: '[[index]] [[word]]' } }",
          "{ id: all, config: { template_body: '[[said]]' } }",
        ],
        [edge("say", "all", "count", "said")],
      ),
    );
    expect(["say[0]", "say[1]"].map((id) => rig.dispatch(id).request.message)).toEqual(["0 tea", "1 salt"]);
    rig.complete("say[0]").complete("say[1]");
    expect(rig.dispatch("all").request.message).toBe("2");
  });

  it("calculates and runs steps once per element", () => {
    const rig = runOf(
      graph([
        '{ id: a, config: { for_each: "filter(open_words, x => x != \'tea\')", set: { z: "${item}${index}" } } }',
      ]),
    );
    expect(rig.outputs("a")).toMatchObject({ items: [{ z: "salt0" }], count: 1, failed: 0 });
    const block = runOf(graph(['{ id: a, config: { for_each: open_words, steps: [{ id: q, command: "${item}" }] } }']));
    expect(block.effects.flatMap((effect) => (effect.type === "start-child" ? [effect.args] : []))).toEqual([
      { item: "tea" },
      { item: "salt" },
    ]);
  });

  it("tolerates as many failures as it says", () => {
    const rig = runOf(graph(["{ id: a, config: { for_each: open_words, tolerate: 1, template_body: '[[item]]' } }"]));
    rig.fail("a[0]", "provider_auth").complete("a[1]");
    expect([rig.status("a"), rig.outputs("a")]).toMatchObject(["completed", { count: 2, failed: 1 }]);
  });
});

describe("a lens graph as a whole", () => {
  const nodes = ["{ id: a, config: { set: { v: 1 } } }", "{ id: b, config: { template_body: x } }"];

  it("gives the outputs it names; a node that did not complete gives null", () => {
    const more = 'outputs: { v: "${a.v}", text: "${b.output}", words: "${open_words}" }';
    const done = runOf(graph(nodes, [], more)).complete("b", { stdout: "said" });
    expect(done.of("run.completed")).toMatchObject([{ outputs: { v: 1, text: "said", words: ["tea", "salt"] } }]);
    const failed = runOf(
      graph([...nodes, "{ id: c, config: { template_body: y } }"], [edge("b", "c", "output", "x")], more),
    );
    failed.fail("b", "provider_auth");
    expect([failed.status("c"), failed.of("run.completed")]).toMatchObject([
      "skipped",
      [{ outputs: { v: 1, text: null } }],
    ]);
  });

  it("says what is wrong, where it is written", () => {
    const source = graph(
      [
        "{ id: a, config: { wait: soon } }",
        '{ id: b, config: { set: { x: "${nothing}" }, template_body: x } }',
        "{ id: c, config: { for_each: n2, repeat: { until: 'true' }, template_body: x } }",
        "{ id: d, config: { set: { x: 1 }, emit: { type: y } } }",
        "{ id: e, config: { tolerate: 2, template_body: x } }",
      ],
      [],
      'outputs: { v: "${z.v}" }\nconcurrency: { key: a.v }',
    );
    expect(problems(source)).toEqual([
      "bad_wait nodes[0].config.wait",
      "conflicting_fields nodes[1].config.set",
      "unknown_step nodes[1].config.set.x",
      "conflicting_fields nodes[2].config.for_each",
      "unknown_step nodes[2].config.for_each",
      "conflicting_fields nodes[3].config.emit",
      "conflicting_fields nodes[4].config.tolerate",
      "unknown_step outputs.v",
      "bad_concurrency concurrency.key",
    ]);
  });
});

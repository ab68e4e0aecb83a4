import { describe, expect, it } from "vitest";
import { runOf } from "./rig.ts";

const edge = (id: string, source: string, target: string, more = ""): string =>
  `  - { id: ${id}, source_node_id: ${source}, target_node_id: ${target}${more} }`;
const graph = (nodes: readonly string[], edges: readonly string[]): string =>
  `format: lens-graph/v1\nname: g\nnodes:\n${nodes.map((node) => `  - ${node}`).join("\n")}\nedges:\n${edges.join("\n")}\n`;

const PAY = "{ id: pay, config: { template_body: Pay } }";
const REFUND = '{ id: refund, config: { template_body: "[[why]] [[code]]" } }';
const SHIP = '{ id: ship, config: { template_body: "Ship [[paid]]" } }';

describe("edges of a lens graph by outcome", () => {
  const handled = graph(
    [PAY, REFUND, SHIP],
    [
      edge("e1", "pay", "refund", ", target_param_label: why, on: failure"),
      edge("e2", "pay", "refund", ", target_param_label: code, source_output_key: error.code, on: failure"),
      edge("e3", "pay", "ship", ", target_param_label: paid"),
    ],
  );

  it("run a handler with the failure, and only then", () => {
    const failed = runOf(handled);
    failed.fail("pay", "provider_auth");
    expect(failed.dispatch("refund").request.message).toMatch(/ provider_auth$/);
    failed.complete("refund");
    expect(failed.of("node.handled", "pay")).toMatchObject([{ by: "refund" }]);
    expect([failed.status("ship"), failed.state.status]).toEqual(["skipped", "completed"]);
    expect(failed.state.nodes).toEqual(failed.replayed().nodes);
    const paid = runOf(handled);
    paid.complete("pay").complete("ship");
    expect([paid.of("node.skipped", "refund")[0]?.reason, paid.state.status]).toEqual(["no_failure", "completed"]);
  });

  it("run a node that waits for either end, with what there is", () => {
    const settled = graph(
      [PAY, '{ id: note, config: { template_body: "Note [[what]]" } }'],
      [edge("e1", "pay", "note", ", target_param_label: what, on: settled")],
    );
    const failed = runOf(settled);
    failed.fail("pay", "provider_auth");
    const paid = runOf(settled);
    paid.complete("pay");
    expect(paid.dispatch("note").request.message).toBe("Note pay done");
    expect(failed.dispatch("note").request.message).toMatch(/^Note \S/);
  });
});

describe("a lens node with repeat", () => {
  const repeated = graph(
    [
      '{ id: draft, config: { template_body: "[[round]]: [[previous!]]", repeat: { until: "round >= 2 or output == \'good\'", max: 3 } } }',
      '{ id: send, config: { template_body: "Send [[text]]" } }',
    ],
    [edge("e1", "draft", "send", ", target_param_label: text")],
  );

  it("runs in rounds that see the one before, and hands on the last", () => {
    const rig = runOf(repeated);
    expect(rig.dispatch("draft[0]").request.message).toBe("0: ");
    rig.complete("draft[0]");
    expect(rig.dispatch("draft[1]").request.message).toBe("1: draft[0] done");
    rig.complete("draft[1]").complete("draft[2]");
    expect(rig.of("node.completed", "draft")[0]?.outputs).toMatchObject({ rounds: 3 });
    expect(rig.dispatch("send").request.message).toBe("Send draft[2] done");
    expect(rig.state.nodes).toEqual(rig.replayed().nodes);
  });
});

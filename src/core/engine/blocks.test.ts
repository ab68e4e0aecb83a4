import { describe, expect, it } from "vitest";
import { endChild, newestChild } from "../../../test/conformance/child-runs.ts";
import { Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import { childCallOf, eventStanding, eventsTakenByBlock } from "./index.ts";

describe("a node with a block", () => {
  const BLOCK = "b {steps: [{id: c, command: '${a.x} ${mode} ${run.id}'}]}";

  it("starts it with the names it uses, and says whose it is", () => {
    const rig = runOf(workflow(["a {set: {x: 1, y: 2}}", BLOCK], "args: {mode: m, other: o}"));
    const wanted = newestChild(rig);
    expect(wanted).toMatchObject({
      block: "b",
      workflow: { name: "w", version: null },
      args: { a: { x: 1, y: 2 }, mode: "m", "run.id": "run_1" },
      owner: { runId: "run_1", args: { mode: "m", other: "o" }, depth: 0 },
      recursionDepth: 1,
    });
    const { nodeId, attempt, childRunId } = wanted;
    expect(childCallOf(rig.state, { kind: "child", nodeId, attempt, childRunId })).toEqual(wanted);
    endChild(rig, "completed", { outputs: { c: { text: "t" } } });
    expect(rig.of("node.completed", "b")).toMatchObject([{ outputs: { c: { text: "t" } } }]);
  });

  it("fills a place of its run, unless the judge counts the nodes of the block in its place", () => {
    const blocks = workflow(
      ["a {steps: [{id: c, command: C}]}", "b {steps: [{id: c, command: C}]}"],
      "max_parallel: 1",
    );
    expect(runOf(blocks).status("b")).toBe("queued");
    expect(runOf(blocks, { countsBlocks: true }).status("b")).toBe("running");
  });

  it("is continued by a recover, and begun anew by a retry", () => {
    const rig = runOf(workflow(["b {steps: [{id: c, command: C}], on_failure: retry_once}"]));
    const first = newestChild(rig).childRunId;
    endChild(rig, "failed");
    expect(newestChild(rig)).not.toHaveProperty("sourceRunId");
    const second = newestChild(rig).childRunId;
    expect(second).not.toBe(first);
    endChild(rig, "failed");
    expect(rig.state.status).toBe("failed");
    rig.submit({ type: "recover" });
    expect(newestChild(rig).sourceRunId).toBe(second);
  });

  it("is continued from another run, and begun anew when that fails", () => {
    const carried = [{ nodeId: "b", status: "open", runId: "run_0", block: "b" }] as const;
    const rig = new Rig(workflow(["b {steps: [{id: c, command: C}], on_failure: retry_once}"])).start({ carried });
    expect(rig.of("run.started")[0]?.blocks).toEqual({ b: { runId: "run_0", block: "b" } });
    expect(newestChild(rig).sourceRunId).toBe("run_0");
    endChild(rig, "failed");
    expect(newestChild(rig)).toMatchObject({ attempt: 2 });
    expect(newestChild(rig)).not.toHaveProperty("sourceRunId");
    expect(runOf(workflow(["b {steps: [{id: c, command: C}]}"])).of("run.started")[0]).not.toHaveProperty("blocks");
  });

  it("is given the mark of a failure that was passed over, and nothing of what did not run or was not waited for", () => {
    const block = "steps: [{id: c, command: '${a.x}'}]";
    const args = (rig: Rig) => newestChild(rig).args;
    const passed = runOf(workflow(["a {on_failure: skip}", "z", `b < a z {${block}}`])).complete("z");
    passed.fail("a", "provider_auth");
    expect(args(passed)).toEqual({ a: { _skipped: true } });
    const chosen = runOf(workflow(["a {condition: 'false'}", "z", `b < z {${block}}`])).complete("z");
    expect(args(chosen)).toEqual({});
    const joined = runOf(workflow(["a {on_failure: skip}", "z", `b < a z {join: any, ${block}}`])).complete("z");
    expect(args(joined)).toEqual({});
  });

  it("says where what it is given came from", () => {
    const rig = runOf(workflow(["a {set: {x: 1}}", BLOCK], "args: {mode: m}"));
    expect(
      rig
        .of("node.provenance", "b")
        .map(({ sourceOutputPath, targetInputPath }) => [sourceOutputPath, targetInputPath]),
    ).toEqual([
      ["outputs", "with.a"],
      ["args.mode", "with.mode"],
    ]);
  });

  it("says to each round what the steps of the rounds before have taken, and to each attempt", () => {
    const rig = runOf(
      workflow([
        "b {steps: [{id: c, wait: {event: e}}, {id: d, command: D}], repeat: {until: 'round == 2'}, on_failure: retry_once}",
      ]),
    );
    expect(newestChild(rig)).not.toHaveProperty("taken");
    endChild(rig, "completed", { taken: ["c e1"] });
    expect(newestChild(rig)).toMatchObject({ nodeId: "b[1]", taken: ["c e1"] });
    endChild(rig, "failed", { taken: ["c e2"] });
    expect(newestChild(rig)).toMatchObject({ nodeId: "b[1]", attempt: 2, taken: ["c e1", "c e2"] });
    expect(rig.replayed().nodes).toEqual(rig.state.nodes);
  });

  it("keeps what was taken further inside apart", () => {
    const source = `name: w
steps:
  - { id: b, repeat: { until: round == 2 }, steps: [{ id: c, wait: { event: e } }] }
  - { id: w, wait: { event: e } }
`;
    const rig = new Rig(source).start({ block: "outer", recursionDepth: 1, taken: ["b/c e0", "w e9"] });
    expect(newestChild(rig)).toMatchObject({ taken: ["c e0"] });
    endChild(rig, "completed", { taken: ["c e1"] });
    expect(eventsTakenByBlock(rig.state)).toEqual(["b/c e1"]);
    const event = { id: "e9", type: "e", key: {}, data: {} };
    expect(eventStanding(rig.state, { type: "event", nodeId: "w", epoch: 0, event })).toBe("taken");
  });

  it("ends the run as a step inside says", () => {
    const rig = runOf(workflow(["b {steps: [{id: c, cancel: x}]}", "z {command: Z, depends_on: [b]}"]));
    endChild(rig, "cancelled", { ends: { as: "cancelled", reason: "x", errorCode: null } });
    expect(rig.state.status).toBe("cancelled");
    expect(rig.of("run.cancelled")).toMatchObject([{ reason: "x" }]);
    expect(rig.of("run.ending")[0]).not.toHaveProperty("isOfOwner");
  });

  it("passes that on where it stands in a block itself", () => {
    const rig = new Rig(workflow(["b {steps: [{id: c, cancel: x}]}"])).start({ block: "outer", recursionDepth: 1 });
    endChild(rig, "failed", { ends: { as: "failed", reason: "none left", errorCode: "no_stock" } });
    expect(rig.state).toMatchObject({ status: "failed", errorCode: "no_stock" });
    expect(rig.state.endsOwner).toEqual({ as: "failed", reason: "none left", errorCode: "no_stock" });
    expect(rig.of("run.failed")).toMatchObject([{ block: "outer" }]);
  });
});

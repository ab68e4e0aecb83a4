import { describe, expect, it } from "vitest";
import { runOf, workflow } from "../../../test/conformance/rig.ts";
import { NO_TOKENS } from "./index.ts";

const TOKENS = { inputTokens: 1, outputTokens: 20, thinkingTokens: 300, cachedTokens: 4_000 };

describe("cost is recorded once per report, whatever becomes of the output", () => {
  it("counts what a gateway reports that was taken for unreachable, once", () => {
    const rig = runOf(workflow(["a"])).fail("a", "gateway_unreachable");
    expect(rig.error("a")).toBe("gateway_unreachable");
    rig.complete("a", { costMicros: 700 });
    rig.complete("a", { costMicros: 700 });
    expect(rig.of("cost.recorded")).toEqual([expect.objectContaining({ attempt: 1, costMicros: 700, late: true })]);
    expect(rig.state).toMatchObject({ status: "failed", costMicros: 700 });
  });

  it("counts it for the attempt that cost it, while the next one runs", () => {
    const rig = runOf(workflow(["a {on_failure: retry_once}"])).fail("a", "gateway_unreachable");
    rig.callback("a", { status: "completed", stdout: "late", tokens: TOKENS, costMicros: 5 }, 1);
    expect(rig.status("a")).toBe("running");
    rig.complete("a", { stdout: "in time", costMicros: 2 });
    expect(rig.of("cost.recorded")).toMatchObject([
      { attempt: 1, costMicros: 5, late: true },
      { attempt: 2, costMicros: 2 },
    ]);
    expect(rig.of("cost.recorded")[1]?.late).toBeUndefined();
    expect(rig.node("a").costMicros).toBe(7);
    expect(rig.state.costMicros).toBe(7);
  });

  it("takes nothing more from an attempt that has reported a failure, even a free one", () => {
    const rig = runOf(workflow(["a"])).fail("a", "provider_auth");
    rig.complete("a", { costMicros: 700 });
    expect(rig.state.costMicros).toBe(0);
  });

  it("takes nothing more from an attempt that has completed, even for free", () => {
    const rig = runOf(workflow(["a", "b"])).complete("a");
    rig.complete("a", { costMicros: 700 });
    expect(rig.state.costMicros).toBe(0);
    expect(rig.of("cost.recorded")).toEqual([]);
  });

  it("adds up tokens of every kind for the node and the run", () => {
    const rig = runOf(workflow(["a", "b"]));
    rig.callback("a", { status: "completed", stdout: "", tokens: TOKENS, costMicros: 0, model: "m" });
    rig.callback("b", { status: "failed", tokens: TOKENS, costMicros: 3, model: null });
    expect(rig.of("cost.recorded")).toMatchObject([
      { nodeId: "a", tokens: TOKENS, costMicros: 0, model: "m" },
      { nodeId: "b", tokens: TOKENS, costMicros: 3, model: null },
    ]);
    expect(rig.node("a").tokens).toEqual(TOKENS);
    const both = { inputTokens: 2, outputTokens: 40, thinkingTokens: 600, cachedTokens: 8_000 };
    expect(rig.state).toMatchObject({ tokens: both, costMicros: 3 });
    expect(rig.of("run.failed")[0]?.costMicros).toBe(3);
  });

  it.each(["inputTokens", "outputTokens", "thinkingTokens", "cachedTokens"] as const)(
    "records a report whose only cost is %s",
    (kind) => {
      const rig = runOf(workflow(["a"]));
      const tokens = { ...NO_TOKENS, [kind]: 9 };
      rig.callback("a", { status: "completed", stdout: "", tokens, costMicros: 0 });
      expect(rig.of("cost.recorded")).toMatchObject([{ tokens }]);
      expect(rig.of("cost.recorded")[0]).not.toHaveProperty("model");
      expect(rig.of("cost.recorded")[0]).not.toHaveProperty("extraCalls");
      expect(rig.of("cost.recorded")[0]).not.toHaveProperty("childRunId");
    },
  );

  it.each(["inputTokens", "outputTokens", "thinkingTokens", "cachedTokens"] as const)(
    "records money and as many %s",
    (kind) => {
      const rig = runOf(workflow(["a"]));
      rig.callback("a", { status: "completed", stdout: "", tokens: { ...NO_TOKENS, [kind]: 5 }, costMicros: 5 });
      expect(rig.of("cost.recorded")).toMatchObject([{ costMicros: 5 }]);
    },
  );

  it("counts the calls a contract was asked again with, though they were free", () => {
    const rig = runOf(workflow(["a {on_failure: retry_once}"]));
    rig.callback("a", { status: "completed", stdout: "", tokens: NO_TOKENS, costMicros: 0, extraCalls: 2 });
    expect(rig.of("cost.recorded")).toMatchObject([{ extraCalls: 2 }]);
    expect(rig.node("a").calls).toBe(3);
  });

  it("says what an answer cost in node.completed", () => {
    const rig = runOf(workflow(["a"]));
    rig.now += 250;
    rig.callback("a", { status: "completed", stdout: "", tokens: TOKENS, costMicros: 8 });
    expect(rig.of("node.completed")[0]).toMatchObject({
      attempt: 1,
      durationMs: 250,
      inputTokens: 1,
      outputTokens: 20,
      costMicros: 8,
    });
  });
});

import { describe, expect, it } from "vitest";
import { runOf, workflow } from "../../../test/conformance/rig.ts";
import type { JsonObject } from "../base/index.ts";

const answered = (more: string, outputs: JsonObject, stdout = "said", head = "") =>
  runOf(workflow([`a {${more}}`], head)).complete("a", { outputs, stdout });

describe("an answer", () => {
  it("that breaks its contract fails with every field and what is wrong with it", () => {
    const rig = answered("outputs: {n: integer, t: string}", {});
    expect(rig.of("node.failed", "a")).toMatchObject([
      {
        errorCode: "output_contract_violation",
        errorMessage: "the answer of a breaks its contract: n missing_required, t missing_required",
      },
    ]);
  });

  it("that breaks its contract may be given again where the policy tries again", () => {
    const rig = answered("outputs: {n: integer}, on_failure: retry_once", {});
    expect(rig.of("node.retried", "a")).toMatchObject([
      { cause: "contract_violated", errorCode: "output_contract_violation" },
    ]);
    expect(rig.complete("a", { outputs: { n: 1 } }).outputs("a")).toEqual({ n: 1 });
  });

  it("that does not meet a criterion fails with the first that it does not", () => {
    const criteria = "success_criteria: ['outputs.n > 0', 'outputs.n > 5', 'outputs.n > 9']";
    const rig = answered(`outputs: {n: integer}, ${criteria}`, { n: 3 });
    expect(rig.of("node.failed", "a")).toMatchObject([
      { errorCode: "criteria_failed", errorMessage: "not met: outputs.n > 5" },
    ]);
    expect(answered(`outputs: {n: integer}, ${criteria}`, { n: 10 }).status("a")).toBe("completed");
  });

  it("fails where a criterion cannot be decided, and is not tried again for that", () => {
    const rig = answered("success_criteria: ['outputs.n > 5'], on_failure: retry_once", { n: "text" });
    expect(rig.of("node.failed", "a")).toMatchObject([
      { errorCode: "expression_error", errorMessage: expect.stringMatching(/^success_criteria: /u) },
    ]);
    expect(rig.of("node.retried")).toEqual([]);
  });

  it("is judged by its text as well, and by what the step was given", () => {
    const said = "success_criteria: ['contains(outputs.stdout, who)']";
    expect(answered(said, {}, "for ann", "args: {who: ann}").status("a")).toBe("completed");
    expect(answered(said, {}, "for bob", "args: {who: ann}").error("a")).toBe("criteria_failed");
  });

  it("does not replace an input, unless the step declares it as an output", () => {
    const inputs = "inputs: {m: POST, k: {type: string, required: false}}";
    expect(answered(inputs, { m: "GET", x: 1, k: "own" }).outputs("a")).toEqual({ m: "POST", x: 1, k: "own" });
    expect(answered(`${inputs}, outputs: {m: string}`, { m: "GET" }).outputs("a")).toEqual({ m: "GET" });
  });

  it("costs what its report says, in the last event as in the run", () => {
    const rig = runOf(workflow(["a"]));
    const tokens = { inputTokens: 3, outputTokens: 4, thinkingTokens: 5, cachedTokens: 6 };
    rig.callback("a", { status: "completed", tokens, costMicros: 7, stdout: "x" });
    expect(rig.of("node.completed", "a")).toMatchObject([{ costMicros: 7, inputTokens: 3, outputTokens: 4 }]);
    expect(rig.state).toMatchObject({ costMicros: 7, tokens });
  });
});

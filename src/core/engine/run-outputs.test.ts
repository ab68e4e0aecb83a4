import { describe, expect, it } from "vitest";
import { runOf, workflow } from "../../../test/conformance/rig.ts";
import { LIMITS } from "../base/index.ts";
import { outputsOfRun, shownOutputs } from "./index.ts";

describe("what a run has to show that names no outputs", () => {
  const rig = runOf(
    workflow(["a", "b < a {outputs: {n: integer}}", "c < a", "d {condition: 'false'}", "e {on_failure: skip}", "f"]),
  )
    .complete("a", { stdout: "of a" })
    .complete("b", { outputs: { n: 1 }, stdout: "of b" })
    .complete("c", { stdout: "of c" })
    .fail("e", "provider_auth");

  it("are the outputs of what completed and nothing else follows, and for people the text where there are none", () => {
    expect(outputsOfRun(rig.state)).toEqual({ b: { n: 1 }, c: {} });
    expect(shownOutputs(rig.state)).toEqual({ b: { n: 1 }, c: { stdout: "of c" } });
    rig.complete("f", { stdout: "" });
    expect(shownOutputs(rig.state)).toEqual({ b: { n: 1 }, c: { stdout: "of c" }, f: { stdout: "" } });
  });
});

describe("the outputs a run names", () => {
  const named = (fields: string, outputs = { t: "word" }) =>
    runOf(workflow(["a"], `outputs: {${fields}}`)).complete("a", { outputs });
  const why = (fields: string, outputs?: { t: string }) => named(fields, outputs).of("run.failed")[0];

  it("are what it has to show, and are shown as they are", () => {
    const { state } = named("x: '${a.t}', y: '${a.stdout}'");
    expect([outputsOfRun(state), shownOutputs(state)]).toEqual([
      { x: "word", y: "a done" },
      { x: "word", y: "a done" },
    ]);
  });

  it("fail the run with the field and what is wrong with it", () => {
    expect(why("n: {value: '${a.t}', type: number}")).toMatchObject({
      errorCode: "outputs_error",
      reason: expect.stringMatching(/^outputs\.n: type_mismatch, .*word/u),
    });
    expect(why("n: {value: '${a.t}', enum: [x]}")?.reason).toMatch(/^outputs\.n: enum_mismatch/u);
  });

  it("may have so many bytes", () => {
    const most = LIMITS.expressionResultBytesMax;
    // `{"x":""}`
    expect(named("x: '${a.t}'", { t: "x".repeat(most - 8) }).state.status).toBe("completed");
    expect(why("x: '${a.t}'", { t: "x".repeat(most - 7) })).toMatchObject({
      errorCode: "outputs_error",
      reason: `the outputs take ${most + 1} bytes, the limit is ${most}`,
    });
  });
});

import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/base/index.ts";
import { type Catalog, parseLens } from "../../src/core/definition/index.ts";
import { runOf, workflow } from "./rig.ts";

describe("outputs of a step", () => {
  const answer = (fields: string, outputs: JsonObject, more = "") =>
    runOf(workflow([`a {outputs: {${fields}}${more}}`])).complete("a", { outputs });

  it("coerces towards the declared type", () => {
    const rig = answer("n: integer, ok: boolean, list: array, text: string", {
      n: "42",
      ok: { passed: true },
      list: "one",
      text: { a: 1 },
    });
    expect(rig.outputs("a")).toEqual({ n: 42, ok: true, list: ["one"], text: '{"a":1}' });
  });

  it("takes an enum member with prose after it, and keeps the raw text beside it", () => {
    const rig = answer("s: {type: string, enum: [COMPLETE, APPROVED]}", { s: "COMPLETE -- all good" });
    expect(rig.outputs("a")).toEqual({ s: "COMPLETE" });
    expect(rig.of("node.completed")[0]?.envelope.metadata).toEqual({ raw: { s: "COMPLETE -- all good" } });
    expect(answer("s: {type: string, enum: [APPROVED]}", { s: "APPROVED_FALSE" }).error("a")).toBe(
      "output_contract_violation",
    );
  });

  it("takes a list as the whole answer for the only output that is an array", () => {
    const list = (fields: string, stdout: string) =>
      runOf(workflow([`a {outputs: {${fields}}}`])).complete("a", { stdout });
    expect(list("found: array", '[{"n": 1}, 2]').outputs("a")).toEqual({ found: [{ n: 1 }, 2] });
    expect(
      list("found: {type: array, items: {type: string}}, why: {type: string, required: false}", '["x"]').outputs("a"),
    ).toEqual({
      found: ["x"],
    });
    expect(list("found: {type: array, items: {type: string}}", "[1]").error("a")).toBe("output_contract_violation");
    expect(list("a: array, b: array", "[1]").error("a")).toBe("output_contract_violation");
    expect(list("a: string", "[1]").error("a")).toBe("output_contract_violation");
  });

  it("renders an optional input that is unset as nothing", () => {
    const rig = runOf(
      workflow([
        "a {outputs: {note: {type: string, required: false}}}",
        "b {inputs: {note: {from: a.outputs.note, required: false}, tone: {type: string, required: false}}, command: '<${note}> <${tone}>', stdin: '${tone}'}",
      ]),
    ).complete("a", { outputs: {} });
    expect(rig.dispatch("b").request).toMatchObject({ message: "<> <>", stdin: "", inputs: {} });
  });

  it("still fails over an input that must be there", () => {
    const rig = runOf(
      workflow([
        "a {outputs: {note: {type: string, required: false}}}",
        "b {inputs: {note: a.outputs.note}, command: '${note}'}",
      ]),
    ).complete("a", { outputs: {} });
    expect(rig.error("b")).toBe("unbound_reference");
  });

  it("fails a missing field with its name", () => {
    const rig = answer("n: integer", {});
    expect(rig.of("contract.violated")[0]).toMatchObject({
      phase: "output",
      errors: [{ field: "n", reason: "missing_required" }],
    });
    expect(rig.error("a")).toBe("output_contract_violation");
  });

  it("treats a failed criterion as any other failure", () => {
    const criteria = `, success_criteria: ["outputs.n >= 3"], on_failure: retry_once`;
    const rig = answer("n: integer", { n: 1 }, criteria);
    expect(rig.of("node.retried")[0]).toMatchObject({ cause: "contract_violated", errorCode: "criteria_failed" });
    rig.complete("a", { outputs: { n: 3 } });
    expect(rig.state.status).toBe("completed");
  });

  it("keeps the upstream value of an input that is not an output", () => {
    const rig = runOf(
      workflow(["a {outputs: {kind: string}}", "b {inputs: {kind: a.outputs.kind}, outputs: {score: integer}}"]),
    );
    rig.complete("a", { outputs: { kind: "saas" } }).complete("b", { outputs: { kind: "changed", score: 3 } });
    expect(rig.outputs("b")).toEqual({ kind: "saas", score: 3 });
  });

  it("sees args, then the declared outputs of its ancestors, later ones winning", () => {
    const rig = runOf(
      workflow(
        [
          "a {outputs: {x: string}}",
          "b < a {outputs: {x: string}}",
          "c < b {command: 'see ${x}'}",
          "d {command: 'see ${x}'}",
        ],
        "args: {x: from_args}",
      ),
    );
    expect(rig.dispatch("d").request.message).toBe("see from_args");
    rig.complete("a", { outputs: { x: "A" } }).complete("b", { outputs: { x: "B" } });
    expect(rig.dispatch("c").request.message).toBe("see B");
  });

  it("fails a reference nothing has, and renders what only skipped nodes feed as '' with a warning", () => {
    const unbound = runOf(workflow(["a", "b {command: 'see ${a.outputs.nope}'}"])).complete("a");
    expect(unbound.error("b")).toBe("unbound_reference");
    const skipped = runOf(workflow([`a {condition: "1 == 2"}`, "z", "b < z {command: 'see <${a.stdout}>'}"])).complete(
      "z",
    );
    expect(skipped.dispatch("b").request.message).toBe("see <>");
    expect(skipped.of("node.log", "b")[0]).toMatchObject({ level: "warning" });
  });

  it("fails $step.json of a text that is not JSON", () => {
    const rig = runOf(workflow(["a", 'b {stdin: "$a.json"}'])).complete("a", { stdout: "plain" });
    expect(rig.error("b")).toBe("stdin_not_json");
  });

  it("counts bytes, not characters, of what a node is given", () => {
    const rig = runOf(workflow(["a {command: 'x ${text}'}"], "args: {text: {type: string}}"), {
      args: { text: "é".repeat(270_000) },
    });
    expect(rig.error("a")).toBe("context_too_large");
    expect(rig.dispatches).toHaveLength(0);
  });

  it("fails the step, and applies on_failure, when a condition cannot be evaluated", () => {
    const line = `b < a {condition: "a.outputs.n > 'text'", on_failure: skip}`;
    const rig = runOf(workflow(["a", line])).complete("a", { outputs: { n: {} } });
    expect(rig.of("node.skipped", "b")[0]).toMatchObject({ reason: "on_failure", errorCode: "expression_error" });
  });
});

describe("contracts of a lens", () => {
  const catalog = (version: JsonObject): Catalog => {
    const lens = parseLens("l", { versions: [{ id: "v1", template_body: "say [[amount]]", ...version }] });
    if (!lens.ok) throw new Error(JSON.stringify(lens.failure));
    return { library: null, workflows: null, lenses: { l: lens.value } };
  };
  const graph =
    "format: lens-graph/v1\nname: g\nroot_inputs: {amount: {default: null}}\nnodes: [{id: a, lens_id: l}]\nedges: []\n";
  const input_contract = { kind: "text", fields: { amount: { type: "integer", required: true } } };
  const output_contract = {
    kind: "report",
    artifact_kind: "json",
    schema: { title: { type: "string", required: true } },
  };

  it("fails a wrong input without calling an adapter", () => {
    const rig = runOf(graph, { catalog: catalog({ input_contract }), args: { amount: "500" } });
    expect(rig.error("a")).toBe("input_contract_violation");
    expect(rig.of("contract.violated")[0]).toMatchObject({
      phase: "input",
      errors: [{ field: "amount", reason: "type_mismatch" }],
    });
    expect(rig.dispatches).toHaveLength(0);
  });

  it("passes a right one", () => {
    const rig = runOf(graph, { catalog: catalog({ input_contract }), args: { amount: 500 } });
    expect(rig.dispatch("a").request.message).toBe("say 500");
  });

  it("names the missing data field of an answer", () => {
    const rig = runOf(graph, { catalog: catalog({ output_contract }), args: { amount: 1 } });
    rig.complete("a", { outputs: { other: 1 }, stdout: "text" });
    expect(rig.of("contract.violated")[0]).toMatchObject({ phase: "output", errors: [{ field: "data.title" }] });
    expect(rig.error("a")).toBe("output_contract_violation");
  });

  it("refuses an empty answer", () => {
    const rig = runOf(graph, { catalog: catalog({}), args: { amount: 1 } });
    rig.complete("a", { stdout: "" });
    expect(rig.error("a")).toBe("output_contract_violation");
  });
});

describe("moderation", () => {
  const graph = (mode: string) =>
    `format: lens-graph/v1\nname: g\nnodes: [{id: a, config: {template_body: hi, moderation: "${mode}"}}]\nedges: []\n`;

  it("asks for what the node wants", () => {
    for (const mode of ["off", "input", "output", "both"]) {
      const asked: string[] = [];
      runOf(graph(mode), {
        judge: (request) => {
          asked.push(request.moderation);
          return { disposition: "moderated", decision: { allowed: false } };
        },
      });
      expect(asked).toEqual([mode]);
    }
  });

  it("fails a refused input without a call and a refused output with its cost", () => {
    const input = runOf(graph("input"), { judge: () => ({ disposition: "moderated", decision: { allowed: false } }) });
    expect(input.error("a")).toBe("moderation_blocked");
    expect(input.dispatches).toHaveLength(0);
    const output = runOf(graph("output"));
    const tokens = { inputTokens: 1, outputTokens: 1, thinkingTokens: 0, cachedTokens: 0 };
    output.callback("a", { status: "completed", stdout: "bad", tokens, costMicros: 9, moderation: { allowed: false } });
    expect(output.error("a")).toBe("moderation_blocked");
    expect(output.of("moderation.flagged")[0]).toMatchObject({ phase: "output" });
    expect(output.state.costMicros).toBe(9);
  });
});

describe("an optional input that is unset", () => {
  it("renders as nothing, wherever the step names it", () => {
    const input = "inputs: {x: {from: a.outputs.x, type: string, required: false}}";
    const rig = runOf(
      workflow([
        "a {outputs: {x: {type: string, required: false}}}",
        `b {command: 'say [\${x}]', stdin: '<\${x}>', ${input}}`,
      ]),
    ).complete("a", { outputs: {} });
    expect(rig.dispatch("b").request).toMatchObject({ message: "say []", stdin: "<>", inputs: {} });
  });

  it("is still refused where it must be there", () => {
    const rig = runOf(
      workflow([
        "a {outputs: {x: {type: string, required: false}}}",
        "b {command: 'say [${x}]', inputs: {x: {from: a.outputs.x, type: string}}}",
      ]),
    ).complete("a", { outputs: {} });
    expect(rig.error("b")).toBe("unbound_reference");
  });
});

import { describe, expect, it } from "vitest";
import { type Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import { type JsonObject, LIMITS } from "../base/index.ts";
import { requestOf } from "./index.ts";

const request = (rig: Rig, nodeId: string) => rig.dispatch(nodeId).request;
const said = (rig: Rig, nodeId: string) =>
  rig
    .of("node.provenance", nodeId)
    .map(({ sourceNodeId, sourceOutputPath, targetInputPath }) => [sourceNodeId, sourceOutputPath, targetInputPath]);

describe("what a step is given", () => {
  it("is its command and stdin rendered, its inputs, and what it is to answer with", () => {
    const rig = runOf(
      workflow(
        [
          "a {outputs: {n: integer}}",
          "b < a {command: 'use ${n} of ${a.outputs.n}', stdin: '$a.stdout', inputs: {n: a.outputs.n}, outputs: {ok: boolean}}",
        ],
        "args: {n: 1}",
      ),
    );
    expect(request(rig, "a")).toEqual({
      message: "do a",
      stdin: null,
      inputs: {},
      outputFields: { n: expect.objectContaining({ type: "integer" }) },
      outputStrategy: "json",
    });
    rig.complete("a", { outputs: { n: 7 }, stdout: "seven" });
    expect(request(rig, "b")).toMatchObject({
      message: "use 7 of 7",
      stdin: "seven",
      inputs: { n: 7 },
      outputStrategy: "json",
    });
    expect(requestOf(rig.state, "b")).toEqual(request(rig, "b"));
    expect(requestOf(rig.state, "zz")).toBeUndefined();
    expect(request(runOf(workflow(["a"])), "a")).toMatchObject({ outputStrategy: "text", outputFields: null });
  });

  it.each([
    ["${a.stdout}", "text"],
    ["${a.json.x}", "1"],
    ["${a.json.list[1]}", "b"],
    ["${a.outputs.o.deep}", "true"],
    ["${a.o.deep}", "true"],
  ])("takes %s", (path, value) => {
    const stdout = path.includes("json") ? '{"x":1,"list":["a","b"]}' : "text";
    const rig = runOf(workflow(["a", `b < a {command: '${path}'}`])).complete("a", {
      stdout,
      outputs: { o: { deep: true } },
    });
    expect(request(rig, "b").message).toBe(value);
  });

  it("reads the data of an answer where its text is not JSON", () => {
    const rig = runOf(workflow(["g {approval: required}", "b < g {command: '${g.json.approved} ${g.approved}'}"]));
    rig.answer("g", "approve");
    expect(request(rig, "b").message).toBe("true true");
  });

  it("knows whether a step with a command was approved", () => {
    const rig = runOf(
      workflow(["a {approval: required, command: go}", "c", "b < a c {command: '${a.approved} ${c.approved}'}"]),
    );
    rig.answer("a", "approve");
    rig.complete("a").complete("c");
    expect(request(rig, "b").message).toBe("true false");
  });

  it("is empty for an arg that was declared and left out, and for an optional input nothing is said", () => {
    const rig = runOf(
      workflow(
        ["a {command: '<${maybe}>', inputs: {maybe: {type: string, required: false}}}"],
        "args: {maybe: {type: string, required: false}}",
      ),
    );
    expect(request(rig, "a")).toMatchObject({ message: "<>" });
    expect(rig.of("node.log")).toEqual([]);
  });

  it("fails on a part of an arg that is not there", () => {
    const rig = runOf(workflow(["a {command: '${o.missing}'}"], "args: {o: {type: object}}"), { args: { o: {} } });
    expect(rig.error("a")).toBe("unbound_reference");
    expect(rig.of("node.failed")[0]?.errorMessage).toMatch(/^command: nothing has the value .*o\.missing/u);
  });

  it("says which place has no value: an input, stdin, the command", () => {
    const message = (line: string) =>
      runOf(workflow(["a", line]))
        .complete("a")
        .of("node.failed", "b")[0]?.errorMessage;
    expect(message("b < a {inputs: {x: a.outputs.nope}}")).toBe("inputs.x: nothing has the value a.outputs.nope");
    expect(message("b < a {stdin: '$a.outputs.nope'}")).toMatch(/^stdin: /u);
    expect(message("b < a {stdin: '$a.json'}")).toBe("stdin: the result of a is not JSON");
    expect(message("b < a {inputs: {x: {from: a.json}}}")).toBe("inputs.x: the result of a is not JSON");
  });

  it("is '' for what a skipped step would have given, with a warning for each place", () => {
    const rig = runOf(
      workflow([
        "z",
        "s < z {condition: 'false'}",
        "b < z s {command: '<${s.stdout}>', stdin: '$s.stdout', inputs: {x: {from: s.outputs.x, type: integer, required: true}}}",
      ]),
    ).complete("z");
    expect(request(rig, "b")).toMatchObject({ message: "<>", stdin: "", inputs: { x: "" } });
    expect(rig.of("node.log", "b").map(({ level, message }) => [level, message])).toEqual([
      ["warning", "inputs.x: s was skipped, its value is empty"],
      ["warning", "command: s was skipped, its value is empty"],
      ["warning", "stdin: s was skipped, its value is empty"],
    ]);
  });

  it("can ask whether a failure was tolerated", () => {
    const rig = runOf(
      workflow([
        "z",
        "t {on_failure: skip}",
        "s {condition: 'false'}",
        `b < t z {condition: "t.outputs._skipped", command: 'tolerated <\${t.stdout}>'}`,
        `c < s z {condition: "s.outputs._skipped"}`,
      ]),
    )
      .fail("t", "provider_auth")
      .complete("z");
    expect(request(rig, "b").message).toBe("tolerated <>");
    expect(rig.node("c").now).toMatchObject({ status: "skipped", reason: "condition_false" });
  });

  it("can ask whether a person skipped it", () => {
    const rig = runOf(
      workflow(["z", "t {on_failure: retry_once_then_escalate}", `b < t z {condition: "t.outputs._skipped"}`]),
    )
      .fail("t", "provider_auth")
      .complete("z");
    rig.answer("t", "skip");
    expect(rig.status("b")).toBe("running");
  });

  it("may have so many bytes, of inputs, command and stdin together", () => {
    const most = LIMITS.boundInputBytesMax;
    const status = (bytes: number, where: string) => {
      const source = workflow([`a {${where}}`], "args: {text: {type: string}}");
      return runOf(source, { args: { text: "x".repeat(bytes) } });
    };
    // `{}` are the inputs.
    expect(status(most - 2, "command: '${text}'").status("a")).toBe("running");
    const over = status(most - 1, "command: '${text}'");
    expect(over.of("node.failed")[0]).toMatchObject({
      errorCode: "context_too_large",
      errorMessage: `the inputs of a are ${most + 1} bytes, the limit is ${most}`,
    });
    const fed = (bytes: number) =>
      runOf(workflow(["z", "a < z {command: c, stdin: '$z.stdout'}"])).complete("z", { stdout: "x".repeat(bytes) });
    expect(fed(most - 3).status("a")).toBe("running");
    expect(fed(most - 2).error("a")).toBe("context_too_large");
    // `{"text":""}` and the command.
    expect(status(most - 12, "command: c, inputs: {text: {type: string}}").status("a")).toBe("running");
    expect(status(most - 11, "command: c, inputs: {text: {type: string}}").error("a")).toBe("context_too_large");
  });

  it("must fit the contract of its inputs, and names the first that does not", () => {
    const rig = runOf(workflow(["a {inputs: {n: {type: integer}, m: {type: integer}}}"], "args: {n: text, m: text}"));
    expect(rig.of("contract.violated")).toMatchObject([
      { phase: "input", errors: [{ field: "n", reason: "type_mismatch" }, { field: "m" }] },
    ]);
    expect(rig.of("node.failed")[0]).toMatchObject({
      errorCode: "input_contract_violation",
      errorMessage: "the inputs of a break their contract: n type_mismatch",
    });
    expect(rig.dispatches).toEqual([]);
  });

  it("is narrowed by the person who approved it, which is not a hand-over of the run", () => {
    const rig = runOf(
      workflow(
        ["a {approval: required, command: go, inputs: {n: {type: number}, m: {type: number}}}"],
        "args: {n: 10, m: 1}",
      ),
    );
    rig.answer("a", "approve", { modifications: { inputs: { n: 5 } } });
    expect(request(rig, "a").inputs).toEqual({ n: 5, m: 1 });
    expect(said(rig, "a")).toEqual([[null, "args.m", "inputs.m"]]);
  });
});

describe("where the values of a step came from", () => {
  it("is said for each place once, however often it is used there", () => {
    const rig = runOf(
      workflow(["a", "b < a {command: '${a.stdout} ${a.stdout} ${t} ${a.outputs.x.y[0]}'}"], "args: {t: 1}"),
    ).complete("a", { outputs: { x: { y: [1] } } });
    expect(said(rig, "b")).toEqual([
      ["a", "stdout", "command"],
      [null, "args.t", "command"],
      ["a", "outputs.x.y[0]", "command"],
    ]);
    expect(rig.of("node.provenance", "b")[0]).toMatchObject({ sourceRunId: "run_1" });
  });

  it("is the very element for an instance, wherever the list came from", () => {
    const rig = runOf(
      workflow(["e {command: 'see ${item.name} of ${index}', for_each: group.list}"], "args: {group: {type: object}}"),
      { args: { group: { list: [{ name: "x" }, { name: "y" }] } } },
    );
    expect(said(rig, "e")).toEqual([[null, "args.group.list", "for_each"]]);
    expect(said(rig, "e[1]")).toEqual([[null, "args.group.list[1].name", "command"]]);
  });

  it("is left out for the args of a child that a person gave, and where one cannot be bound", () => {
    const rig = runOf(
      workflow(["c {workflow_ref: audit, approval: required, with: {n: '${n}', m: '${m}'}}"], "args: {n: 1, m: 2}"),
    );
    rig.answer("c", "approve", { modifications: { inputs: { n: 9 } } });
    expect(said(rig, "c")).toEqual([[null, "args.m", "with.m"]]);
    const child = rig.effects.find((effect) => effect.type === "start-child");
    expect(child).toMatchObject({ args: { n: 9, m: 2 } });
    const unbound = runOf(workflow(["a", "c < a {workflow_ref: audit, with: {x: '${a.stdout} ${a.outputs.nope}'}}"]));
    expect(said(unbound.complete("a"), "c")).toEqual([]);
  });
});

describe("what a step answers", () => {
  const answered = (line: string, outputs: JsonObject, head = "") =>
    runOf(workflow([line], head)).complete("a", { outputs, stdout: "text" });

  it("becomes an envelope when the adapter made none", () => {
    const rig = answered("a", { n: 1 });
    expect(rig.of("node.completed")[0]).toMatchObject({
      outputs: { n: 1 },
      envelope: { output: "text", data: { n: 1 } },
    });
    expect(rig.of("node.completed")[0]?.envelope).not.toHaveProperty("metadata.raw");
  });

  it("must meet every criterion, in their order", () => {
    const criteria = "a {outputs: {n: integer}, success_criteria: ['outputs.n > 1', 'outputs.n > 2']}";
    expect(answered(criteria, { n: 3 }).status("a")).toBe("completed");
    expect(answered(criteria, { n: 2 }).of("node.failed")[0]).toMatchObject({
      errorCode: "criteria_failed",
      errorMessage: "not met: outputs.n > 2",
      retryable: true,
    });
    const text = "a {success_criteria: [\"outputs.stdout == 'text'\"]}";
    expect(answered(text, {}).status("a")).toBe("completed");
    const broken = answered("a {success_criteria: ['outputs.n > 1']}", { n: {} });
    expect(broken.of("node.failed")[0]).toMatchObject({
      errorCode: "expression_error",
      errorMessage: expect.stringMatching(/^success_criteria: /u),
      retryable: false,
    });
  });

  it("lists what is wrong with it", () => {
    const rig = answered("a {outputs: {n: integer, m: integer}}", { n: "x" });
    expect(rig.of("contract.violated")[0]).toMatchObject({ phase: "output", attempt: 1 });
    expect(rig.of("node.failed")[0]?.errorMessage).toBe(
      "the answer of a breaks its contract: n type_mismatch, m missing_required",
    );
  });

  it("keeps the inputs it was given unless they are its outputs", () => {
    const line =
      "a {inputs: {kind: {type: string}, score: {type: number}, gone: {type: string, required: false}}, outputs: {score: integer}}";
    const head = "args: {kind: saas, score: 1, gone: {type: string, required: false}}";
    const rig = answered(line, { score: 3, kind: "changed", gone: "invented" }, head);
    expect(rig.outputs("a")).toMatchObject({ kind: "saas", score: 3 });
  });

  it("goes with its warnings into the log", () => {
    const rig = runOf(workflow(["a"]));
    const tokens = { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 };
    rig.callback("a", { status: "completed", stdout: "x", tokens, costMicros: 0, warnings: ["odd", "odder"] });
    expect(rig.of("node.log").map(({ level, message, attempt }) => [level, message, attempt])).toEqual([
      ["warning", "odd", 1],
      ["warning", "odder", 1],
    ]);
  });
});

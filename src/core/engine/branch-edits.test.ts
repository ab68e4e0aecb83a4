import { describe, expect, it } from "vitest";
import { Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import { LIMITS } from "../base/index.ts";
import { EVENT_PAYLOADS } from "../event/index.ts";
import { type BranchEdits, branchInTurn, branchWith, requestOf, restartFrom } from "./index.ts";

const SOURCE = `name: w
args: { tone: plain }
steps:
  - { id: draft, command: "Write it, \${tone}." }
  - { id: side, command: Look aside. }
  - id: size
    command: "How long is \${draft.stdout}?"
    outputs: { words: { type: integer, required: true }, kind: { type: string, enum: [short, long], required: false } }
  - { id: print, command: "Print \${size.outputs.words}." }
`;

function done(source = SOURCE): Rig {
  const rig = new Rig(source).start();
  rig.complete("draft", { stdout: "A draft." }).complete("side");
  rig.complete("size", { outputs: { words: 2, kind: "short" } }).complete("print");
  expect(rig.state.status).toBe("completed");
  return rig;
}

function carriedOf(rig: Rig, edits: BranchEdits, args = rig.state.args) {
  const outcome = branchWith(rig.state, args, edits);
  if ("refusal" in outcome) throw new Error(outcome.refusal.message);
  return outcome.carried;
}

function refusalOf(rig: Rig, edits: BranchEdits, args = rig.state.args) {
  const outcome = branchWith(rig.state, args, edits);
  if (!("refusal" in outcome)) throw new Error("it is not refused");
  return outcome.refusal;
}

const branched = (rig: Rig, edits: BranchEdits, source = SOURCE): Rig =>
  new Rig(source).start({ carried: carriedOf(rig, edits), sourceRunId: "run_1" });

describe("a branch in which a node is asked something else", () => {
  it("keeps what is before and beside it, and sends the text word for word", () => {
    const next = branched(done(), { prompts: { size: "Count ${draft.stdout} again." }, by: "ann" });
    expect(next.statuses).toMatchObject({ draft: "completed", side: "completed", size: "running" });
    expect(next.dispatch("size").request).toMatchObject({ message: "Count ${draft.stdout} again.", inputs: {} });
    expect(requestOf(next.state, "size")).toEqual(next.dispatch("size").request);
    const [started] = next.of("run.started");
    expect(started?.prompts).toEqual({ size: { text: "Count ${draft.stdout} again.", by: "ann" } });
    expect(EVENT_PAYLOADS["run.started"].parse(started)).toEqual(started);
    // What the text of its step would have read was not used.
    expect(next.of("node.provenance", "size")).toEqual([]);
    expect(next.replayed().prompts).toEqual(next.state.prompts);
    next.complete("size", { outputs: { words: 3 } }).complete("print");
    expect(next.state.status).toBe("completed");
    expect(next.dispatch("print").request.message).toBe("Print 3.");
  });

  it("asks the gates about the new text, under another digest", () => {
    const asked: string[] = [];
    const judged = new Rig(SOURCE, {
      judge: ({ request }) => {
        asked.push(request.message);
        return undefined;
      },
    });
    judged.start({ carried: carriedOf(done(), { prompts: { draft: "Write badly." } }), sourceRunId: "run_1" });
    expect(asked).toContain("Write badly.");
    const gated = SOURCE.replace("id: draft,", "id: draft, approval: required,");
    const digestIn = (prompts: Record<string, string>): string => {
      const first = new Rig(gated).start();
      const rig = new Rig(gated).start({ carried: carriedOf(first, { prompts }), sourceRunId: "run_1" });
      const [approval] = rig.of("approval.requested");
      expect(approval?.subject?.request?.message).toBe(prompts["draft"]);
      return approval?.digest ?? "";
    };
    expect(digestIn({ draft: "One." })).not.toBe(digestIn({ draft: "Two." }));
  });

  it("stays with what is started from that run, until it is written anew", () => {
    const next = branched(done(), { prompts: { draft: "Write well." }, by: "ann" });
    next
      .complete("draft")
      .complete("size", { outputs: { words: 1 } })
      .complete("print");
    const again = new Rig(SOURCE).start({ carried: restartFrom(next.state, "draft"), sourceRunId: "run_2" });
    expect(again.dispatch("draft").request.message).toBe("Write well.");
    const other = branched(next, { prompts: { draft: "Write better." }, by: "bea" });
    expect(other.state.prompts).toEqual({ draft: { text: "Write better.", by: "bea" } });
    const beside = branched(next, { prompts: { print: "Print all." }, by: "bea" });
    expect(beside.state.prompts).toMatchObject({ draft: { by: "ann" }, print: { by: "bea" } });
    expect(beside.dispatch("print").request.message).toBe("Print all.");
  });

  it("is sent again after a failure, and after the run was recovered", () => {
    const next = branched(done(), { prompts: { print: "Print it." } });
    next.fail("print", "provider_auth");
    expect(next.state.status).toBe("failed");
    next.submit({ type: "recover" });
    expect(next.dispatch("print")).toMatchObject({ attempt: 2, request: { message: "Print it." } });
  });

  it("is that of one element: the others are kept", () => {
    const source = workflow(["a {command: 'go ${item}', for_each: list}", "b < a"], "args: {list: [1, 2, 3]}");
    const run = runOf(source).complete("a[0]").complete("a[1]").complete("a[2]").complete("b");
    const next = new Rig(source).start({ carried: carriedOf(run, { prompts: { "a[1]": "Go back." } }) });
    expect(next.statuses).toMatchObject({ "a[0]": "completed", "a[1]": "running", "a[2]": "completed" });
    expect(next.dispatch("a[1]").request.message).toBe("Go back.");
    expect(refusalOf(run, { prompts: { a: "Go." } })).toMatchObject({
      code: "no_prompt",
      errors: [{ field: "prompts.a", hint: "Name one of them, such as a[0]." }],
    });
  });

  it("is refused where there is none, and where it cannot be sent", () => {
    const source = `name: w
steps:
  - { id: ask, approval: required }
  - { id: data, set: { x: 1 } }
  - { id: sub, workflow_ref: other }
  - { id: last, command: Go. }
`;
    const rig = new Rig(source).start();
    for (const id of ["ask", "data", "sub"]) {
      expect(refusalOf(rig, { prompts: { [id]: "Go." } })).toMatchObject({
        code: "no_prompt",
        errors: [{ field: `prompts.${id}`, hint: expect.any(String) as string }],
      });
    }
    expect(refusalOf(rig, { prompts: { none: "Go." } })).toMatchObject({
      code: "unknown_node",
      errors: [{ field: "prompts.none", hint: expect.stringContaining("ask, data") as string }],
    });
    for (const text of ["", " \n", "x".repeat(LIMITS.boundInputBytesMax + 1)]) {
      expect(refusalOf(rig, { prompts: { last: text } }).code).toBe("invalid_prompt");
    }
  });

  it("holds inside a turn as well, with the rounds that are kept", () => {
    const rig = new Rig(SOURCE).start();
    const report = { tokens: { inputTokens: 1, outputTokens: 1, thinkingTokens: 0, cachedTokens: 0 }, costMicros: 7 };
    const message = { role: "assistant", content: "words" };
    rig.submit({
      type: "round",
      nodeId: "draft",
      attempt: 1,
      segment: 0,
      round: 0,
      finish: "stop",
      text: "words",
      message,
      calls: [],
      ...report,
    });
    rig.fail("draft", "provider_auth");
    const open = (sealed: typeof message): typeof message => sealed;
    const point = { nodeId: "draft", round: 0, prompt: "Write on.", by: "ann" };
    const outcome = branchInTurn(rig.state, point, (sealed) => open(sealed as typeof message));
    const carried = "refusal" in outcome ? [] : outcome.carried;
    const next = new Rig(SOURCE).start({ carried, sourceRunId: "run_1" });
    const { request, turn } = next.dispatch("draft");
    expect([request.message, turn?.rounds.length]).toEqual(["Write on.", 1]);
    expect(next.state.prompts).toEqual({ draft: { text: "Write on.", by: "ann" } });
    expect(branchInTurn(rig.state, { ...point, prompt: "" }, (sealed) => sealed)).toMatchObject({
      refusal: { code: "invalid_prompt", errors: [{ field: "turn.prompt" }] },
    });
  });
});

describe("a branch in which a node has returned something else", () => {
  it("keeps the node with it, and runs again what depends on it", () => {
    const next = branched(done(), { outputs: { size: { words: "7", kind: "long" } }, by: "ann" });
    expect(next.statuses).toMatchObject({ draft: "completed", size: "completed", side: "completed" });
    expect(next.of("node.completed", "size")[0]).toMatchObject({
      carried: true,
      by: "ann",
      outputs: { words: 7, kind: "long" },
      costMicros: 0,
    });
    expect(next.of("node.completed", "draft")[0]?.by).toBeUndefined();
    expect(next.dispatch("print").request.message).toBe("Print 7.");
  });

  it("takes a text for a node that declares no outputs", () => {
    const next = branched(done(), { outputs: { draft: { stdout: "Another draft." } } });
    expect(next.dispatch("size").request.message).toBe("How long is Another draft.?");
    expect(next.of("node.completed", "draft")[0]?.envelope).toMatchObject({ output: "Another draft." });
  });

  it("checks the outputs against their contract, place by place", () => {
    const refusal = refusalOf(done(), { outputs: { size: { words: "many", kind: "huge" } } });
    expect(refusal.code).toBe("invalid_outputs");
    expect(refusal.errors?.map(({ field }) => field)).toEqual(["outputs.size.words", "outputs.size.kind"]);
    const criteria = 'success_criteria: ["outputs.words > 1"]';
    const strict = SOURCE.replace("    outputs:", `    ${criteria}\n    outputs:`);
    expect(refusalOf(done(strict), { outputs: { size: { words: 1 } } })).toMatchObject({
      code: "invalid_outputs",
      errors: [{ field: "outputs.size" }],
    });
  });

  it("is refused for a node whose result is not kept", () => {
    const rig = done();
    expect(refusalOf(rig, { outputs: { none: {} } }).code).toBe("unknown_node");
    const begun = new Rig(SOURCE).start().complete("draft");
    expect(refusalOf(begun, { outputs: { size: { words: 1 } } })).toMatchObject({
      code: "node_not_kept",
      errors: [{ field: "outputs.size", hint: expect.any(String) as string }],
    });
    for (const edits of [
      { outputs: { size: { words: 1 } }, prompts: { draft: "Anew." } },
      { outputs: { size: { words: 1 }, draft: { stdout: "Anew." } } },
      { outputs: { size: { words: 1 } }, prompts: { size: "Anew." } },
    ]) {
      expect(refusalOf(rig, edits)).toMatchObject({ code: "node_not_kept", errors: [{ field: "outputs.size" }] });
    }
    expect(refusalOf(rig, { outputs: { draft: { stdout: "x" } } }, { tone: "solemn" }).code).toBe("node_not_kept");
  });

  it("is refused for what a person, another run or the parts of a list have said", () => {
    const source = workflow(
      ["g {approval: required}", "a {command: 'go ${item}', for_each: list}"],
      "args: {list: [1]}",
    );
    const run = runOf(source).complete("a[0]");
    for (const id of ["g", "a", "a[0]"]) {
      expect(refusalOf(run, { outputs: { [id]: { stdout: "x" } } }).code).toBe("node_not_kept");
    }
  });
});

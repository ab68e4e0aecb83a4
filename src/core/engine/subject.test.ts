import { describe, expect, it } from "vitest";
import { ALLOW, HOLD, Rig, runOf, workflow } from "../../../test/conformance/rig.ts";
import { call, HELD, turnOf } from "../../../test/conformance/turn-rig.ts";
import { digestJson, type Json, LIMITS, utf8Length } from "../base/index.ts";
import { changeableInputs } from "../view/index.ts";
import { EVENT_PAYLOADS, type Subject } from "../event/index.ts";
import { NO_TOKENS, type Verdict } from "./index.ts";

function subjectOf(rig: Rig, index = 0): Subject {
  const { subject, subjectDigest } = rig.of("approval.requested")[index] ?? {};
  if (subject === undefined) throw new Error("no subject");
  expect(subjectDigest).toBe(digestJson(subject as unknown as Json));
  return subject;
}

const BLOCKED: Verdict = {
  disposition: "block",
  verdictId: "vrd_8",
  gate: "data_class",
  code: "data_class_denied",
  message: "it may not see this",
  after: "final",
};
const UNBOUND = JSON.stringify({
  format: "lens-graph/v1",
  name: "g",
  nodes: [{ id: "a", config: { template_body: "say [[x]]" } }],
  edges: [],
});
const LONG = "x".repeat(LIMITS.shownValueBytesMax + 1);

describe("the subject of an approval", () => {
  it("of a gate has its name filled, and says that nothing is sent", () => {
    const source = workflow(
      [
        "draft {outputs: {title: string, words: integer}}",
        "ok < draft {name: 'Send ${draft.title} to ${who}?', approval: required}",
      ],
      "args: {who: acme}",
    );
    const rig = runOf(source).complete("draft", { outputs: { title: "Tides", words: 3 }, costMicros: 12 });
    expect(rig.of("approval.requested")[0]).toMatchObject({
      summary: "Send Tides to acme? waits for approval",
      rendered: "Send Tides to acme?",
    });
    expect(subjectOf(rig)).toEqual({
      title: "Send Tides to acme?",
      workflow: "w",
      version: 1,
      startedBy: null,
      trigger: "test",
      args: { who: "acme" },
      request: null,
      shown: [],
      parents: { draft: { title: "Tides", words: 3 } },
      costMicros: 12,
      estimateMicros: null,
      policies: [],
      agent: null,
      action: null,
      answers: [
        { decision: "approve", effect: "Nothing is sent; the run continues." },
        { decision: "reject", effect: "Nothing is sent; ok fails, and the run ends." },
      ],
    });
  });

  it("of a gate has the kind of act that its author wrote", () => {
    const gate = (more: string) => subjectOf(runOf(workflow([`g {approval: required${more}}`]))).action;
    expect([gate(""), gate(", action: financial")]).toEqual([null, "financial"]);
  });

  it("of a step has exactly what will be sent, and what it reads", () => {
    const source = workflow(
      [
        "clean {approval: required, command: 'rm -r ${dir}', stdin: 'yes to ${dir}', provider: process, model: m, tools: [shell], action: write, estimated_cost: 0.5}",
      ],
      "args: {dir: /srv}",
    );
    const rig = new Rig(source).start({ startedBy: "Ann" });
    expect(subjectOf(rig)).toMatchObject({
      title: "clean",
      startedBy: "Ann",
      request: {
        provider: "process",
        model: "m",
        message: "rm -r /srv",
        stdin: "yes to /srv",
        inputs: {},
        tools: ["shell"],
      },
      shown: [{ label: "dir", kind: "value", value: "/srv" }],
      estimateMicros: 500_000,
      action: "write",
    });
    expect(subjectOf(rig).answers[0]?.effect).toBe("The request is sent exactly as it is shown.");
  });

  it("shows what the author chose: references, texts, tables and what changed", () => {
    const source = workflow(
      [
        "a {outputs: {old: string, new: string, rows: array}}",
        "g < a {approval: required, show: [a.rows, 'Dear ${who}', {markdown: a.new, label: Text}, {diff: [a.old, a.new]}, {table: '${a.rows}'}, a.stdout]}",
      ],
      "args: {who: acme}",
    );
    const outputs = { old: "one", new: "two", rows: [{ n: 1 }] };
    const rig = runOf(source).complete("a", { outputs, stdout: "said" });
    expect(subjectOf(rig).shown).toEqual([
      { label: "a.rows", kind: "value", value: [{ n: 1 }] },
      { label: "", kind: "text", value: "Dear acme" },
      { label: "Text", kind: "markdown", value: "two" },
      { label: "a.old → a.new", kind: "diff", before: "one", after: "two" },
      { label: "${a.rows}", kind: "table", value: [{ n: 1 }] },
      { label: "a.stdout", kind: "value", value: "said" },
    ]);
  });

  it("of a policy has its reasons in words, the agent and its trust, and the estimate", () => {
    const rule = {
      approvers: [],
      otherwise: null,
      expiresMs: 1_000,
      isSeparate: false,
      quorum: 2,
      show: [],
      form: null,
      confirm: null,
    };
    const held: Verdict = {
      disposition: "hold",
      verdictId: "vrd_9",
      gate: "approval_required",
      message: "a needs an approval",
      agentId: "clerk",
      policies: ["no-mail@3"],
      rule,
      facts: {
        provider: "anthropic",
        model: "claude",
        trust: 3,
        estimateMicros: 42,
        reasons: [{ name: "no-mail", reason: "Mail leaves the company" }],
      },
    };
    const rig = runOf(workflow(["a {command: 'mail'}"]), { judge: () => held });
    expect(subjectOf(rig)).toMatchObject({
      title: "a",
      request: { provider: "anthropic", model: "claude", message: "mail" },
      policies: [{ name: "no-mail", reason: "Mail leaves the company" }],
      agent: { id: "clerk", trust: 3 },
      estimateMicros: 42,
      answers: [{ effect: "Once 2 people have approved: The request is sent exactly as it is shown." }, {}],
    });
  });

  it.each<[string, string, Verdict]>([
    ["of a gate before a step", "approval: required", ALLOW],
    ["of a step that failed before it was sent", "on_failure: retry_once_then_escalate", BLOCKED],
  ])("%s has the agent that would act, and its trust", (_, more, verdict) => {
    const clerk = { trustLevel: 4, provider: null, model: null };
    const agents = new Map([["clerk", clerk]]);
    const source = workflow([`a {command: 'mail', agent: clerk, ${more}}`]);
    const rig = new Rig(source, { agents, judge: () => verdict }).start();
    expect(subjectOf(rig).agent).toEqual({ id: "clerk", trust: 4 });
    expect(rig.answer("a", "skip", { byAgentId: "clerk" }).refusal?.code).toBe("self_approval");
  });

  it("of elements that failed has the agent of the step", () => {
    const source = workflow(
      ["a {command: 'see ${item}', for_each: list, agent: clerk, on_failure: retry_once_then_escalate}"],
      "args: {list: [1]}",
    );
    expect(subjectOf(runOf(source).fail("a[0]", "provider_auth")).agent).toEqual({ id: "clerk", trust: null });
  });

  it("of a lens without a value has the agent that would act", () => {
    const rig = runOf(UNBOUND);
    expect(rig.of("approval.requested")[0]).toMatchObject({ source: "block", agentId: "default" });
  });

  it("of a list has the request of each of its first elements, also with what the author shows", () => {
    const source = (more: string) =>
      workflow(
        [`a {approval: required, command: 'rm \${item}', stdin: 'yes', for_each: dirs${more}}`],
        "args: {dirs: {type: array}}",
      );
    const dirs = Array.from({ length: 22 }, (_, index) => `/d${index}`);
    for (const more of ["", ", show: ['all of it']"]) {
      const subject = subjectOf(runOf(source(more), { args: { dirs } }));
      const { request, shown, answers } = subject;
      expect([request, changeableInputs(subject)]).toEqual([null, { dirs }]);
      expect(shown.slice(0, 2).map(({ label, value }) => [label, value])).toEqual([
        ["a[0]", "rm /d0\n\nyes"],
        ["a[1]", "rm /d1\n\nyes"],
      ]);
      expect(shown[20]?.value).toBe("and 2 more, one for each element");
      expect(answers[0]?.effect).toBe("a starts, once for each element of dirs.");
    }
    const rig = runOf(source(", quorum: 2"), { args: { dirs } });
    rig.answer("a", "approve", { personId: "per_1", modifications: { inputs: { dirs: ["/e"] } } });
    expect(rig.of("approval.revised")[0]?.subject.shown[0]).toMatchObject({ label: "a[0]", value: "rm /e\n\nyes" });
  });

  it("of a child run has its args, also with what the author shows, and those of each element", () => {
    const source = (more: string) =>
      workflow(
        [`c {approval: required, workflow_ref: audit, with: {amount: 100, who: '\${who}'}${more}}`],
        "args: {who: {default: ann}, list: {type: array, default: [1]}}",
      );
    const shownOf = (more: string) => subjectOf(runOf(source(more))).shown.map(({ label, value }) => [label, value]);
    expect(changeableInputs(subjectOf(runOf(source(""))))).toEqual({ amount: 100, who: "ann" });
    expect(shownOf("")).toEqual([
      ["amount", 100],
      ["who", "ann"],
    ]);
    expect(shownOf(", show: [who]")).toEqual([
      ["Args of audit", { amount: 100, who: "ann" }],
      ["who", "ann"],
    ]);
    const rig = runOf(source(", for_each: list"));
    expect(subjectOf(rig).shown[0]).toMatchObject({ label: "c[0]", value: '{"amount":100,"who":"ann"}' });
    expect(subjectOf(rig).answers[0]?.effect).toBe("A run of audit is started for each element of list.");
    rig.answer("c", "approve", { modifications: { inputs: { list: [2, 3], who: "bob" } } });
    const started = rig.effects.flatMap((effect) => (effect.type === "start-child" ? [effect.args] : []));
    expect(started).toEqual([
      { amount: 100, who: "bob" },
      { amount: 100, who: "bob" },
    ]);
  });

  it("of a step that sends nothing has its values; of rounds it says how many there may be", () => {
    const values = (step: string) => {
      const { shown, answers } = subjectOf(
        runOf(workflow([`a {approval: required, ${step}}`], "args: {n: {default: 5}}")),
      );
      return [shown.map(({ label, value }) => [label, value]), answers[0]?.effect];
    };
    expect(values("emit: {type: paid, data: {sum: '${n}'}}")).toEqual([
      [
        ["key", {}],
        ["data", { sum: 5 }],
        ["n", 5],
      ],
      "The event paid is emitted.",
    ]);
    expect(values("set: {sum: {expr: n + 1}}")).toEqual([
      [
        ["sum", 6],
        ["n", 5],
      ],
      "a starts.",
    ]);
    expect(values("command: go, repeat: {until: 'true', max: 3}")[1]).toBe(
      "a starts, and is repeated in up to 3 rounds. The first sends the request as it is shown.",
    );
  });

  it("of a failed step shows what another attempt would send", () => {
    const rig = runOf(workflow(["a {command: 'pay ${n}', on_failure: retry_once_then_escalate}"], "args: {n: 3}"));
    rig.fail("a", "provider_auth");
    expect(subjectOf(rig)).toMatchObject({ title: "a failed", request: { message: "pay 3" }, shown: [{ value: 3 }] });
    expect(subjectOf(rig).answers.map(({ decision }) => decision)).toEqual(["retry", "skip", "abort"]);
  });

  it("hides what looks like a secret, also in the summary of a failure", () => {
    const secret = "sk-live-abcdefghijklmnop1234567890AB";
    const source = workflow(["a {approval: required, command: 'use ${key}'}"], "args: {key: {type: string}}");
    const rig = runOf(source, { args: { key: secret } });
    expect(JSON.stringify(subjectOf(rig))).not.toContain(secret);
    expect(subjectOf(rig).request?.message).toContain("[hidden:");
    const failed = runOf(workflow(["a {on_failure: retry_once_then_escalate}"]));
    failed.callback("a", {
      status: "failed",
      tokens: NO_TOKENS,
      costMicros: 0,
      errorCode: "adapter_bug",
      error: secret,
    });
    expect(failed.of("approval.requested")[0]?.summary).toContain("[hidden:");
  });

  it("refers to large values, with the beginning of each", () => {
    const source = workflow(
      ["a", "g < a {approval: required, command: 'post ${a.text}', show: [a.text]}"],
      "args: {n: 1}",
    );
    const rig = runOf(source.replace("{ id: a,", "{ id: a, outputs: {text: string},"));
    rig.complete("a", { outputs: { text: LONG } });
    const cut = { bytes: LONG.length, preview: "x".repeat(LIMITS.previewBytesMax) };
    const { shown, parents, request } = subjectOf(rig);
    expect(shown[0]?.value).toMatchObject({ $ref: "a.outputs.text", ...cut });
    expect(parents["a"]?.["text"]).toMatchObject({ $ref: "a.outputs.text", ...cut });
    expect(request?.message).toMatchObject({ $ref: "request.message", bytes: LONG.length + 5 });
    expect(EVENT_PAYLOADS["approval.requested"].safeParse(rig.of("approval.requested")[0]).success).toBe(true);
  });

  it("is never larger than its limit, however much there is", () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`v${index}`, "é".repeat(15_000)]));
    const small = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`s${index}`, "x".repeat(80)]));
    for (const outputs of [many, small]) {
      const rig = runOf(workflow(["a", "g < a {approval: required}"])).complete("a", { outputs });
      const subject = subjectOf(rig);
      expect(utf8Length(JSON.stringify(subject))).toBeLessThanOrEqual(LIMITS.subjectBytesMax);
      expect(JSON.stringify(subject)).toContain("$ref");
    }
  });

  it("is never larger than its limit with the args of a call, or with many inputs", () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`v${index}`, "é".repeat(15_000)]));
    const small = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`s${index}`, "x".repeat(80)]));
    for (const args of [many, small]) {
      const rig = turnOf({ judgeTool: () => HELD });
      rig.round(0, [call("refund", args)]);
      const subject = subjectOf(rig);
      expect(utf8Length(JSON.stringify(subject))).toBeLessThanOrEqual(LIMITS.subjectBytesMax);
      expect(JSON.stringify(subject.call?.args)).toContain("$ref");
      expect(subject.call).toMatchObject({ tool: "refund", words: "words 0" });
    }
    // A lens without a template is sent all inputs; each is shown with a label of its own.
    const inputs = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`s${index}`, "x".repeat(30)]));
    const source = JSON.stringify({ ...JSON.parse(UNBOUND), nodes: [{ id: "a" }], root_inputs: inputs });
    const shown = subjectOf(runOf(source, { judge: () => HOLD }));
    expect(utf8Length(JSON.stringify(shown))).toBeLessThanOrEqual(LIMITS.subjectBytesMax);
    expect(shown.shown).toMatchObject([{ value: { $ref: "shown" } }]);
  });

  it("does not change what grants are keyed by: cost and starter are not part of the digest", () => {
    const asked = (costMicros: number): { digest: string; subjectDigest?: string | undefined } | undefined =>
      runOf(workflow(["a", "g < a {approval: required, command: x}"]))
        .complete("a", { costMicros })
        .of("approval.requested")[0];
    expect(asked(1)?.digest).toBe(asked(2)?.digest);
    expect(asked(1)?.subjectDigest).not.toBe(asked(2)?.subjectDigest);
  });
});

describe("what can be changed of a request", () => {
  it("is everything its texts read, with what the author shows or without, and what was given since", () => {
    for (const show of ["", ", show: ['For ${who}']"]) {
      const source = workflow(
        [
          "draft",
          `post < draft {approval: required, quorum: 2, command: 'To \${who}: \${draft.stdout} \${n}', inputs: {n: 1}${show}}`,
        ],
        "args: {who: acme}",
      );
      const rig = runOf(source).complete("draft", { stdout: "Dear" });
      expect(subjectOf(rig).request).toMatchObject({
        inputs: { n: 1 },
        reads: { who: "acme", "draft.stdout": "Dear" },
      });
      rig.answer("post", "approve", { modifications: { inputs: { "draft.stdout": "Hello" } } });
      const [revised] = rig.of("approval.revised");
      expect(revised?.subject.request).toMatchObject({
        message: "To acme: Hello 1",
        reads: { who: "acme", "draft.stdout": "Hello" },
      });
    }
  });
});

describe("the form of a gate", () => {
  const asked = (outputs: Record<string, Json>, form: string) =>
    runOf(
      workflow(
        [
          `draft {outputs: {amount: {type: ${typeof outputs["amount"] === "number" ? "number" : "string"}, required: false}, who: string}}`,
          `ok < draft {approval: required, form: ${form}}`,
          "pay < ok {command: 'Pay ${ok.n}'}",
        ],
        "args: {place: Rome}",
      ),
    ).complete("draft", { outputs });
  const formOf = (rig: Rig) => rig.of("approval.requested")[0]?.form;

  it("has its texts filled, and defaults keep their type", () => {
    const form =
      "{n: {type: number, default: '${draft.amount}', label: 'To ${draft.who}', description: 'In ${place}'}}";
    const rig = asked({ amount: 12.5, who: "Ada\nByron" }, form);
    expect(formOf(rig)).toEqual({
      n: {
        type: "number",
        required: true,
        default: 12.5,
        isDefaultFilled: true,
        label: "To Ada Byron",
        description: "In Rome",
      },
    });
    rig.answer("ok", "approve", { form: {} });
    expect(rig.outputs("ok")).toEqual({ approved: true, n: 12.5 });
    expect(
      asked({ amount: 1, who: "" }, "{n: {type: string, default: 'For ${place}'}}").of("approval.requested")[0]?.form,
    ).toEqual({
      n: { type: "string", required: true, default: "For Rome", isDefaultFilled: true },
    });
  });

  it("takes what was emptied as empty: only what is left out has its default", () => {
    const form = "{n: {type: number, default: 5}, m: {type: string, default: x, required: false}}";
    const rig = asked({ amount: 1, who: "" }, form);
    expect(rig.answer("ok", "approve", { form: { n: null } }).refusal).toMatchObject({ code: "form_invalid" });
    expect(rig.answer("ok", "approve", { form: { m: null } }).refusal).toBeUndefined();
    expect(rig.outputs("ok")).toEqual({ approved: true, n: 5 });
  });

  it.each([
    ["much", "{n: {type: number, default: '${draft.amount}'}}"],
    [12, "{n: {type: number, max: 10, default: '${draft.amount}'}}"],
    [null, "{n: {type: string, default: '${draft.amount}'}}"],
    ["x".repeat(LIMITS.shownValueBytesMax + 1), "{n: {type: string, default: '${draft.amount}'}}"],
    [`AKIA${"ABCDEFGH".repeat(2)}`, "{n: {type: string, default: '${draft.amount}'}}"],
  ])("has no default that would be refused or may not be shown", (amount, form) => {
    const rig = asked({ amount, who: "Ada" }, form);
    expect(formOf(rig)?.["n"]).not.toHaveProperty("default");
    expect(rig.answer("ok", "approve").refusal).toMatchObject({ code: "form_invalid" });
  });
});

describe("an approval of an older log", () => {
  it("folds, and is answered as before", () => {
    const rig = runOf(workflow(["g {approval: required}"]));
    const older = rig.events.map((event) => {
      if (event.type !== "approval.requested") return event;
      const { subject: _subject, subjectDigest: _digest, ...payload } = event.payload;
      return { ...event, payload };
    });
    rig.events.splice(0, rig.events.length, ...older);
    const state = rig.replayed();
    const [approval] = state.approvals.values();
    expect(approval).toMatchObject({
      subjectDigest: null,
      answers: [],
      rule: { quorum: 1, form: null, confirm: null },
    });
  });
});

describe("the subject after a person has changed something of it", () => {
  const NOTHING_SENT = "Nothing is sent; what was given becomes the result of pay.";
  const LEAVES = "Nothing is sent; pay fails, and the run ends.";
  const source = (more: string): string =>
    workflow([`pay {name: 'Pay \${amount}?', quorum: 2, command: 'pay \${amount}', ${more}}`], "args: {amount: 3}");
  const revised = (rig: Rig, modifications: object): Subject => {
    const person = { by: "ann", personId: "per_ann", as: ["user:ann"], modifications };
    expect(rig.answer("pay", "approve", person).refusal).toBeUndefined();
    const { subject } = rig.of("approval.revised")[0] ?? {};
    if (subject === undefined) throw new Error("nothing was changed");
    return subject;
  };

  it("has the request and the title with the new inputs, and the same answers", () => {
    const rig = runOf(source("approval: required"));
    const before = subjectOf(rig);
    expect(revised(rig, { inputs: { amount: 1 } })).toEqual({
      ...before,
      title: "Pay 1?",
      request: { ...before.request, message: "pay 1", reads: { amount: 1 } },
      shown: [{ label: "amount", kind: "value", value: 1 }],
    });
  });

  it("has no request when it was given the result, and approving it sends nothing", () => {
    const rig = runOf(source("approval: required, outputs: {receipt: integer}"));
    const before = subjectOf(rig);
    expect(revised(rig, { outputs: { receipt: 7 } })).toEqual({
      ...before,
      request: null,
      shown: [
        { label: "amount", kind: "value", value: 3 },
        { label: "receipt", kind: "value", value: 7 },
      ],
      answers: [
        { decision: "approve", effect: NOTHING_SENT },
        { decision: "reject", effect: LEAVES },
      ],
    });
  });

  it("of a step that failed keeps its title, and what would be tried again is not when its result was given", () => {
    const rig = runOf(source("on_failure: retry_once_then_escalate")).fail("pay", "provider_auth");
    expect(subjectOf(rig)).toMatchObject({ title: "Pay 3? failed", request: { message: "pay 3" } });
    const after = revised(rig, { outputs: { receipt: 7 } });
    expect([after.title, after.request]).toEqual(["Pay 3? failed", null]);
    expect(after.answers).toEqual([
      { decision: "retry", effect: NOTHING_SENT },
      { decision: "skip", effect: "pay is skipped, and the run continues." },
      { decision: "abort", effect: "pay fails, and the run ends." },
    ]);
  });
});

describe("the request in the subject of a step that failed", () => {
  it("is what another attempt would send, and none for what sends nothing itself", () => {
    const policy = "on_failure: retry_once_then_escalate";
    const request = (rig: Rig) => subjectOf(rig).request;
    const step = runOf(workflow([`a {command: 'go', ${policy}}`])).fail("a", "provider_auth");
    expect(request(step)).toMatchObject({ message: "go" });
    const each = runOf(workflow([`a {for_each: xs, command: 'go', ${policy}}`], "args: {xs: [1]}"));
    expect(request(each.fail("a[0]", "provider_auth"))).toBeNull();
  });
});

import { describe, expect, it } from "vitest";
import { PLAIN_DEFINITION } from "../../../test/conformance/plain.ts";
import { LIMITS, type JsonObject } from "../base/index.ts";
import { EMPTY_CATALOG, readDefinition, type Catalog, type LobsterDefinition, type Step } from "./index.ts";

function read(source: string | JsonObject, catalog: Partial<Catalog> = {}): LobsterDefinition {
  const text = typeof source === "string" ? source : JSON.stringify(source);
  const checked = readDefinition(text, { ...EMPTY_CATALOG, ...catalog });
  expect(checked.problems).toEqual([]);
  if (checked.definition?.format !== "lobsterx") throw new Error("not a .lobsterX definition");
  return checked.definition;
}

function readStep(fields: JsonObject, catalog: Partial<Catalog> = {}): Step {
  const [step] = read({ name: "w", args: { xs: [] }, steps: [{ id: "a", ...fields }] }, catalog).steps;
  if (step === undefined) throw new Error("no step");
  return step;
}

function codes(document: JsonObject, catalog: Partial<Catalog> = {}): readonly string[] {
  const checked = readDefinition(JSON.stringify(document), { ...EMPTY_CATALOG, ...catalog });
  return checked.problems.map((problem) => `${problem.code} ${problem.path}`);
}

function stepCodes(fields: JsonObject): readonly string[] {
  return codes({ name: "w", steps: [{ id: "a", command: "x", ...fields }] });
}

const INTAKE = `
name: permit-intake
version: 2
description: Reads a building permit, has a person look at it, then files it.
args:
  applicant: { type: string, required: true, description: Who asks }
  fee: { type: number, default: 0 }
  fast_track: false
roles:
  reader: { description: Reads forms, required_skills: [forms] }
  clerk:
phases: [intake, { id: decide, name: Decision }]
timeout: 2h
max_parallel: 4
model: openai:gpt-5
steps:
  - id: read_form
    phase: intake
    role: reader
    command: "Read the form of \${applicant}, who paid \${fee}."
    timeout: 120
    outputs:
      zone: { type: string, enum: [urban, rural] }
      rooms: { type: array, items: { type: string } }
      note: string
  - id: check_zone
    depends_on: [read_form]
    condition: "read_form.outputs.zone in ['urban'] and not \${fast_track}"
    command: Check the rules of the zone.
    on_failure: skip
    outputs: { open_points: { type: integer, minimum: 0 } }
  - id: judge
    stdin: $check_zone.stdout
    command: Judge it.
    on_failure: retry_once_then_escalate
    inputs:
      zone: { type: string, from: read_form.outputs.zone }
      note: read_form.outputs.note
    outputs: { verdict: { type: string, enum: [grant, refuse] } }
    success_criteria: ["outputs.verdict in ['grant', 'refuse']", "outputs.verdict.length > 0"]
  - id: sign
    phase: decide
    approval: required
    depends_on: [judge]
    approvers: [{ who: "role:head", within: 2h }, "user:ann"]
    otherwise: reject
    expires: 3d
    separate_approver: true
  - id: file
    role: clerk
    condition: $sign.approved
    command: File it.
    stdin: "verdict: $judge.stdout"
`;

describe("a workflow of steps", () => {
  it("is read with its head, args, roles and phases", () => {
    const definition = read(INTAKE);
    expect(definition).toMatchObject({
      format: "lobsterx",
      name: "permit-intake",
      version: 2,
      completion: "strict",
      timeoutMs: 7_200_000,
      maxParallel: 4,
      model: "openai:gpt-5",
      args: {
        applicant: { type: "string", required: true, description: "Who asks" },
        fee: { type: "number", required: false, default: 0 },
        fast_track: { type: "boolean", required: false, default: false },
      },
      roles: {
        reader: { description: "Reads forms", requiredSkills: ["forms"], agent: null },
        clerk: { description: null, requiredSkills: [], agent: null },
      },
      phases: [
        { id: "intake", name: "intake" },
        { id: "decide", name: "Decision" },
      ],
    });
  });

  it("depends on every step that any field names", () => {
    const dependencies = read(INTAKE).steps.map((step) => [step.id, step.dependencies]);
    expect(dependencies).toEqual([
      ["read_form", []],
      ["check_zone", ["read_form"]],
      ["judge", ["check_zone", "read_form"]],
      ["sign", ["judge"]],
      ["file", ["judge", "sign"]],
    ]);
  });

  it("keeps fields, contracts and the chain of approvers", () => {
    const [first, , judge, sign] = read(INTAKE).steps;
    expect(first?.outputs).toEqual({
      zone: { type: "string", required: true, enum: ["urban", "rural"] },
      rooms: { type: "array", required: true, items: { type: "string" } },
      note: { type: "string", required: true },
    });
    expect(first?.timeoutMs).toBe(120_000);
    expect(judge?.inputs.note).toMatchObject({
      type: null,
      required: true,
      from: { kind: "reference", path: { segments: ["read_form", "outputs", "note"] } },
    });
    expect(judge?.successCriteria).toHaveLength(2);
    expect(sign?.approval).toEqual({
      approvers: [
        { who: "role:head", withinMs: 7_200_000 },
        { who: "user:ann", withinMs: null },
      ],
      otherwise: "reject",
      expiresMs: 259_200_000,
      isSeparate: true,
      quorum: 1,
      show: [],
      form: null,
      confirm: null,
    });
    expect(sign?.command).toBeNull();
  });

  it("has the documented defaults", () => {
    const definition = read({ name: "w", steps: [{ id: "a", command: "x" }] });
    expect(definition).toEqual({
      ...PLAIN_DEFINITION,
      format: "lobsterx",
      name: "w",
      completion: "strict",
      args: {},
      outputKinds: {},
      roles: {},
      phases: [],
      outputs: null,
      concurrency: null,
      finally: null,
      steps: [
        {
          id: "a",
          name: null,
          description: null,
          phase: null,
          command: { text: "x", parts: ["x"] },
          role: null,
          agent: null,
          dependencies: [],
          stdin: null,
          condition: null,
          inputs: {},
          outputs: null,
          successCriteria: [],
          timeoutMs: null,
          title: null,
          onFailure: "halt",
          isOnFailureWritten: false,
          retry: null,
          retryIf: null,
          parallelFailurePolicy: "wait_all",
          approval: null,
          workflowRef: null,
          work: null,
          block: null,
          choose: null,
          with: {},
          unresolvedLibraryStep: null,
          queueTimeoutMs: 600_000,
          forEach: null,
          repeat: null,
          capabilities: [],
          tools: [],
          toolActions: [],
          stepTools: [],
          turn: null,
          model: null,
          models: [],
          provider: null,
          action: "execute",
          effects: "at_least_once",
          contextSources: [],
          estimatedCostMicros: null,
        },
      ],
    });
  });
});

describe("fields of a step", () => {
  it("keeps names of tools apart from what the author says of them", () => {
    const step = readStep({ command: "x", tools: ["search", { name: "pay/*", action: "financial" }] });
    expect([step.tools, step.toolActions]).toEqual([["search", "pay/*"], [{ name: "pay/*", action: "financial" }]]);
  });

  it("keeps of a turn what is said, and leaves the rest open", () => {
    expect(readStep({ command: "x", turn: { max_rounds: 1_000 } }).turn).toEqual({
      maxRounds: 1_000,
      maxToolCalls: null,
      maxRepeats: null,
    });
    expect(readStep({ command: "x", turn: {} }).turn?.maxRounds).toBeNull();
  });

  it("asks the first of several models, and takes none from a library entry that names another", () => {
    const step = readStep({ command: "x", models: ["a", "b"] });
    expect([step.model, step.models]).toEqual(["a", ["a", "b"]]);
    const library = { asks: { command: "x", model: "old" } };
    const borrowing = readStep({ library_step: "asks", models: ["new"] }, { library });
    expect([borrowing.model, borrowing.models]).toEqual(["new", ["new"]]);
  });

  it.each([
    ["fail", "halt"],
    ["abort", "halt"],
    ["continue", "skip"],
    ["manual", "retry_once_then_escalate"],
    ["retry", "retry"],
  ])("on_failure: %s means %s", (written, meant) => {
    expect(readStep({ command: "x", on_failure: written }).onFailure).toBe(meant);
  });

  it("lets a retry block refine the policy it stands beside", () => {
    const retry = { backoff_ms: 10, maxBackoffMs: 20 };
    const attempts = ["halt", "retry_once", "retry"].map(
      (on_failure) => readStep({ command: "x", on_failure, retry }).retry,
    );
    expect(attempts.map((block) => block?.attempts)).toEqual([1, 2, 4]);
    expect(attempts[0]).toEqual({
      attempts: 1,
      backoffMs: 10,
      maxBackoffMs: 20,
      retryOn: ["timeout", "provider_error", "rate_limit"],
    });
    expect(
      readStep({ command: "x", on_failure: "retry", retry: { attempts: 10, retry_on: ["contract_violated"] } }).retry,
    ).toMatchObject({ attempts: 10, retryOn: ["contract_violated"] });
  });

  it.each([
    [0.07, 70_000],
    [0, 0],
    [1.5, 1_500_000],
    [0.0000001, 1],
    [0.1 + 0.2, 300_000],
    [12.3456789, 12_345_679],
  ])("estimated_cost %d is %d millionths", (usd, micros) => {
    expect(readStep({ command: "x", estimated_cost: usd }).estimatedCostMicros).toBe(micros);
  });

  it("reads for_each with its limits", () => {
    const fields = {
      command: "${row.name} ${index}",
      for_each: "xs",
      as: "row",
      max_items: 10_000,
      max_parallel: 3,
      tolerate: "12.5%",
    };
    expect(readStep(fields).forEach).toMatchObject({
      as: "row",
      maxItems: 10_000,
      maxParallel: 3,
      tolerate: { percent: 12.5 },
    });
    expect(readStep({ command: "${item.name}", for_each: "${xs}" }).forEach).toMatchObject({
      as: "item",
      maxItems: 1_000,
      maxParallel: null,
      tolerate: { count: 0 },
    });
  });

  it("keeps who answers an escalation beside a step without a gate", () => {
    const step = readStep({ command: "x", on_failure: "manual", approvers: ["team:ops"] });
    expect(step.approval).toBeNull();
    expect(step.askRule?.approvers).toEqual([{ who: "team:ops", withinMs: null }]);
  });

  it("reads children and context sources", () => {
    const step = readStep({ workflow_ref: "audit@3", with: { a: "${xs}", b: [1] }, approval: "required" });
    expect(step.workflowRef).toEqual({ name: "audit", version: 3 });
    expect(step.with.b).toEqual({ kind: "literal", value: [1] });
    expect(step.approval).not.toBeNull();
    const sources = ["internal", { class: "external", as_of: "2031-05-04T10:00:00Z", environment: "staging" }];
    expect(readStep({ command: "x", context_sources: sources }).contextSources).toEqual([
      { class: "internal" },
      { class: "external", asOf: "2031-05-04T10:00:00Z", environment: "staging" },
    ]);
  });

  it.each([
    ["timeout", [0, -1, "5 minutes", 1e9, 2_592_001], "bad_duration"],
    ["queue_timeout", [0, "1w"], "bad_duration"],
    ["estimated_cost", [-0.01, 1e10], "bad_number"],
    ["on_failure", ["Halt", ""], "bad_enum"],
    ["action", ["delete"], "bad_enum"],
    ["effects", ["exactly_once"], "bad_enum"],
    ["parallel_failure_policy", ["wait"], "bad_enum"],
    ["context_sources", [["secret"]], "bad_enum"],
    ["role", ["", "  "], "bad_name"],
    ["timeout", [true, [5]], "wrong_type"],
    ["tools", ["x", [1]], "wrong_type"],
    ["command", [1, ["x"], null], "wrong_type"],
    ["inputs", [["x"]], "wrong_type"],
    ["outputs", [{ x: 1 }], "wrong_type"],
    ["success_criteria", ["outputs.x == 1"], "wrong_type"],
    ["retry", [3], "wrong_type"],
  ])("%s refuses %j with %s", (field, values, code) => {
    for (const value of values) expect(stepCodes({ [field]: value }).join()).toMatch(new RegExp(`^${code} `));
  });

  it.each([
    [0, "bad_number"],
    [1, undefined],
    [10, undefined],
    [11, "bad_number"],
    [1.5, "bad_number"],
  ])("retry.attempts %d gives %s", (attempts, code) => {
    const found = stepCodes({ retry: { attempts } });
    expect(found).toEqual(code === undefined ? [] : [`${code} steps[0].retry.attempts`]);
  });

  it.each([
    [{ type: "boolean", enum: [true] }, "conflicting_fields"],
    [{ type: "string", items: { type: "string" } }, "conflicting_fields"],
    [{ type: "integer", minLength: 1 }, "conflicting_fields"],
    [{ type: "string", minLength: 3, maxLength: 2 }, "bad_number"],
    [{ type: "string", minLength: -1 }, "bad_number"],
    [{ type: "string", maxLength: 1.5 }, "bad_number"],
    [{ type: "text" }, "bad_enum"],
    [{ type: "array", items: { type: "strng" } }, "bad_enum"],
    [{ type: "array", items: {} }, "missing_field"],
    [{ minimum: 1 }, "missing_field"],
    [{ type: "string", pattern: "(" }, "bad_pattern"],
    [{ type: "string", pattern: "(a)\\1" }, "bad_pattern"],
    [{ type: "string", min_length: 1 }, "unknown_key"],
  ])("output %j is refused with %s", (output, code) => {
    expect(stepCodes({ outputs: { x: output } }).join()).toMatch(new RegExp(`^${code} steps\\[0\\].outputs.x`));
  });
});

describe("ids and names", () => {
  const id = (value: string) =>
    codes({ name: "w", steps: [{ id: value, command: "x" }] }).map((found) => found.split(" ")[0]);
  it.each([
    ["a", []],
    ["a_1", []],
    ["a".repeat(LIMITS.idLengthMax - 1), []],
    ["a".repeat(LIMITS.idLengthMax), []],
    ["a".repeat(LIMITS.idLengthMax + 1), ["bad_id"]],
    ["1a", ["bad_id"]],
    ["a-b", ["bad_id"]],
    ["a b", ["bad_id"]],
    ["é", ["bad_id"]],
    ["а", ["bad_id"]],
    ["🙂", ["bad_id"]],
    ["a\n", ["bad_id"]],
    ["", ["bad_id"]],
    ["constructor", ["reserved_id"]],
    ["hasOwnProperty", ["reserved_id"]],
    ["__proto__", ["reserved_id"]],
    ["valueOf", ["reserved_id"]],
    ["json", ["reserved_id"]],
    ["stdout", ["reserved_id"]],
    ["approved", ["reserved_id"]],
    ["item", []],
    ["index", []],
  ])("id %j → %j", (value, expected) => {
    expect(id(value)).toEqual(expected);
  });

  it.each([
    ["w", []],
    ["a-b-2", []],
    ["a".repeat(63), []],
    ["a".repeat(64), []],
    ["a".repeat(65), ["bad_name name"]],
    ["A", ["bad_name name"]],
    ["a_b", ["bad_name name"]],
    ["a--b", ["bad_name name"]],
    ["-a", ["bad_name name"]],
    ["a-", ["bad_name name"]],
    ["", ["bad_name name"]],
    ["\u202ea", ["bad_name name"]],
  ])("name %j → %j", (name, expected) => {
    expect(codes({ name, steps: [{ id: "a", command: "x" }] })).toEqual(expected);
  });

  it("does not blame those who refer to a step whose id is wrong", () => {
    const steps = [
      { id: "Build", command: "x" },
      { id: "b", command: "${Build.stdout}", depends_on: ["Build"], condition: "Build.outputs.x == 1" },
    ];
    expect(codes({ name: "w", steps })).toEqual(["bad_id steps[0].id"]);
  });

  it("lets a step be called item where no element is", () => {
    const steps = [
      { id: "item", command: "x" },
      { id: "b", command: "${row}", for_each: "item.outputs.list", as: "row" },
    ];
    expect(codes({ name: "w", steps })).toEqual([]);
    expect(
      codes({
        name: "w",
        steps: [
          { id: "a", command: "x" },
          { id: "index", command: "x" },
          { id: "c", command: "x", for_each: "a.outputs.l" },
        ],
      }),
    ).toEqual(["conflicting_fields steps[2].for_each"]);
    expect(
      codes({
        name: "w",
        steps: [
          { id: "a", command: "x" },
          { id: "c", command: "x", for_each: "a.outputs.l", as: "a" },
        ],
      }),
    ).toEqual(["conflicting_fields steps[1].for_each"]);
  });
});

describe("references", () => {
  const source = { id: "a", command: "x", outputs: { who: "object", n: "number", list: "array" } };
  const using = (fields: JsonObject) =>
    codes({ name: "w", args: { arg: { type: "object" } }, steps: [source, { id: "b", command: "x", ...fields }] });

  it.each([
    [{ command: "${who.name} ${arg.x} ${a.who.name} ${a.outputs.who.anything}" }],
    [{ condition: "who.name == 'x' and arg.y == 1 and n == null" }],
    [{ inputs: { own: { from: "a.outputs.who" } }, command: "${own.name}" }],
    [{ for_each: "a.outputs.list", command: "${item.x} ${index}", success_criteria: ["outputs.x == item.x"] }],
    [{ success_criteria: ["outputs.x == arg.y", "outputs.z == n"] }],
  ])("%j is fine", (fields) => {
    expect(using(fields)).toEqual([]);
  });

  it("does not let a criterion read another step", () => {
    expect(using({ success_criteria: ["a.outputs.n == 1"] })).toEqual(["unknown_step steps[1].success_criteria[0]"]);
  });

  it("says how an arg and an approver are written", () => {
    const hints = (step: object): readonly (string | undefined)[] => {
      const source = JSON.stringify({
        name: "w",
        args: { list: { type: "array" } },
        steps: [{ id: "a", command: "go", ...step }],
      });
      return readDefinition(source, EMPTY_CATALOG).problems.map(({ hint }) => hint);
    };
    expect(hints({ for_each: "$args.list" })).toEqual(["Write $list."]);
    expect(hints({ command: "${args.list.first}" })).toEqual(["Write ${list.first}."]);
    expect(hints({ approval: "required", approvers: [{ who: "Ops team" }] })).toEqual(["Write role:ops-team."]);
  });

  it("leaves dotted names open while a library entry may declare them", () => {
    const steps = [
      { id: "a", library_step: "lib" },
      { id: "b", command: "${thing.name}", stdin: "$missing.stdout" },
    ];
    expect(codes({ name: "w", steps })).toEqual(["unknown_step steps[1].stdin"]);
  });
});

describe("graphs", () => {
  it("prints every separate cycle in the order of work", () => {
    const steps = [
      { id: "a", command: "x", depends_on: ["c"] },
      { id: "b", command: "x", depends_on: ["a"] },
      { id: "c", command: "x", stdin: "$b.stdout" },
      { id: "d", command: "x", condition: "$e.approved" },
      { id: "e", command: "${d.x}", depends_on: ["c"] },
    ];
    const { problems } = readDefinition(JSON.stringify({ name: "w", steps }), EMPTY_CATALOG);
    expect(problems.map((problem) => problem.message)).toEqual([
      "These wait for each other, so none could ever start: a → b → c → a.",
      "These wait for each other, so none could ever start: d → e → d.",
    ]);
  });
});

describe("types", () => {
  const steps = (condition: string, args: JsonObject = {}): JsonObject => ({
    name: "w",
    args,
    steps: [
      { id: "a", command: "x", outputs: { n: "integer", t: "string", b: "boolean", l: "array", o: "object" } },
      { id: "many", command: "x", for_each: "a.l", outputs: { t: "string" } },
      { id: "b", command: "x", depends_on: ["many"], condition },
    ],
  });
  const found = (condition: string, args?: JsonObject) =>
    codes(steps(condition, args)).map((text) => text.split(" ")[0]);

  it.each([
    "a.n == 1",
    "a.outputs.n > 1.5",
    "a.t == 'x'",
    "a.t.length > 3",
    "a.l.length == 0",
    "a.b",
    "not a.b or a.t == null",
    "a.o.anything == 1",
    "many.count == 3",
    "many.items.length > 0",
    "$a.approved",
    "a.n in [1, 2]",
  ])("accepts %s", (condition) => {
    expect(found(condition)).toEqual([]);
  });

  it.each([
    "a.n == 'x'",
    "'x' == a.n",
    "a.t > 3",
    "a.b == 'true'",
    "a.l == 1",
    "a.t",
    "a.n and a.b",
    "not a.l",
    "a.t.length == 'x'",
    "many.count == 'x'",
    "$a.approved == 'yes'",
    "1",
    "'x' == 1",
    "a.n in 'abc'",
  ])("refuses %s", (condition) => {
    expect(found(condition)).toEqual(["type_mismatch"]);
  });

  it("knows args, unless an output of the same name may take their place", () => {
    expect(found("size == 'x'", { size: { type: "integer" } })).toEqual(["type_mismatch"]);
    expect(found("n == 'x'", { n: { type: "integer" } })).toEqual([]);
  });
});

describe("library steps", () => {
  const library = {
    smoke: { command: "Run the smoke tests.", timeout: 60, condition: "true", on_failure: "retry_once" },
    bad: { command: "x ${missing.stdout}", timeuot: 3 },
    idle: { timeout: 5 },
    gated: { id: "other", library_step: "smoke", approval: "required", command: "x" },
  };

  it("lends the fields the workflow does not set", () => {
    const step = readStep({ library_step: "smoke", timeout: 1_200, when: "false == true" }, { library });
    expect(step).toMatchObject({ timeoutMs: 1_200_000, onFailure: "retry_once", unresolvedLibraryStep: null });
    expect(step.command?.text).toBe("Run the smoke tests.");
    expect(step.condition?.text).toBe("false == true");
  });

  it("never lends an id, another entry, or a gate the workflow has decided on", () => {
    const step = readStep({ library_step: "gated", hitl: false }, { library });
    expect(step).toMatchObject({ id: "a", approval: null });
  });

  it("shows what is wrong in an entry at the step", () => {
    const source = "name: w\nsteps:\n  - { id: a, library_step: bad }\n";
    const { problems } = readDefinition(source, { ...EMPTY_CATALOG, library });
    expect(problems.map(({ code, path, line, column }) => [code, path, line, column])).toEqual([
      ["unknown_key", "steps[0]", 3, 5],
      ["unknown_step", "steps[0]", 3, 5],
    ]);
    expect(problems[0]?.message).toBe('In "timeuot", taken from library step "bad": "timeuot" is not a key of a step.');
    expect(problems[0]?.hint).toBe('Did you mean "timeout"?');
  });

  it("must bring something to do", () => {
    expect(codes({ name: "w", steps: [{ id: "a", library_step: "idle" }] }, { library })).toEqual([
      "missing_command steps[0].command",
    ]);
  });

  it("is a warning offline, and the step stays unresolved", () => {
    const step = readStep({ library_step: "toString", with: { x: 1 }, max_parallel: 3 });
    expect(step.unresolvedLibraryStep).toBe("toString");
    expect(codes({ name: "w", steps: [{ id: "a", library_step: "toString" }] }, { library })).toEqual([
      "unknown_library_step steps[0].library_step",
    ]);
  });
});

describe("what others know", () => {
  it("lets a workflow call itself and check names only when they are known", () => {
    const steps = [{ id: "a", workflow_ref: "w@2" }];
    expect(codes({ name: "w", steps }, { workflows: [] })).toEqual([]);
    expect(codes({ name: "v", steps }, { workflows: [] })).toEqual(["unknown_workflow steps[0].workflow_ref"]);
    expect(codes({ name: "v", steps })).toEqual([]);
  });

  it("asks for declared roles only where roles are declared", () => {
    const steps = [{ id: "a", command: "x", role: "clerk" }];
    expect(codes({ name: "w", steps })).toEqual([]);
    expect(codes({ name: "w", roles: {}, steps })).toEqual(["unknown_role steps[0].role"]);
    expect(codes({ name: "w", roles: { clerk: null }, steps })).toEqual([]);
  });
});

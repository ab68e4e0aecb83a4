import { describe, expect, it } from "vitest";
import type { JsonObject } from "../base/index.ts";
import { EMPTY_CATALOG, parseLens, readDefinition, type Lens } from "./index.ts";

function found(document: JsonObject, lenses: Readonly<Record<string, Lens>> | null = null): readonly string[] {
  const { problems } = readDefinition(JSON.stringify(document), { ...EMPTY_CATALOG, lenses });
  return problems.map(({ code, path, hint }) => `${code} ${path}${hint === undefined ? "" : `: ${hint}`}`);
}

/** `c` declares a verdict and a list of texts, `free` nothing, `gate` only asks, `each` runs per element. */
function after(fields: JsonObject): readonly string[] {
  return found({
    name: "w",
    args: { item_count: 3, topic: { type: "string" }, names: { type: "array" }, bag: { type: "object" } },
    steps: [
      { id: "c", command: "x", outputs: { verdict: "string", tags: { type: "array", items: { type: "string" } } } },
      { id: "free", command: "x" },
      { id: "gate", approval: "required" },
      { id: "each", for_each: "names", command: "${item}", outputs: { score: "number" } },
      { id: "end", command: "x", depends_on: ["c", "each"], ...fields },
    ],
  });
}

describe("names that nothing has", () => {
  it.each<[JsonObject, string]>([
    [{ condition: "item_cuont == 3" }, 'unknown_step steps[4].condition: Did you mean "item_count"?'],
    [{ condition: "c.verdcit == 'PASS'" }, 'unknown_field steps[4].condition: Did you mean "verdict"?'],
    [{ command: "${c.verdcit}" }, 'unknown_field steps[4].command: Did you mean "verdict"?'],
    [{ command: "${topci}" }, 'unknown_step steps[4].command: Did you mean "topic"?'],
    [{ command: "${c.verdict.text}" }, "unknown_field steps[4].command"],
    [{ command: "${topic.x}" }, "unknown_field steps[4].command"],
    [{ command: "${c.tags.first}" }, "unknown_field steps[4].command: Write [0] for an element, or .length."],
    [{ command: "${c.stdout.x}" }, "unknown_field steps[4].command"],
    [{ command: "${gate.reason}" }, "unknown_field steps[4].command: It has approved."],
    [{ command: "${each.score}" }, "unknown_field steps[4].command: It has items, count, failed."],
    [{ command: "${each.items[0].scroe}" }, 'unknown_field steps[4].command: Did you mean "score"?'],
    [
      { command: "${score}" },
      'unknown_step steps[4].command: "each" runs once per element: its results are each.items.',
    ],
    [{ stdin: "$c.verdcit" }, 'unknown_field steps[4].stdin: Did you mean "verdict"?'],
    [{ inputs: { v: "c.outputs.verdcit" } }, 'unknown_field steps[4].inputs.v: Did you mean "verdict"?'],
    [{ inputs: { v: { from: "topci" } } }, 'unknown_step steps[4].inputs.v: Did you mean "topic"?'],
    [{ inputs: { topci: { type: "string" } } }, 'unknown_step steps[4].inputs.topci: Did you mean "topic"?'],
    [
      { inputs: { kept: "c.outputs.verdict" }, condition: "kept == 'PASS'" },
      "unknown_step steps[4].condition: Write c.outputs.verdict.",
    ],
    [{ for_each: "nmaes" }, 'unknown_step steps[4].for_each: Did you mean "names"?'],
    [{ for_each: "c.tags", command: "${itme}" }, 'unknown_step steps[4].command: Did you mean "item"?'],
    [{ for_each: "c.tags", command: "${item.name}" }, "unknown_field steps[4].command"],
    [{ for_each: "c.tags", condition: "item > 1" }, "type_mismatch steps[4].condition"],
    [
      { outputs: { words: "integer" }, success_criteria: ["outputs.wrods > 3"] },
      'unknown_field steps[4].success_criteria[0]: Did you mean "words"?',
    ],
    [
      { outputs: { words: "integer" }, success_criteria: ["outputs.words == 'x'"] },
      "type_mismatch steps[4].success_criteria[0]",
    ],
    [
      { command: "${HOME}/bin" },
      "unknown_step steps[4].command: Variables of a shell are not seen here; for a literal ${ write $${.",
    ],
    [{ command: "${inputs.topic}" }, "unknown_step steps[4].command: Write ${topic}."],
  ])("%j", (fields, problem) => {
    expect(after(fields)).toEqual([problem]);
  });

  it("in the values for another workflow, at any depth", () => {
    const child = { id: "call", workflow_ref: "other", with: { a: { b: ["${tpoic}"] } } };
    const source = { name: "w", args: { topic: "x" }, steps: [{ id: "t", command: "${topic}" }, child] };
    const { problems } = readDefinition(JSON.stringify(source), EMPTY_CATALOG);
    expect(problems.map(({ code, path, column }) => [code, path, column])).toEqual([
      ["unknown_step", "steps[1].with.a", JSON.stringify(source).indexOf("${tpoic}") + 1],
    ]);
  });

  it("and outputs where only a person answers", () => {
    const gate = {
      id: "g",
      approval: "required",
      outputs: { reason: "string" },
      success_criteria: ["outputs.reason != null"],
    };
    const hint = "Remove it, or write a command for an agent to do once the step is approved.";
    expect(found({ name: "w", steps: [gate] })).toEqual([
      `conflicting_fields steps[0].outputs: ${hint}`,
      `conflicting_fields steps[0].success_criteria: ${hint}`,
    ]);
    expect(found({ name: "w", steps: [{ ...gate, command: "Do it." }] })).toEqual([]);
  });
});

describe("names that may be there", () => {
  it.each<[JsonObject]>([
    [
      {
        command:
          "${c.verdict} ${c.outputs.verdict.length} ${c.tags[0].length} ${c} ${c.outputs} ${c.json.anything.else}",
      },
    ],
    [{ command: "${free.anything.at.all} ${free.outputs.x[3]} ${free.stdout}" }],
    [{ command: "${each.items[0].score} ${each.count} ${each.failed} ${each.outputs.items.length}" }],
    [{ command: "${gate.approved} ${gate.outputs.approved} ${gate.json.approved}" }],
    [{ command: "${bag.any.thing} ${names[0].any} ${verdict} ${tags[1]}" }],
    [{ command: "${c._skipped} ${each._skipped}" }],
    [{ for_each: "c.tags", condition: "item == 'a' and index > 0 and c.verdict == 'PASS'", command: "${item.length}" }],
    [{ for_each: "each.items", command: "${item.score}" }],
    [{ inputs: { note: { type: "string", required: false } }, command: "Note: ${note}" }],
    [{ inputs: { kept: { from: "free.outputs.x", type: "object" } }, command: "${kept.y}" }],
    [{ condition: "$gate.approved and free.outputs.x == null" }],
  ])("%j", (fields) => {
    expect(after(fields)).toEqual([]);
  });

  it("are not looked for while a library entry is not available", () => {
    const steps = [
      { id: "a", library_step: "lib" },
      { id: "b", command: "${a.anything} ${whatever}", condition: "verdict == 'x'" },
    ];
    expect(found({ name: "w", steps })).toEqual([]);
  });

  it("are no second mistake where their declaration is the first", () => {
    const source = {
      name: "w",
      args: { topic: { type: "sting" } },
      steps: [
        { id: "a", command: "${topic}", outputs: { verdict: { type: "wrong" }, ok: "boolean" } },
        { id: "b", command: "${a.verdict} ${verdict} ${item.x} ${index}", for_each: "a.list[", depends_on: ["a"] },
        { id: "c", command: "${b.anything}" },
      ],
    };
    expect(found(source).map((text) => text.split(/[ :]/).slice(0, 2).join(" "))).toEqual([
      "bad_enum args.topic.type",
      "bad_enum steps[0].outputs.verdict.type",
      "bad_expression steps[1].for_each",
    ]);
  });
});

describe("a version that is stored already", () => {
  it("continues with warnings", () => {
    const source = JSON.stringify({
      name: "w",
      steps: [
        { id: "c", command: "x", outputs: { verdict: "string" } },
        { id: "g", approval: "required", outputs: { a: "string" } },
        { id: "d", command: "${c.verdcit} ${nothing}", depends_on: ["g"] },
      ],
    });
    expect(readDefinition(source, EMPTY_CATALOG).definition).toBeNull();
    const { definition, problems, warnings } = readDefinition(source, EMPTY_CATALOG, { isStored: true });
    expect(definition?.name).toBe("w");
    expect(problems).toEqual([]);
    expect(warnings.map(({ code }) => code)).toEqual(["conflicting_fields", "unknown_field", "unknown_step"]);
  });
});

describe("an approval without approvers", () => {
  it("is a warning, because it is always false", () => {
    const steps = [
      { id: "a", command: "x", outputs: { n: "number" } },
      { id: "b", command: "x", condition: "$a.approved" },
    ];
    const { problems, warnings } = readDefinition(JSON.stringify({ name: "w", steps }), EMPTY_CATALOG);
    expect(problems).toEqual([]);
    expect(warnings.map(({ code, path, message }) => [code, path, message])).toEqual([
      ["unknown_field", "steps[1].condition", '$a.approved is always false: step "a" asks no person.'],
    ]);
  });
});

describe("a list that is none", () => {
  it("is a warning, because the run says so too", () => {
    const steps = [
      { id: "a", command: "x", outputs: { t: "string" } },
      { id: "b", command: "x", for_each: "a.t" },
    ];
    const { problems, warnings } = readDefinition(JSON.stringify({ name: "w", steps }), EMPTY_CATALOG);
    expect(problems).toEqual([]);
    expect(warnings.map(({ code, path }) => [code, path])).toEqual([["type_mismatch", "steps[1].for_each"]]);
  });
});

describe("lens graphs", () => {
  function lens(id: string, version: JsonObject): Lens {
    const parsed = parseLens(id, { versions: [{ id: "v1", ...version }] });
    if (!parsed.ok) throw new Error("the lens reads");
    return parsed.value;
  }
  const lenses = {
    answer: lens("answer", {
      template_body: "Answer [[Question]].",
      output_contract: {
        kind: "json",
        artifact_kind: "json",
        schema: { score: { type: "number" }, tags: { type: "array", item_type: "string" } },
        tokens: ["summary"],
      },
    }),
    judge: lens("judge", { template_body: "Judge [[My Answer]] and [[tone!]]." }),
  };
  const graph = (edge: JsonObject, more: JsonObject = {}): JsonObject => ({
    format: "lens-graph/v1",
    name: "g",
    root_inputs: { question: { type: "string" } },
    nodes: [
      { id: "draft", lens_id: "answer" },
      { id: "judge", lens_id: "judge", ...more },
    ],
    edges: [{ id: "e", source_node_id: "draft", target_node_id: "judge", target_param_label: "my_answer", ...edge }],
  });

  it.each<[JsonObject, JsonObject?]>([
    [{}],
    [{ source_output_key: "data.anything" }],
    [{ source_output_key: "score", target_param_label: "MY  answer" }],
    [{ source_output_key: "tags[0]" }],
    [{ source_output_key: "summary" }],
    [{ condition: { type: "expression", expr: "score > 3 and data.x != 'y' and output != ''" } }],
    [{ source_output_key: "score", condition: { type: "expression", expr: "value > 3" } }],
    [{ target_param_label: "only for the order" }],
    [{}, { config: { param_overrides: { tone: "[[draft.score]] [[draft.data.x]]" } } }],
  ])("take %j %j", (edge, more) => {
    expect(found(graph(edge, more), lenses)).toEqual([]);
  });

  it.each<[JsonObject, string, JsonObject?]>([
    [{ source_output_key: "scroe" }, 'unknown_field edges[0].source_output_key: Did you mean "score"?'],
    [{ source_output_key: "score.x" }, "unknown_field edges[0].source_output_key"],
    [{ source_output_key: "tags.length" }, "unknown_field edges[0].source_output_key"],
    [
      { condition: { type: "expression", expr: "scroe > 3" } },
      'unknown_field edges[0].condition.expr: Did you mean "score"?',
    ],
    [{ condition: { type: "expression", expr: "score == 'x'" } }, "type_mismatch edges[0].condition.expr"],
    [{ condition: { type: "expression", expr: "value > 3" } }, "type_mismatch edges[0].condition.expr"],
    [{ target_param_label: "my_anwser" }, 'unknown_field edges[0].target_param_label: Did you mean "My Answer"?'],
    [
      {},
      'unknown_field nodes[1].config.param_overrides.tone: Did you mean "score"?',
      { config: { param_overrides: { tone: "[[draft.scroe]]" } } },
    ],
    [
      {},
      'unknown_field nodes[1].config.param_overrides.tnoe: Did you mean "tone"?',
      { config: { param_overrides: { tnoe: "x" } } },
    ],
  ])("refuse %j", (edge, problem, more) => {
    expect(found(graph(edge, more), lenses)).toEqual([problem]);
  });

  it("say nothing of lenses that are not available", () => {
    const edge = { source_output_key: "anything", target_param_label: "my_anwser" };
    expect(found(graph(edge), null)).toEqual([]);
  });
});

describe("words of other systems", () => {
  const hintOf = (document: JsonObject): string | undefined =>
    readDefinition(JSON.stringify(document), EMPTY_CATALOG).problems.find(({ code }) => code === "unknown_key")?.hint;
  it.each([
    ["if", "condition"],
    ["needs", "depends_on"],
    ["run", "command"],
    ["matrix", "for_each"],
    ["with_items", "for_each"],
    ["sleep", "wait: 5m"],
    ["env", "environment of the Bridge"],
    ["uses", "library_step"],
    ["switch", "choose"],
    ["retries", "on_failure: retry"],
    ["continue-on-error", "on_failure: skip"],
    ["comand", 'Did you mean "command"?'],
  ])("%s in a step", (word, advice) => {
    expect(hintOf({ name: "w", steps: [{ id: "a", command: "x", [word]: "y" }] })).toContain(advice);
  });
  it.each([
    ["jobs", "Write steps."],
    ["on", "Trigger manifest"],
    ["inputs", "Write args"],
    ["kind", "manifest"],
  ])("%s in a workflow", (word, advice) => {
    expect(hintOf({ name: "w", steps: [{ id: "a", command: "x" }], [word]: {} })).toContain(advice);
  });
});

describe("texts that look like secrets", () => {
  const TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ0123456789";
  const step = (fields: JsonObject): JsonObject => ({ name: "w", steps: [{ id: "a", command: "x", ...fields }] });
  it.each<[JsonObject, string]>([
    [step({ command: `Use ${TOKEN}.` }), "steps[0].command"],
    [step({ stdin: "Authorization: Bearer abcdefghij0123456789xyz" }), "steps[0].stdin"],
    [{ ...step({}), description: "postgres://sluice:hunter2x@db/sluice" }, "description"],
    [
      { ...step({ command: "${key}" }), args: { key: { type: "string", default: "sk-live-abcdef0123456789" } } },
      "args.key.default",
    ],
    [
      { name: "w", steps: [{ id: "a", workflow_ref: "other", with: { api_key: "q8Zx2mWv7t" } }] },
      "steps[0].with.api_key",
    ],
  ])("%j", (document, path) => {
    const { problems } = readDefinition(JSON.stringify(document), EMPTY_CATALOG);
    expect(problems.map((problem) => [problem.code, problem.path])).toEqual([["secret_literal", path]]);
    expect(JSON.stringify(problems)).not.toContain("0123456789");
    expect(found({ ...document, allow_secret_literals: true })).toEqual([]);
  });

  it("may be allowed for one step, and references are none", () => {
    expect(found(step({ command: TOKEN, allow_secret_literals: true }))).toEqual([]);
    const plain = {
      ...step({ command: "Authorization: Bearer ${token}, postgres://u:${token}@h", outputs: { password: "string" } }),
    };
    expect(found({ ...plain, args: { token: { type: "string" } } })).toEqual([]);
  });

  it("name what they look like", () => {
    const [problem] = readDefinition(JSON.stringify(step({ command: TOKEN })), EMPTY_CATALOG).problems;
    expect(problem?.message).toContain("a GitHub token");
    expect(problem?.hint).toContain("allow_secret_literals: true");
  });
});

import { describe, expect, it } from "vitest";
import { PROBLEM_CODES, WARNING_CODES, type Problem } from "../base/index.ts";
import { EMPTY_CATALOG, parseLens, readDefinition, type Catalog, type Lens } from "./index.ts";

interface Row {
  readonly about: string;
  readonly source: string;
  /** code path line:column, and the hint behind it. */
  readonly finds: readonly (readonly [string, string?])[];
  readonly catalog?: Partial<Catalog>;
}

const CHARGE = {
  input: {
    type: "object",
    properties: { cents: { type: "integer", minimum: 1 }, note: { type: "string" } },
    required: ["cents"],
    additionalProperties: false,
  },
  output: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  action: "financial",
  effects: "at_most_once",
} as const;

/** A step named `a` on line 3, its further fields from line 4 on at column 5. */
function step(...fields: readonly string[]): string {
  return ["name: w", "steps:", "  - id: a", ...fields.map((field) => `    ${field}`), ""].join("\n");
}

/** The same with a command on line 4, so that further fields begin on line 5. */
function working(...fields: readonly string[]): string {
  return step("command: x", ...fields);
}

function graph(nodes: string, edges = "[]", more = ""): string {
  return `format: lens-graph/v1\nname: g\nnodes: ${nodes}\nedges: ${edges}\n${more}`;
}

function lensWith(id: string): Lens {
  const parsed = parseLens("answer", { versions: [{ id, template_body: "x" }] });
  if (!parsed.ok) throw new Error("the lens reads");
  return parsed.value;
}

const A_AND_B = "[{ id: a }, { id: b }]";

const PROBLEMS: readonly Row[] = [
  { about: "an empty file", source: "", finds: [["yaml_empty  1:1"]] },
  { about: "broken YAML", source: 'name: "w\n', finds: [["yaml_syntax"]] },
  { about: "a NUL byte", source: "name: w\0\n", finds: [["yaml_encoding"]] },
  { about: "a huge file", source: `name: w\n# ${"x".repeat(1_048_576)}`, finds: [["yaml_too_large"]] },
  { about: "deep nesting", source: `name: ${"[".repeat(30)}${"]".repeat(30)}`, finds: [["yaml_too_deep"]] },
  {
    about: "an alias",
    source: "name: &n w\ndescription: *n\nsteps: [{ id: a, command: x }]\n",
    finds: [["yaml_alias"], ["yaml_alias"]],
  },
  { about: "a tag", source: "name: !env HOME\n", finds: [["yaml_tag"]] },
  {
    about: "a duplicate key",
    source: "name: w\nname: v\nsteps: [{ id: a, command: x }]\n",
    finds: [["yaml_duplicate_key"]],
  },
  {
    about: "a forbidden key",
    source: "name: w\nconstructor: v\nsteps: [{ id: a, command: x }]\n",
    finds: [["yaml_forbidden_key"]],
  },
  { about: "two documents", source: "name: w\n---\nname: v\n", finds: [["yaml_multiple_documents"]] },

  { about: "a list instead of a map", source: "- a\n", finds: [["wrong_type  1:1"]] },
  { about: "a text instead of a map", source: "hello\n", finds: [["wrong_type  1:1"]] },
  { about: "steps that are no list", source: "name: w\nsteps: { a: 1 }\n", finds: [["wrong_type steps 2:8"]] },
  {
    about: "depends_on as text",
    source: working("depends_on: b"),
    finds: [["wrong_type steps[0].depends_on 5:17", "Write a list: [b]."]],
  },
  {
    about: "a step that is no map",
    source: "name: w\nsteps:\n  - just text\n",
    finds: [["wrong_type steps[0] 3:5"]],
  },
  {
    about: "an empty value",
    source: working("approval:"),
    finds: [["wrong_type steps[0].approval 5:14", "Write approval: required."]],
  },
  {
    about: "attempts in quotes",
    source: working('retry: { attempts: "3" }'),
    finds: [["wrong_type steps[0].retry.attempts 5:24", "Write 3 without quotes."]],
  },
  { about: "no steps", source: "name: w\n", finds: [["missing_field steps 1:1", 'Add "steps".']] },
  { about: "an empty list of steps", source: "name: w\nsteps: []\n", finds: [["missing_field steps 2:8"]] },
  {
    about: "no name and no id",
    source: "steps:\n  - command: x\n",
    finds: [
      ["missing_field name 1:1", 'Add "name".'],
      ["missing_field steps[0].id 2:5", 'Add "id".'],
    ],
  },
  {
    about: "an approval without approvers",
    source: step("approval: required", "approvers: []"),
    finds: [["missing_field steps[0].approvers 5:16"]],
  },
  {
    about: "an arg without a type",
    source: `name: w\nargs: { x: {} }\nsteps: [{ id: a, command: "\${x}" }]`,
    finds: [
      ["missing_field args.x.type 2:12", "Add type: one of string, number, integer, boolean, object, array, file."],
    ],
  },
  {
    about: "unknown keys, all of them",
    source: "nmae: v\nname: w\nsteps:\n  - id: a\n    comand: y\n    command: x\n    dependsOn: []\n",
    finds: [
      ["unknown_key nmae 1:1", 'Did you mean "name"?'],
      ["unknown_key steps[0].comand 5:5", 'Did you mean "command"?'],
      ["unknown_key steps[0].dependsOn 7:5", 'Did you mean "depends_on"?'],
    ],
  },
  {
    about: "an upper-case name",
    source: "name: Vendor Review\nsteps: [{ id: a, command: x }]\n",
    finds: [["bad_name name 1:7", "Write vendor-review."]],
  },
  {
    about: "a malformed workflow_ref",
    source: step("workflow_ref: audit@0"),
    finds: [["bad_name steps[0].workflow_ref 4:19"]],
  },
  {
    about: "an approver that cannot exist",
    source: step("approval: required", "approvers: [bob]"),
    finds: [["bad_name steps[0].approvers[0] 5:17"]],
  },
  {
    about: "an arg no reference can spell",
    source: "name: w\nargs: { a b: 1 }\nsteps: [{ id: a, command: x }]\n",
    finds: [["bad_name args.a b 2:9"]],
  },
  {
    about: "an id in camel case",
    source: "name: w\nsteps:\n  - id: BuildArtifact\n    command: x\n",
    finds: [["bad_id steps[0].id 3:9", "Write build_artifact."]],
  },
  {
    about: "the same id twice, at the later place",
    source: "name: w\nsteps:\n  - { id: a, command: x }\n  - { id: a, command: y }\n",
    finds: [["duplicate_id steps[1].id 4:11", "Give this one another id."]],
  },
  {
    about: "the same phase twice",
    source: "name: w\nphases: [p, { id: p }]\nsteps: [{ id: a, command: x }]\n",
    finds: [["duplicate_id phases[1].id 2:19"]],
  },
  {
    about: "an id of Object.prototype",
    source: "name: w\nsteps:\n  - id: toString\n    command: x\n",
    finds: [["reserved_id steps[0].id 3:9", "Call it toString_step, for example."]],
  },
  {
    about: "an id that references need",
    source: "name: w\nsteps:\n  - id: outputs\n    command: x\n",
    finds: [["reserved_id steps[0].id 3:9", "Call it outputs_step, for example."]],
  },
  {
    about: "a step that sets nothing",
    source: step("set: {}"),
    finds: [["bad_set steps[0].set 4:10", "Write set: { name: value }."]],
  },
  { about: "a blank script", source: step('script: " "'), finds: [["bad_script steps[0].script 4:13"]] },
  {
    about: "values that cannot be read",
    source: step('set: { a: "${", b: { expr: "1 +" }, c: [{ d: { expr: "nope(1)" } }], "e f": 1 }'),
    finds: [
      ["bad_template steps[0].set.a 4:16"],
      ["bad_expression steps[0].set.b.expr 4:36"],
      ["unknown_function steps[0].set.c[0].d.expr 4:59"],
      ["bad_name steps[0].set.e f 4:74"],
    ],
  },
  {
    about: "work of two kinds, and fields that say nothing beside it",
    source:
      "name: w\nsteps:\n  - { id: a, set: { x: 1 }, command: go }\n  - { id: b, fail: no, on_failure: skip, agent: ann }\n  - { id: c, set: { y: 1 }, inputs: { z: 1 } }\n",
    finds: [
      ["conflicting_fields steps[0].set 3:14", "Put the command into a step of its own."],
      ["conflicting_fields steps[1].on_failure 4:24", "Remove it."],
      ["conflicting_fields steps[1].agent 4:42", "Remove it."],
      ["conflicting_fields steps[2].inputs 5:29", "Write what it reads as ${…} in its values."],
    ],
  },
  {
    about: "an end of the run that is none",
    source:
      "name: w\nsteps:\n  - { id: a, cancel: { as: failed } }\n  - { id: b, fail: { code: Not Good, message: x } }\n  - { id: c, fail: { code: bad } }\n",
    finds: [
      ["bad_enum steps[0].cancel.as 3:28"],
      ["bad_name steps[1].fail.code 4:28"],
      ["missing_field steps[2].fail.message 5:20"],
    ],
  },
  {
    about: "a rule for failures that is none",
    source: working("on_failure: { retry: { attempts: 3, if: error.kode == 'x' }, then: stop }"),
    finds: [
      ["unknown_field steps[0].on_failure.retry.if 5:45", 'Did you mean "code"?'],
      ["bad_enum steps[0].on_failure.then 5:72", "Use one of halt, skip, escalate."],
    ],
  },
  {
    about: "retries in two places",
    source: working("on_failure: { retry: { attempts: 3 } }", "retry: { attempts: 2 }"),
    finds: [["conflicting_fields steps[0].retry 6:5", "Keep one of them."]],
  },
  {
    about: "outputs of a run that no step could give",
    source:
      'name: w\noutputs:\n  a: "${nope.x}"\n  b: { value: "${s.y}", type: text }\n  c: { value: { expr: 1 + s.x } }\nsteps: [{ id: s, set: { x: text } }]\n',
    finds: [
      ["unknown_step outputs.a 3:7"],
      ["unknown_field outputs.b 4:16"],
      ["bad_enum outputs.b.type 4:31"],
      ["type_mismatch outputs.c.value.expr 5:27"],
    ],
  },
  {
    about: "unknown steps in every field that refers",
    source: working(
      "depends_on: [bb]",
      "stdin: $cc.stdout",
      'condition: "dd.outputs.x == 1"',
      'inputs: { p: "${ee.x}", q: { from: ff.x } }',
      "for_each: gg.outputs.list",
      'success_criteria: ["hh.outputs.x == 1", "outputs.y == 1"]',
    ),
    finds: [
      ["unknown_step steps[0].depends_on[0] 5:18"],
      ["unknown_step steps[0].stdin 6:12"],
      ["unknown_step steps[0].condition 7:17"],
      ["unknown_step steps[0].inputs.p 8:19"],
      ["unknown_step steps[0].inputs.q 8:40"],
      ["unknown_step steps[0].for_each 9:15"],
      ["unknown_step steps[0].success_criteria[0] 10:25"],
    ],
  },
  {
    about: "unknown steps in command and with, with a likely word",
    source:
      "name: w\nsteps:\n  - { id: build, command: x }\n  - { id: b, command: '${buidl.outputs.x} ${buidl.stdout}' }\n  - { id: c, workflow_ref: v, with: { x: ['${biuld.x}'] } }\n",
    finds: [
      ["unknown_step steps[1].command 4:24", 'Did you mean "build"?'],
      ["unknown_step steps[2].with.x 5:44", 'Did you mean "build"?'],
    ],
  },
  {
    about: "outputs.* outside a success criterion",
    source: working('condition: "outputs.x == 1"'),
    finds: [["unknown_step steps[0].condition 5:17", "Write step.outputs.x."]],
  },
  {
    about: "the element in the list it comes from",
    source: "name: w\nargs: { xs: [] }\nsteps:\n  - { id: a, command: x, for_each: item.xs }\n",
    finds: [["unknown_step steps[0].for_each 4:36", "Known names: xs."]],
  },
  {
    about: "an arg that does not exist, once per field",
    source:
      "name: w\nargs: { item_count: 3 }\nsteps:\n  - { id: a, command: 'x ${item_count} ${topci} ${topci}', condition: item_cuont == 3 }\n",
    finds: [
      ["unknown_step steps[0].command 4:40", "Known names: item_count."],
      ["unknown_step steps[0].condition 4:71", 'Did you mean "item_count"?'],
    ],
  },
  {
    about: "fields a step does not declare",
    source:
      "name: w\nsteps:\n  - { id: c, command: x, outputs: { verdict: string } }\n  - id: d\n    command: ${c.verdcit}\n    condition: c.outputs.verdcit == 'PASS'\n    stdin: $c.verdcit\n    inputs: { v: c.outputs.verdcit }\n",
    finds: [
      ["unknown_field steps[1].command 5:14", 'Did you mean "verdict"?'],
      ["unknown_field steps[1].condition 6:16", 'Did you mean "verdict"?'],
      ["unknown_field steps[1].stdin 7:12", 'Did you mean "verdict"?'],
      ["unknown_field steps[1].inputs.v 8:18", 'Did you mean "verdict"?'],
    ],
  },
  {
    about: "functions that do not exist",
    source: step(
      "command: 'Say ${uper(x)}'",
      "condition: lenght(x) > 1",
      "success_criteria: [\"a and not match(outputs.b, 'c')\"]",
    ),
    finds: [
      ["unknown_function steps[0].command 4:21", 'Did you mean "upper"?'],
      ["unknown_function steps[0].condition 5:16", 'Did you mean "length"?'],
      ["unknown_function steps[0].success_criteria[0] 6:35", 'Did you mean "matches"?'],
    ],
  },
  {
    about: "a text that looks like a secret",
    source: step("command: use ghp_0123456789abcdefghijABCDEFGHIJ0123456789"),
    finds: [["secret_literal steps[0].command 4:18"]],
  },
  {
    about: "an undeclared phase",
    source: `name: w\nphases: [intake]\nsteps:\n  - { id: a, command: x, phase: intaek }\n`,
    finds: [["unknown_phase steps[0].phase 4:33", 'Did you mean "intake"?']],
  },
  {
    about: "a phase where none is declared",
    source: working("phase: nowhere"),
    finds: [["unknown_phase steps[0].phase 5:12"]],
  },
  {
    about: "an undeclared role",
    source: `name: w\nroles: { clerk: {} }\nsteps:\n  - { id: a, command: x, role: clark }\n`,
    finds: [["unknown_role steps[0].role 4:32", 'Did you mean "clerk"?']],
  },
  {
    about: "an unknown library step",
    source: step("library_step: smoke"),
    catalog: { library: { smoke2: {} } },
    finds: [["unknown_library_step steps[0].library_step 4:19", 'Did you mean "smoke2"?']],
  },
  {
    about: "an unknown lens",
    source: graph("[{ id: a, lens_id: answr }]"),
    catalog: { lenses: { answer: { id: "answer", versions: [] } } },
    finds: [["unknown_library_step nodes[0].lens_id 3:27", 'Did you mean "answer"?']],
  },
  {
    about: "an unknown version of a lens",
    source: graph("[{ id: a, lens_id: answer, version_id: v9 }]"),
    catalog: { lenses: { answer: lensWith("v8") } },
    finds: [["unknown_library_step nodes[0].version_id 3:47", 'Did you mean "v8"?']],
  },
  {
    about: "an unknown workflow",
    source: step("workflow_ref: audti"),
    catalog: { workflows: ["audit"] },
    finds: [["unknown_workflow steps[0].workflow_ref 4:19", 'Did you mean "audit"?']],
  },
  {
    about: "an unknown workflow in a graph",
    source: graph("[{ id: a, config: { workflowRef: audti } }]"),
    catalog: { workflows: ["audit"] },
    finds: [["unknown_workflow nodes[0].config.workflowRef 3:41", 'Did you mean "audit"?']],
  },
  {
    about: "a model beside models",
    source: working("model: a", "models: [b, c]"),
    finds: [
      [
        "conflicting_fields steps[0].models 6:5",
        "Keep models: the first one is asked first, the others when it fails.",
      ],
    ],
  },
  {
    about: "models that name none, or one twice",
    source: "name: w\nsteps:\n  - { id: a, command: x, models: [] }\n  - { id: b, command: x, models: [m, n, m] }\n",
    finds: [["missing_field steps[0].models 3:34"], ["duplicate_id steps[1].models[2] 4:41", "Remove one of them."]],
  },
  {
    about: "tools and turns that are wrong",
    source:
      "name: w\nsteps:\n  - { id: a, command: x, tools: [{ name: t }, { name: t, action: reed }, { name: t, action: read, rate: 1 }, 7] }\n" +
      "  - { id: b, command: x, turn: { max_rounds: 0, max_tool_calls: 10001, max_repeats: 1.5, rounds: 1 } }\n" +
      "  - { id: c, script: 'return {}', tools: [{ name: t, action: read }], turn: { max_rounds: 1 }, models: [m] }\n",
    finds: [
      ["missing_field steps[0].tools[0].action 3:34"],
      ["bad_enum steps[0].tools[1].action 3:66", 'Did you mean "read"?'],
      ["unknown_key steps[0].tools[2].rate 3:99"],
      ["wrong_type steps[0].tools[3] 3:110"],
      ["bad_number steps[1].turn.max_rounds 4:46"],
      ["bad_number steps[1].turn.max_tool_calls 4:65"],
      ["bad_number steps[1].turn.max_repeats 4:85"],
      ["unknown_key steps[1].turn.rounds 4:90"],
      ["conflicting_fields steps[2].tools 5:35"],
      ["conflicting_fields steps[2].turn 5:71"],
      ["conflicting_fields steps[2].models 5:96"],
    ],
  },
  {
    about: "an unknown channel",
    source: `${step("command: A")}notify:\n  - { on: run.failed, channel: osp }\n`,
    catalog: { channels: ["ops"] },
    finds: [["unknown_channel notify[0].channel 6:32", 'Did you mean "ops"?']],
  },
  {
    about: "an unknown channel of a graph",
    source: `${graph("[{ id: a, config: { template_body: A } }]")}notify: [{ on: run.failed, channel: osp }]\n`,
    catalog: { channels: ["ops"] },
    finds: [["unknown_channel notify[0].channel"]],
  },
  {
    about: "a rule about nothing that happens",
    source: `${step("command: A")}notify:\n  - { on: run.faled, channel: ops }\n`,
    finds: [["bad_enum notify[0].on 6:11", 'Did you mean "run.failed"?']],
  },
  {
    about: "a rule without a channel",
    source: `${step("command: A")}notify:\n  - { on: run.failed }\n`,
    finds: [["missing_field notify[0].channel"]],
  },
  {
    about: "a rule that asks for a fact there is not",
    source: `${step("command: A")}notify:\n  - { on: run.failed, where: "workflw == 'a'", channel: ops }\n`,
    finds: [["unknown_fact notify[0].where 6:31", 'Did you mean "workflow"?']],
  },
  {
    about: "a rule that compares a text with a number",
    source: `${step("command: A")}notify:\n  - { on: run.failed, where: "workflow > 3", channel: ops }\n`,
    finds: [["type_mismatch notify[0].where"]],
  },
  {
    about: "a step that depends on itself",
    source: working("depends_on: [a]"),
    finds: [["self_dependency steps[0].depends_on[0] 5:18"]],
  },
  {
    about: "a step that refers to itself",
    source: step("command: again ${a.stdout}"),
    finds: [["self_dependency steps[0].command 4:20"]],
  },
  {
    about: "a criterion that names its own step",
    source: working('success_criteria: ["a.outputs.x > 1"]'),
    finds: [["self_dependency steps[0].success_criteria[0] 5:25", "Write outputs.field for what this step returned."]],
  },
  {
    about: "a self edge",
    source: graph("[{ id: a }]", "[{ id: e, source_node_id: a, target_node_id: a, target_param_label: x }]"),
    finds: [["self_dependency edges[0].target_node_id 4:53"]],
  },
  {
    about: "an override that refers to its own node",
    source: graph("[{ id: a, config: { param_overrides: { x: '[[a.y]]' } } }]"),
    finds: [["self_dependency nodes[0].config.param_overrides.x 3:50"]],
  },
  {
    about: "a cycle",
    source:
      "name: w\nsteps:\n  - { id: a, command: x, depends_on: [c] }\n  - { id: b, command: x, depends_on: [a] }\n  - { id: c, command: x, depends_on: [b] }\n",
    finds: [["cycle steps[0] 3:5", "Remove one of these dependencies."]],
  },
  {
    about: "a cycle through an override",
    source: graph(
      "[{ id: a, config: { param_overrides: { x: '[[b.y]]' } } }, { id: b }]",
      "[{ id: e, source_node_id: a, target_node_id: b, target_param_label: x }]",
    ),
    finds: [["cycle nodes[0] 3:9", "Remove one of these dependencies."]],
  },
  {
    about: "nothing to do",
    source: step("timeout: 5"),
    finds: [
      [
        "missing_command steps[0].command 3:5",
        "Write what the agent or adapter should do, or use approval, workflow_ref, function, set, script, wait, emit, steps, choose or library_step.",
      ],
    ],
  },
  {
    about: "a second else",
    source: step("choose: [{else: [{id: b, set: {x: 1}}]}, {else: [{id: c, set: {x: 1}}]}]"),
    finds: [
      ["duplicate_else steps[0].choose[1].else 4:47", "Keep one of them, or give this one a condition with when."],
    ],
  },
  {
    about: "else before another branch",
    source: step("choose: [{else: [{id: b, set: {x: 1}}]}, {when: true, steps: [{id: c, set: {x: 1}}]}]"),
    finds: [["bad_choose steps[0].choose[0].else 4:15", "Move it to the end."]],
  },
  {
    about: "a branch without steps",
    source: step("choose: [{when: true}]"),
    finds: [["missing_field steps[0].choose[0].steps 4:14", "Add steps: [ … ]."]],
  },
  {
    about: "a branch without a condition",
    source: step("choose: [{steps: [{id: b, set: {x: 1}}]}]"),
    finds: [["missing_field steps[0].choose[0].when 4:14", "Add when: …, or write else: [ … ]."]],
  },
  {
    about: "an empty branch",
    source: step("choose: [{else: []}]"),
    finds: [["missing_field steps[0].choose[0].else"]],
  },
  { about: "an empty choose", source: step("choose: []"), finds: [["missing_field steps[0].choose"]] },
  { about: "an empty block", source: step("steps: []"), finds: [["missing_field steps[0].steps"]] },
  {
    about: "else with a condition",
    source: step("choose: [{when: true, else: [{id: b, set: {x: 1}}]}]"),
    finds: [["conflicting_fields steps[0].choose[0].when 4:15", 'Put "when" into a branch of its own.']],
  },
  {
    about: "two branches of one name",
    source: step(
      "choose: [{name: n, when: true, steps: [{id: b, set: {x: 1}}]}, {name: n, else: [{id: c, set: {x: 1}}]}]",
    ),
    finds: [["duplicate_id steps[0].choose[1].name"]],
  },
  {
    about: "a step in a block with the name of one around it",
    source: step("steps: [{id: a, set: {x: 1}}]"),
    finds: [["duplicate_id steps[0].steps[0].id 4:18", "Give this one another id."]],
  },
  {
    about: "an unknown name in a block",
    source: step("steps: [{id: b, set: {x: '${c.y}'}}, {id: e, command: '${b.z}'}]"),
    finds: [["unknown_step steps[0].steps[0].set.x 4:31"], ["unknown_field steps[0].steps[1].command 4:60"]],
  },
  {
    about: "a step in a block that waits for one around it",
    source: "name: w\nsteps:\n  - {id: a, command: x}\n  - {id: b, steps: [{id: c, command: x, depends_on: [a]}]}\n",
    finds: [
      [
        "unknown_step steps[1].steps[0].depends_on[0] 4:54",
        'It stands outside this block: write it into depends_on of "b".',
      ],
    ],
  },
  {
    about: "a block that reads its own step",
    source: step("steps: [{id: b, set: {x: '${a.y}'}}]"),
    finds: [["self_dependency steps[0].steps[0].set.x"]],
  },
  {
    about: "a block beside a command",
    source: working("steps: [{id: b, set: {x: 1}}]"),
    finds: [["conflicting_fields steps[0].steps 5:5"]],
  },
  {
    about: "a model of a block",
    source: step("steps: [{id: b, set: {x: 1}}]\n    model: m"),
    finds: [["conflicting_fields steps[0].model 5:5", "Write it in the steps inside."]],
  },
  {
    about: "an outcome before the end",
    source: step("set: {x: '${run.outcome}'}"),
    finds: [["unknown_field steps[0].set.x"]],
  },
  {
    about: "a step called finally beside finally",
    source: "name: w\nsteps: [{id: finally, command: x}]\nfinally: [{id: b, command: x}]\n",
    finds: [["duplicate_id steps[0].id 2:14"]],
  },
  {
    about: "blocks six levels deep",
    source: step(
      `${[1, 2, 3, 4, 5, 6].map((depth) => `steps: [{id: b${depth}, `).join("")}set: {x: 1}${"}]".repeat(6)}`,
    ),
    finds: [["too_deep steps[0].steps[0].steps[0].steps[0].steps[0].steps[0].steps"]],
  },
  {
    about: "a wait for nothing",
    source: step("wait: {timeout: 5m}"),
    finds: [["bad_wait steps[0].wait 4:5", "Write one of until, event and signal, or a duration such as 5m."]],
  },
  {
    about: "a wait for two things",
    source: step("wait: {event: a, signal: b}"),
    finds: [["bad_wait steps[0].wait 4:5"]],
  },
  {
    about: "match without event",
    source: step("wait: {signal: b, match: {}}"),
    finds: [["bad_wait steps[0].wait.match 4:23"]],
  },
  {
    about: "on_timeout without timeout",
    source: step("wait: {event: b, on_timeout: skip}"),
    finds: [["bad_wait steps[0].wait.on_timeout 4:22"]],
  },
  {
    about: "until with timeout",
    source: step("wait: {until: now, timeout: 5}"),
    finds: [["bad_wait steps[0].wait.timeout 4:24"]],
  },
  { about: "until a number", source: step("wait: {until: 5}"), finds: [["bad_wait steps[0].wait.until 4:12"]] },
  {
    about: "a wait with a timeout that is none",
    source: step("wait: {event: x, timeout: soon}"),
    finds: [["bad_wait steps[0].wait.timeout 4:31"]],
  },
  { about: "a wait that is no duration", source: step("wait: soon"), finds: [["bad_wait steps[0].wait 4:11"]] },
  {
    about: "a bad type of event",
    source: step("wait: {event: 'a b'}"),
    finds: [["bad_name steps[0].wait.event 4:19"]],
  },
  {
    about: "an unknown step in match",
    source: step("wait: {event: e, match: {id: '${no.id}'}}"),
    finds: [["unknown_step steps[0].wait.match 4:35"]],
  },
  { about: "a wait beside a command", source: working("wait: 5m"), finds: [["conflicting_fields steps[0].wait 5:5"]] },
  {
    about: "a timeout beside a wait",
    source: step("wait: 5m", "timeout: 5"),
    finds: [["conflicting_fields steps[0].timeout 5:5", "Write wait: { …, timeout: 1h }."]],
  },
  {
    about: "an event without a type",
    source: step("emit: {data: 1}"),
    finds: [["missing_field steps[0].emit.type 4:11"]],
  },
  {
    about: "a key of which nothing is known when a run starts",
    source: "name: w\nconcurrency: { key: customer }\nsteps:\n  - id: a\n    command: x\n",
    finds: [["bad_concurrency concurrency.key 2:21"]],
  },
  {
    about: "labels of which nothing is known when a run starts, or that have no name or text",
    source: 'name: w\nlabels: { a: "${x}", "b:c": d, e: [1], f: "${args.y}" }\nsteps:\n  - id: a\n    command: x\n',
    finds: [
      ["bad_label labels.a 2:15"],
      ["bad_label labels.b:c 2:22"],
      ["bad_label labels.e 2:35"],
      ["bad_label labels.f 2:44"],
    ],
  },
  {
    about: "rounds without an end",
    source: step("command: x", "repeat: {max: 3}"),
    finds: [["bad_repeat steps[0].repeat.until 5:13", "Write repeat: { until: outputs.done }."]],
  },
  {
    about: "an event kept too long",
    source: step("emit: {type: a, keep: 8d}"),
    finds: [["bad_wait steps[0].emit.keep 4:21"]],
  },
  {
    about: "an agent for an event",
    source: step("emit: {type: a}", "agent: x"),
    finds: [["conflicting_fields steps[0].agent 5:5"]],
  },
  {
    about: "race without join",
    source: working("race: true"),
    finds: [["bad_join steps[0].race 5:5", "Add join: any, or remove race."]],
  },
  {
    about: "a join of nothing",
    source: working("join: any"),
    finds: [["bad_join steps[0].join 5:11", "Say what it depends on, or remove join."]],
  },
  {
    about: "a handler of what ends the run",
    source:
      "name: w\nsteps:\n  - {id: a, fail: {code: x, message: y}}\n  - {id: b, command: b, depends_on: [{step: a, on: failure}]}\n",
    finds: [["bad_handler steps[1].depends_on[0].on 4:52"]],
  },
  { about: "a blank command", source: step('command: "  "'), finds: [["missing_command steps[0].command 4:14"]] },
  {
    about: "hitl: false and no command",
    source: step("hitl: false"),
    finds: [["missing_command steps[0].command 3:5"]],
  },
  {
    about: "command and workflow_ref",
    source: working("workflow_ref: v"),
    finds: [["conflicting_fields steps[0].workflow_ref 5:5", "Put the command into a step of its own."]],
  },
  {
    about: "condition and when",
    source: working("condition: true", "when: true"),
    finds: [["conflicting_fields steps[0].when 6:5", "Keep one of them."]],
  },
  {
    about: "approval and hitl",
    source: step("approval: required", "hitl: true"),
    finds: [["conflicting_fields steps[0].hitl 5:5", "Keep approval."]],
  },
  {
    about: "at_most_once and retry",
    source: working("effects: at_most_once", "retry: { attempts: 2 }", "on_failure: retry_once"),
    finds: [["conflicting_fields steps[0].retry 6:5"], ["conflicting_fields steps[0].on_failure 7:5"]],
  },
  {
    about: "fields of for_each without it",
    source: working("as: x", "max_items: 3", "max_parallel: 2", "tolerate: 1"),
    finds: [
      ["conflicting_fields steps[0].as 5:5"],
      ["conflicting_fields steps[0].max_items 6:5"],
      ["conflicting_fields steps[0].max_parallel 7:5"],
      ["conflicting_fields steps[0].tolerate 8:5"],
    ],
  },
  {
    about: "with without workflow_ref",
    source: working("with: { x: 1 }"),
    finds: [["conflicting_fields steps[0].with 5:5", "Name the workflow it is for."]],
  },
  {
    about: "a constraint that does not fit",
    source: working("outputs: { n: { type: number, pattern: x } }"),
    finds: [["conflicting_fields steps[0].outputs.n.pattern 5:35", "It fits string."]],
  },
  {
    about: "an element called like a step",
    source:
      "name: w\nargs: { xs: [] }\nsteps:\n  - { id: item, command: x }\n  - { id: b, command: x, for_each: xs }\n",
    finds: [["conflicting_fields steps[1].for_each 5:36"]],
  },
  {
    about: "a template beside a lens",
    source: graph("[{ id: a, lens_id: l, config: { templateBody: x } }]"),
    finds: [["conflicting_fields nodes[0].config.templateBody 3:40"]],
  },
  {
    about: "a child run beside a lens",
    source: graph("[{ id: a, lens_id: l, config: { workflow_ref: x } }]"),
    finds: [["conflicting_fields nodes[0].config.workflow_ref 3:40"]],
  },
  {
    about: "two spellings of a key",
    source: graph("[{ id: a, config: { model_id: x, modelId: y } }]"),
    finds: [["conflicting_fields nodes[0].config.modelId 3:41", "Keep one of them."]],
  },
  { about: "a zero timeout", source: working("timeout: 0"), finds: [["bad_duration steps[0].timeout 5:14"]] },
  {
    about: "a timeout in words",
    source: working("timeout: 5 minutes"),
    finds: [["bad_duration steps[0].timeout 5:14"]],
  },
  {
    about: "a negative backoff",
    source: working("retry: { backoff_ms: -1 }"),
    finds: [["bad_duration steps[0].retry.backoff_ms 5:26"]],
  },
  {
    about: "eleven attempts",
    source: working("retry: { attempts: 11 }"),
    finds: [["bad_number steps[0].retry.attempts 5:24"]],
  },
  {
    about: "minimum above maximum",
    source: working("outputs: { n: { type: number, minimum: 2, maximum: 1 } }"),
    finds: [["bad_number steps[0].outputs.n.minimum 5:44"]],
  },
  {
    about: "a version that is no whole number",
    source: "name: w\nversion: 1.10\nsteps: [{ id: a, command: x }]\n",
    finds: [["bad_number version 2:10"]],
  },
  {
    about: "an unknown policy",
    source: working("on_failure: explode"),
    finds: [
      ["bad_enum steps[0].on_failure 5:17", "Use one of halt, skip, retry_once, retry, retry_once_then_escalate."],
    ],
  },
  {
    about: "an empty enum",
    source: working("outputs: { n: { type: string, enum: [] } }"),
    finds: [["bad_enum steps[0].outputs.n.enum 5:41"]],
  },
  {
    about: "an unknown format",
    source: "format: lens-graph/v2\nname: w\n",
    finds: [["bad_enum format 1:9", 'Did you mean "lens-graph/v1"?']],
  },
  {
    about: "an unknown edge condition",
    source: graph(
      A_AND_B,
      "[{ id: e, source_node_id: a, target_node_id: b, target_param_label: x, condition: { type: matches } }]",
    ),
    finds: [["bad_enum edges[0].condition.type 4:98"]],
  },
  {
    about: "an expression with a foreign operator, at its column",
    source: working('condition: "a.outputs.x ~ 3"'),
    finds: [["bad_expression steps[0].condition 5:29"]],
  },
  {
    about: "a malformed output key",
    source: graph(
      A_AND_B,
      "[{ id: e, source_node_id: a, target_node_id: b, target_param_label: x, source_output_key: 'data..x' }]",
    ),
    finds: [["bad_expression edges[0].source_output_key"]],
  },
  {
    about: "text against a number",
    source:
      "name: w\nsteps:\n  - { id: a, command: x, outputs: { n: number } }\n  - { id: b, command: x, condition: \"a.outputs.n == 'x'\" }\n",
    finds: [["type_mismatch steps[1].condition 4:38"]],
  },
  {
    about: "a default that breaks its own limits",
    source: "name: w\nargs: { n: { type: integer, default: 9, maximum: 5 } }\nsteps: [{ id: a, command: '${n}' }]\n",
    finds: [["type_mismatch args.n.default 2:38"]],
  },
  {
    about: "an enum of another type",
    source: working("outputs: { n: { type: integer, enum: [1, x] } }"),
    finds: [["type_mismatch steps[0].outputs.n.enum[1] 5:46"]],
  },
  {
    about: "a pattern with look-ahead",
    source: working("outputs: { n: { type: string, pattern: '(?=x)' } }"),
    finds: [["bad_pattern steps[0].outputs.n.pattern 5:44"]],
  },
  {
    about: "an unclosed reference, at its column",
    source: step("command: say ${name"),
    finds: [["bad_template steps[0].command 4:18"]],
  },
  {
    about: "an unclosed token",
    source: graph("[{ id: a, config: { template_body: 'say [[name' } }]"),
    finds: [["bad_template nodes[0].config.template_body"]],
  },
  {
    about: "an edge to nowhere",
    source: graph(A_AND_B, "[{ id: e, source_node_id: a, target_node_id: bb, target_param_label: x }]"),
    finds: [["orphan_edge edges[0].target_node_id 4:53", 'Did you mean "b"?']],
  },
  {
    about: "two strategies for one parameter, however its label is spelled",
    source: graph(
      "[{ id: a }, { id: b }, { id: c }]",
      "\n  - { id: e, source_node_id: a, target_node_id: c, target_param_label: My Text, merge_strategy: concat }\n  - { id: f, source_node_id: b, target_node_id: c, target_param_label: my_text, merge_strategy: array }",
    ),
    finds: [["conflicting_merge edges[1].merge_strategy 6:97", "Declare one strategy."]],
  },
  {
    about: "a NUL that was escaped",
    source: step('command: "x\\0"'),
    finds: [["text_unstorable steps[0].command 4:14", "Remove the escape that writes it."]],
  },
  {
    about: "half a surrogate pair",
    source: step('command: "x\\ud800"'),
    finds: [["text_unstorable steps[0].command 4:14", "Remove the escape that writes it."]],
  },
  {
    about: "inputs that do not fit the function",
    source: step("function: charge-card", "inputs: { cents: 0, notes: x }", "model: m"),
    catalog: { functions: { "charge-card": CHARGE } },
    finds: [
      ["bad_number steps[0].inputs.cents 5:22"],
      ["unknown_field steps[0].inputs.notes 5:25", 'Did you mean "note"?'],
      ["conflicting_fields steps[0].model 6:5", "Remove it."],
    ],
  },
  {
    about: "a reference of another type than the function takes",
    source:
      "name: w\nargs: { price: { type: string } }\nsteps:\n" +
      "  - { id: a, function: charge-card, inputs: { cents: '${price}', note: '${price}' } }\n" +
      "  - { id: b, function: charge-card, inputs: { cents: '${length(price)}', note: '${a.id}' } }\n",
    catalog: { functions: { "charge-card": CHARGE } },
    finds: [["type_mismatch steps[0].inputs.cents 4:54", "Convert it, or name another value."]],
  },
  {
    about: "an input the function needs",
    source: step("function: charge-card"),
    catalog: { functions: { "charge-card": CHARGE } },
    finds: [["missing_field steps[0].inputs.cents 3:5", "Write inputs: { cents: … }."]],
  },
];

const WARNINGS: readonly Row[] = [
  {
    about: "texts and maps that read like names and declarations",
    source:
      "name: w\nargs: { topic: tea }\nsteps:\n  - { id: a, command: '${topic}', outputs: { v: string } }\n" +
      "  - { id: b, command: x, inputs: { p: topic, q: a.v, r: { required: false }, s: c.outputs.v, t: POST, u: { value: topic } } }\n",
    finds: [
      ["text_not_value steps[1].inputs.p 5:39", 'Write "${topic}" for the value, or {value: topic} for the text.'],
      ["text_not_value steps[1].inputs.q 5:49"],
      ["text_not_value steps[1].inputs.r 5:57"],
      ["unknown_step steps[1].inputs.s 5:81"],
    ],
  },
  {
    about: "a field that is input and output",
    source:
      "name: w\nsteps:\n  - { id: a, command: x }\n  - { id: b, command: x, inputs: { v: a.outputs.v }, outputs: { v: string } }\n",
    finds: [
      [
        "reemitted_input steps[1].outputs.v 4:65",
        "Remove the output to pass the input through untouched, or give it another name.",
      ],
    ],
  },
  {
    about: "tools of which nothing says what a call is",
    source: working("tools: [search, { name: pay, action: financial }, gh/find, gh/*, web/read, other]"),
    catalog: {
      tools: [
        { name: "gh/f*", server: null },
        { name: "*", server: "web" },
      ],
    },
    finds: [
      [
        "tool_action_unknown steps[0].tools[0] 5:13",
        "Write {name: search, action: read}, or apply a manifest of kind Tool.",
      ],
      ["tool_action_unknown steps[0].tools[3] 5:64"],
      ["tool_action_unknown steps[0].tools[5] 5:80"],
    ],
  },
  {
    about: "a function that no worker has registered",
    source: step("function: charge"),
    catalog: { functions: { "charge-card": CHARGE } },
    finds: [["function_not_registered steps[0].function 4:15", 'Did you mean "charge-card"?']],
  },
  { about: "when", source: working("when: true"), finds: [["alias_used steps[0].when 5:5", "Write condition."]] },
  { about: "hitl", source: step("hitl: true"), finds: [["alias_used steps[0].hitl 4:5", "Write approval: required."]] },
  {
    about: "an old policy",
    source: working("on_failure: continue"),
    finds: [["alias_used steps[0].on_failure 5:17", "Write skip."]],
  },
  {
    about: "substitute_default",
    source: graph("[{ id: a, config: { on_parent_failure: substitute_default } }]"),
    finds: [["legacy_policy nodes[0].config.on_parent_failure 3:47", "Use skip or propagate in new graphs."]],
  },
  {
    about: "an arg that is not used",
    source: "name: w\nargs: { x: 1, y: 2 }\nsteps: [{ id: a, command: '${y}' }]\n",
    finds: [["unused_arg args.x 2:9", "Use ${x} in a step, or remove the arg."]],
  },
  {
    about: "a step and an arg that take the place of facts",
    source: "name: w\nargs: { round: 1 }\nsteps: [{ id: run, command: '${round}' }]\n",
    finds: [
      ["shadowed_fact args.round 2:9", "Rename it if the fact is wanted as well."],
      ["shadowed_fact steps[0].id 3:15", "Rename it if the fact is wanted as well."],
    ],
  },
  {
    about: "a condition that is always false",
    source: working("condition: 1 == 2"),
    finds: [["unreachable_condition steps[0].condition 5:16", "Fix the condition or remove the step."]],
  },
  {
    about: "a value outside the enum",
    source:
      "name: w\nsteps:\n  - { id: a, command: x, outputs: { v: { type: string, enum: [yes, no] } } }\n  - { id: b, command: x, condition: \"a.v == 'maybe'\" }\n",
    finds: [["unreachable_condition steps[1].condition 4:37", "Fix the condition or remove the step."]],
  },
  {
    about: "a library step without a library",
    source: step("library_step: smoke"),
    finds: [["unknown_library_step steps[0].library_step 4:19"]],
  },
];

function summaryOf(problem: Problem, shape: string): string {
  const parts = [problem.code, problem.path, `${problem.line}:${problem.column}`];
  return parts.join(" ").slice(0, shape.split(" ").length >= 3 ? undefined : shape.length);
}

function expectFinds(found: readonly Problem[], row: Row): void {
  expect(found.map((problem, index) => summaryOf(problem, row.finds[index]?.[0] ?? ""))).toEqual(
    row.finds.map(([shape]) => shape),
  );
  for (const [index, [, hint]] of row.finds.entries()) if (hint !== undefined) expect(found[index]?.hint).toBe(hint);
}

describe("problems", () => {
  it.each(PROBLEMS)("refuses $about", (row) => {
    const checked = readDefinition(row.source, { ...EMPTY_CATALOG, ...row.catalog });
    expectFinds(checked.problems, row);
    expect(checked.definition).toBeNull();
  });

  it("are produced by a test for every code, but those of manifests and those that need big files", () => {
    const produced = new Set(PROBLEMS.flatMap((row) => row.finds.map(([shape]) => shape.split(" ")[0])));
    expect(PROBLEM_CODES.filter((code) => !produced.has(code))).toEqual([
      "unknown_recording",
      "too_many_steps",
      "too_many_edges",
      "secret_key_missing",
      "secret_out_of_scope",
      "unknown_secret",
      "outbound_refused",
    ]);
  });
});

describe("warnings", () => {
  it.each(WARNINGS)("warns of $about", (row) => {
    const checked = readDefinition(row.source, { ...EMPTY_CATALOG, ...row.catalog });
    expect(checked.problems).toEqual([]);
    expectFinds(checked.warnings, row);
    expect(checked.definition).not.toBeNull();
  });

  it("are produced by a test for every code, but those the plan gives", () => {
    const produced = new Set(WARNINGS.flatMap((row) => row.finds.map(([shape]) => shape.split(" ")[0])));
    expect(WARNING_CODES.filter((code) => !produced.has(code))).toEqual(["ambiguous_variable", "unseen_variable"]);
  });
});

import { PROBLEM_CODES, WARNING_CODES, type ProblemCode, type WarningCode } from "../base/index.ts";

interface ProblemDoc {
  readonly summary: string;
  readonly fix: string;
}

/** One line per code: its meaning, and how to fix the problem. */
export const PROBLEM_DOCS: Readonly<Record<ProblemCode | WarningCode, ProblemDoc>> = {
  yaml_empty: doc("The file is empty or contains only comments.", "Write a workflow, or start from an example."),
  yaml_syntax: doc("The text is neither valid YAML nor valid JSON.", "Fix the line shown; indent with spaces."),
  yaml_encoding: doc("The file is not UTF-8 text, or contains a NUL.", "Save it as UTF-8."),
  yaml_too_large: doc("The text is larger than 1 MiB of YAML or 8 MiB of JSON.", "Split the workflow, or write JSON."),
  yaml_too_deep: doc("Values are nested more than 20 deep.", "Flatten the value, or pass it as an arg."),
  yaml_alias: doc("The file uses an anchor, an alias or a merge key.", "Repeat the value at each place."),
  yaml_tag: doc("The file uses a tag such as !!binary.", "Write plain text, numbers, lists and maps."),
  yaml_duplicate_key: doc("A map has the same key twice.", "Keep one of them."),
  yaml_forbidden_key: doc("A key is __proto__, constructor or prototype.", "Give it another name."),
  yaml_multiple_documents: doc(
    "The file contains more than one document.",
    "Put each workflow into a file of its own.",
  ),
  wrong_type: doc(
    "A value is of the wrong kind, such as text where a list is expected.",
    "Write the kind named in the message.",
  ),
  missing_field: doc(
    "A required field is missing, or a list that needs an entry is empty.",
    "Add the field or an entry.",
  ),
  unknown_key: doc("A key is not known at this place.", "Fix the spelling, or remove the key."),
  bad_name: doc(
    "A name is malformed, blank or too long.",
    "Write it as the message says; a workflow has a name in kebab-case of at most 64 characters.",
  ),
  bad_id: doc(
    "An id is malformed or longer than 64 characters.",
    "Start with a lower-case letter; continue with lower-case letters, digits and _.",
  ),
  duplicate_id: doc("Two things of one kind have the same id; shown at the later one.", "Rename one of them."),
  reserved_id: doc("An id is a reserved word of references or of the language.", "Choose another id."),
  unknown_step: doc(
    "A reference names a step, an arg or a variable that does not exist, or that may not be read at this place.",
    "Fix the name.",
  ),
  unknown_field: doc(
    "A reference names a field that the step does not declare, or a field of a value that has none.",
    "Fix the name, or declare the output.",
  ),
  unknown_fact: doc(
    "The condition of a policy or of a notify rule uses a name that it cannot read, so that it would never hold.",
    "Use one of the facts named in the hint.",
  ),
  unknown_function: doc(
    "An expression calls a function that does not exist.",
    "Use one of the functions listed in docs/reference/functions.md.",
  ),
  unknown_phase: doc("A step names a phase that is not declared.", "Declare it under phases, or fix the name."),
  unknown_role: doc(
    "A step names a role that the file's roles do not declare.",
    "Declare it under roles, or fix the name.",
  ),
  unknown_library_step: doc(
    "A library step, a lens or a version of a lens is not in the registry; a warning when no registry is available.",
    "Apply the entry first, or name the file that contains it.",
  ),
  unknown_workflow: doc("A workflow that a step calls does not exist.", "Create it first, or fix the name."),
  unknown_recording: doc(
    "A case names a run that was not recorded.",
    "Record the run with sluice test --record, or fix the name.",
  ),
  unknown_channel: doc(
    "A notify rule names a channel that is not registered.",
    "Apply a manifest of kind Channel first, or fix the name.",
  ),
  self_dependency: doc(
    "A step or node depends on itself.",
    "Remove the reference; a success criterion reads outputs.* instead.",
  ),
  cycle: doc("Steps wait for each other in a circle, which the message prints.", "Remove one of the dependencies."),
  missing_command: doc("A step has nothing to do.", "Write a command, or use approval, workflow_ref or library_step."),
  conflicting_fields: doc(
    "Two fields contradict each other, or one has no effect without another.",
    "Keep the intended one.",
  ),
  bad_duration: doc(
    "A span of time is not above 0 and up to 30 days.",
    "Write seconds, or a text such as 90s, 15m, 2h, 3d.",
  ),
  bad_number: doc(
    "A number, a length or a share is outside its limits.",
    "Use a value within the limits named in the message.",
  ),
  bad_enum: doc(
    "A value is not one of the words allowed, or a list of allowed values is empty.",
    "Use one of the words named.",
  ),
  bad_expression: doc("An expression or a path cannot be read.", "Fix it at the column shown."),
  type_mismatch: doc(
    "A comparison, a default or an allowed value does not fit the declared type.",
    "Compare values of one kind; declare the intended type.",
  ),
  bad_pattern: doc(
    "A pattern cannot be compiled by the linear-time engine, or a value does not match it.",
    "Avoid look-around and back-references.",
  ),
  bad_template: doc(
    "A text with references cannot be read, or a command is longer than 64 KiB.",
    "Close every ${…}; pass long texts through stdin.",
  ),
  bad_set: doc("A step sets nothing.", "Write set: { name: value }."),
  bad_script: doc(
    "The code of a script is blank, or longer than 64 KiB.",
    "Write a script that returns a value: return { total: inputs.a + inputs.b }.",
  ),
  bad_choose: doc("The order of the branches of a choose makes one of them unreachable.", "Move else to the end."),
  duplicate_else: doc("A choose has two branches with else.", "Keep one, or give the other a condition with when."),
  too_deep: doc("Blocks are nested more than 5 levels deep.", "Put the inner ones into a workflow of their own."),
  bad_wait: doc(
    "The fields of a wait or an emit are missing, wrong, given twice, or cannot be combined.",
    "Write wait: 5m, wait: { until: … }, wait: { event: type, match: {…} }, wait: { signal: name }, or emit: { type: … }.",
  ),
  bad_handler: doc(
    "A step handles a failure that never happens, or waits for one step in two ways.",
    "Name a step once; a step with on_failure: skip, cancel or fail has nothing to handle.",
  ),
  bad_join: doc(
    "The number of a join is not valid or above the number of dependencies, or race is used without join.",
    "Write join: any or a number up to the number of dependencies, and race: true only beside it.",
  ),
  bad_repeat: doc(
    "A step is repeated without a condition, too often or too seldom, without work, or with an output that repeat adds by itself.",
    "Write repeat: { until: outputs.done, max: 5, every: 30s }.",
  ),
  bad_concurrency: doc(
    "The key of concurrency is missing, cannot be read or uses a value that is not known when a run starts, or its limit is not 1 to 1,000.",
    "Write concurrency: { key: customer, limit: 1, when_full: queue }, with args and facts of the run in the key.",
  ),
  bad_label: doc(
    "A label of a run has a name or a text that cannot be used, or uses a value that is not known when a run starts.",
    'Write labels: { customer: "${args.customer}" }: at most 20, with args and facts of the run.',
  ),
  too_many_steps: doc(
    "The workflow has more than 10,000 steps or nodes.",
    "Use for_each, or split it into child workflows.",
  ),
  too_many_edges: doc("The workflow has more than 50,000 dependencies.", "Join branches in a step of their own."),
  orphan_edge: doc("An edge names a node that does not exist.", "Fix the id, or remove the edge."),
  conflicting_merge: doc(
    "Edges into one parameter declare different merge strategies.",
    "Declare one strategy for the parameter.",
  ),
  text_unstorable: doc("A text contains a NUL or half a surrogate pair.", "Remove the character."),
  outbound_refused: doc(
    "A URL names an address that the server does not call: private, of this machine, or with credentials in it.",
    "Name an address that can be reached publicly, or let the operator list this one with --allow-outbound.",
  ),
  secret_literal: doc(
    "A text looks like a secret, such as an API key; every reader of the file can read it.",
    "Keep it in the environment of the Bridge; for a false alarm write allow_secret_literals: true.",
  ),
  secret_key_missing: doc(
    "A secret is given a value, and the server has no SLUICE_SECRET_KEY to seal it with.",
    "Start every replica with the same SLUICE_SECRET_KEY, or name the place of the value with from.",
  ),
  secret_out_of_scope: doc(
    "A registered secret is used outside its scopes.",
    "Add the scope that the message names, or use another secret.",
  ),
  unknown_secret: doc(
    "A secret:// reference names a secret that is not registered.",
    "Set it with sluice secrets set, or fix the name.",
  ),
  reemitted_input: doc(
    "A field is an input and an output of one step, so the agent may change its own input.",
    "Remove the output to pass the input through.",
  ),
  ambiguous_variable: doc(
    "Two steps before this one declare an output of the same name; the later one wins.",
    "Refer to step.outputs.name instead.",
  ),
  alias_used: doc("An old or alternative word was used.", "Write the word named in the hint."),
  legacy_policy: doc("substitute_default runs a node with invented values after a failure.", "Use skip or propagate."),
  unused_arg: doc("No step refers to a declared arg.", "Use it, or remove it."),
  unreachable_condition: doc(
    "A condition can never hold, so the step can never run.",
    "Fix the condition, or remove the step.",
  ),
  shadowed_fact: doc(
    "A step or an arg is called run, node, error, previous or round, and hides that fact in expressions.",
    "Rename it if you need the fact.",
  ),
  text_not_value: doc(
    "A value is a bare text or map that reads like a name or a declaration, and is used unchanged.",
    "Write ${name} for the value of a name, or {value: …} for the text.",
  ),
  tool_action_unknown: doc(
    "Neither the step nor a manifest of kind Tool says what kind of act a call of the tool is; it counts as execute.",
    "Write {name, action} under tools, or apply a manifest of kind Tool.",
  ),
  function_not_registered: doc(
    "A step names a function that no worker has registered; when it starts, it waits for one.",
    "Start a worker that has the function, or fix the name.",
  ),
  unseen_variable: doc(
    "A name is an output of steps that do not run before this one, so that it is always missing here.",
    "Refer to step.name, which also makes this step wait, or add the step to depends_on.",
  ),
};

function doc(summary: string, fix: string): ProblemDoc {
  return { summary, fix };
}

/** Returns the page about problem codes, as Markdown. */
export function renderProblemDocs(): string {
  return [
    "# Problem codes",
    "",
    "Every problem has a code, a message, a path, a line, a column and usually a hint. The list is closed.",
    "Problems keep a file from running; warnings do not.",
    "",
    "## Problems",
    "",
    ...table(PROBLEM_CODES),
    "",
    "## Warnings",
    "",
    ...table(WARNING_CODES),
    "",
  ].join("\n");
}

function table(codes: readonly (ProblemCode | WarningCode)[]): readonly string[] {
  const rows = codes.map((code) => `| \`${code}\` | ${PROBLEM_DOCS[code].summary} | ${PROBLEM_DOCS[code].fix} |`);
  return ["| Code | Meaning | Fix |", "|---|---|---|", ...rows];
}

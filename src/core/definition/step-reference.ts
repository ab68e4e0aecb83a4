import { compareCodeUnits, didYouMean } from "../base/index.ts";
import { mayBeApproved } from "./declared.ts";
import { deadEndHint, deadEndMessage } from "./dead-end.ts";
import type { Report } from "./report.ts";
import type { Mention, MentionField } from "./mention.ts";
import type { StepDraft } from "./step-draft.ts";
import { isAfterBinding, type Meaning, seesOwnOutputs, type StepScope } from "./step-scope.ts";

const STEP_PARTS: ReadonlySet<string | number> = new Set(["outputs", "stdout", "json", "approved"]);

/** Returns the ids a step depends on, each once, in code-unit order. Reports problems and records the args in use. */
export function resolveReferences(
  draft: StepDraft,
  scope: StepScope,
  usedArgs: Set<string>,
  report: Report,
): readonly string[] {
  const found = new Set<string>();
  for (const { read, path } of draft.raw.depends_on ?? []) {
    const { step: id } = read;
    const at = read.isMap ? [...path, "step"] : path;
    if (scope.brokenIds.has(id)) continue;
    if (id === draft.id) {
      report.problem("self_dependency", at, `Step "${id}" depends on itself.`);
    } else if (scope.steps.has(id)) {
      found.add(id);
    } else {
      const hint = (): string | undefined => aroundHint(id, scope) ?? didYouMean(id, scope.steps.keys());
      report.problem("unknown_step", at, `There is no step "${id}".`, { hint });
    }
  }
  const reported = new Set<string>();
  for (const mention of draft.mentions) {
    const id = resolveMention(mention, draft, scope, usedArgs, reported, report);
    if (id !== undefined) found.add(id);
  }
  checkBareInputs(draft, scope, usedArgs, report);
  return [...found].sort(compareCodeUnits);
}

function resolveMention(
  mention: Mention,
  draft: StepDraft,
  scope: StepScope,
  usedArgs: Set<string>,
  reported: Set<string>,
  report: Report,
): string | undefined {
  const head = String(mention.path.segments[0]);
  const isCriterion = mention.field === "success_criteria";
  const isStep = scope.steps.has(head) && !(seesOwnOutputs(mention.field) && head === "outputs");
  if (isStep && (head === draft.id || isCriterion)) {
    reportMisplaced(head, mention, draft, report);
    return undefined;
  }
  const meaning = scope.meaningOf(mention.path, mention.field, draft);
  if (meaning.kind === "arg" || Object.hasOwn(scope.args, head)) usedArgs.add(head);
  if (meaning.kind === "fact") noteArgsOf(mention, scope, usedArgs);
  if (mention.isInner === true) return isStep ? head : undefined;
  if (meaning.kind === "no_name" && isUncheckable(head, mention, scope)) return undefined;
  if (holds(scope, head)) return undefined;
  if (report.isFull) return isStep ? head : undefined;
  // The same error is reported only once per field.
  const key = meaning.kind === "no_name" ? `${mention.field}\n${head}` : `${mention.field}\n${mention.path.text}`;
  if (!reported.has(key)) {
    reportMeaning(meaning, mention, draft, scope, report);
    if (isStep) reportNeverApproved(head, mention, scope, report);
  }
  reported.add(key);
  return isStep ? head : undefined;
}

/** Checks whether the name is the step that contains this block. Such a reference is reported at that step. */
function holds({ around }: StepScope, head: string): boolean {
  return around !== null && (around.draft.id === head || holds(around.scope, head));
}

/** Returns a hint for a dependency outside the block. Only the step that contains the block can wait for steps outside. */
function aroundHint(id: string, scope: StepScope): string | undefined {
  for (let { around } = scope; around !== null; { around } = around.scope) {
    if (around.scope.steps.has(id))
      return `It stands outside this block: write it into depends_on of "${around.draft.id ?? "finally"}".`;
  }
  return undefined;
}

/** Records args as used: `run.args.x` uses one arg, and `run.args` uses all of them. */
function noteArgsOf({ path }: Mention, { args }: StepScope, usedArgs: Set<string>): void {
  const [, second, name] = path.segments;
  if (second !== undefined && second !== "args") return;
  for (const used of name === undefined ? Object.keys(args) : [String(name)]) usedArgs.add(used);
}

function reportMeaning(meaning: Meaning, mention: Mention, draft: StepDraft, scope: StepScope, report: Report): void {
  if (meaning.kind === "no_name") reportUnknown(mention, draft, scope, report);
  if (meaning.kind === "no_field") reportField(meaning, mention, report);
}

/** Checks whether the name may exist all the same: its id is invalid, or an unavailable library entry may declare it. */
function isUncheckable(head: string, mention: Mention, scope: StepScope): boolean {
  if (scope.brokenIds.has(head)) return true;
  return scope.isOpen && !STEP_PARTS.has(mention.path.segments[1] ?? "");
}

/** Checks inputs without a source. They take the variable of the same name, and only an optional input may have none. */
function checkBareInputs(draft: StepDraft, scope: StepScope, usedArgs: Set<string>, report: Report): void {
  const { forEach } = draft;
  for (const [name, input] of Object.entries(draft.inputs)) {
    if (input.from !== null) continue;
    if (Object.hasOwn(scope.args, name)) usedArgs.add(name);
    const isElement = forEach !== null && (name === forEach.as || name === "index");
    if (isElement || scope.isVariable(name) || !input.required || scope.isOpen) continue;
    const message = `Input "${name}" has no source: there is no arg and no declared output of that name.`;
    const names = scope.namesAt("inputs", draft).filter((known) => !scope.steps.has(known));
    const hint = (): string =>
      didYouMean(name, names) ?? `Write ${name}: step.outputs.field, or declare the arg "${name}".`;
    report.strict("unknown_step", [...draft.path, "inputs", name], message, { isAtKey: true, hint });
  }
}

/** Fields with text for people. In versions stored earlier they may contain text that only looks like a reference. */
function isOfName(field: MentionField): boolean {
  return field === "name" || field === "form";
}

function reportMisplaced(head: string, mention: Mention, draft: StepDraft, report: Report): void {
  const { text, position: offset } = mention.path;
  if (head === draft.id) {
    const hint = seesOwnOutputs(mention.field) ? "Write outputs.field for what this step returned." : undefined;
    const message = `Step "${head}" refers to itself with ${text}.`;
    const detail = { hint, offset, at: mention.at };
    // In earlier versions names could not contain references.
    if (isOfName(mention.field)) report.strict("self_dependency", mention.about, message, detail);
    else report.problem("self_dependency", mention.about, message, detail);
    return;
  }
  const message = `${text} is another step's: a success criterion reads only outputs.*, args and variables.`;
  const hint = `Bind it first: inputs: { name: ${text} }, then read name.`;
  report.problem("unknown_step", mention.about, message, { hint, offset, at: mention.at });
}

function reportField(meaning: Extract<Meaning, { kind: "no_field" }>, mention: Mention, report: Report): void {
  const { text, segments, position: offset } = mention.path;
  const { deadEnd, head: kind } = meaning;
  const head = String(segments[0]);
  const name = kind === "own" ? "this step" : kind === "step" ? `step "${head}"` : head;
  const message = deadEndMessage(text, segments, deadEnd, { name, length: 1 });
  const hint = (): string | undefined => deadEndHint(deadEnd);
  report.strict("unknown_field", mention.about, message, { hint, offset, at: mention.at });
}

/** Warns about `approved` of a step that is never approved. The value is always false, which the author would not notice. */
function reportNeverApproved(head: string, mention: Mention, scope: StepScope, report: Report): void {
  const { text, segments, position: offset } = mention.path;
  const target = scope.draftOf(head);
  if (segments[1] !== "approved" || target === undefined || mayBeApproved(target)) return;
  const message = `${text} is always false: step "${head}" asks no person.`;
  const hint = `Give "${head}" approval: required, or declare the output "approved".`;
  report.unconfirmed("unknown_field", mention.about, message, { hint, offset, at: mention.at });
}

function reportUnknown(mention: Mention, draft: StepDraft, scope: StepScope, report: Report): void {
  const { text, segments, position: offset } = mention.path;
  const head = String(segments[0]);
  const named = segments[1];
  if (head === "outputs" && segments.length > 1 && !isOfName(mention.field)) {
    const message = `${text} names no step; only a success criterion and repeat.until may leave it out.`;
    report.problem("unknown_step", mention.about, message, { hint: `Write step.${text}.`, offset, at: mention.at });
    return;
  }
  const declarer = scope.instanceDeclarer(head);
  const isUnbound = !isAfterBinding(mention.field) && Object.hasOwn(draft.inputs, head);
  const message = isUnbound
    ? `${text} refers to the input "${head}", which is bound only after this has been decided.`
    : `${text} refers to "${head}", which is no step, arg or declared output.`;
  const hint = (): string | undefined => {
    const from = isUnbound ? draft.inputs[head]?.from : undefined;
    if (from?.kind === "reference") return `Write ${from.path.text}.`;
    if (declarer !== undefined) return `"${declarer}" runs once per element: its results are ${declarer}.items.`;
    if ((head === "args" || head === "inputs") && typeof named === "string" && scope.isVariable(named)) {
      return `Write ${text.replace(`${head}.`, "")}.`;
    }
    const names = scope.namesAt(mention.field, draft);
    return hyphenHint(head, names) ?? didYouMean(head, names) ?? knownNames(mention, draft, scope);
  };
  // Earlier versions refused unknown names only in paths with several segments.
  const isOld = segments.length > 1 && !isUnbound && declarer === undefined && !isOfName(mention.field);
  if (isOld) report.problem("unknown_step", mention.about, message, { hint, offset, at: mention.at });
  else report.strict("unknown_step", mention.about, message, { hint, offset, at: mention.at });
}

/** Returns a hint about hyphens: inside braces a hyphen is part of a name, elsewhere it subtracts. */
function hyphenHint(head: string, names: readonly string[]): string | undefined {
  const parts = head.split("-");
  if (parts.length > 1 && parts.every((part) => names.includes(part))) {
    return `To subtract, write spaces around the minus: ${parts.join(" - ")}.`;
  }
  const longer = names.find((name) => name.startsWith(`${head}-`));
  return longer === undefined ? undefined : `A name with a hyphen is written in braces: \${${longer}}.`;
}

const LISTED_MAX = 12;

function knownNames(mention: Mention, draft: StepDraft, scope: StepScope): string | undefined {
  if (mention.field === "command" && /^[A-Z][A-Z0-9_]*$/.test(String(mention.path.segments[0]))) {
    return "Variables of a shell are not seen here; for a literal ${ write $${.";
  }
  const names = scope.namesAt(mention.field, draft).filter((name) => name !== draft.id);
  return names.length > 0 && names.length <= LISTED_MAX ? `Known names: ${names.join(", ")}.` : undefined;
}

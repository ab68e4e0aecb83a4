import { compareCodeUnits } from "../base/index.ts";
import type { Report } from "./report.ts";
import type { Mention, StepDraft } from "./step-draft.ts";
import { didYouMean } from "./suggest.ts";

/** What a reference in a file may mean. */
export interface Names {
  /** Index of the first step with each id. */
  readonly steps: ReadonlyMap<string, number>;
  /** Ids that are wrong as ids; referring to one of them is not a second mistake. */
  readonly brokenIds: ReadonlySet<string>;
  readonly args: ReadonlySet<string>;
  /** Declared outputs of any step. */
  readonly variables: ReadonlySet<string>;
  /** A library entry that is not at hand may declare more variables. */
  readonly isOpen: boolean;
}

const STEP_PARTS: ReadonlySet<string | number> = new Set(["outputs", "stdout", "json", "approved"]);

/** Ids a step depends on, each once, in code-unit order; problems are reported, args in use are noted. */
export function resolveReferences(
  draft: StepDraft,
  names: Names,
  usedArgs: Set<string>,
  report: Report,
): readonly string[] {
  const found = new Set<string>();
  for (const { read: id, path: at } of draft.raw.depends_on ?? []) {
    if (names.brokenIds.has(id)) continue;
    if (id === draft.id) {
      report.problem("self_dependency", at, `Step "${id}" depends on itself.`);
    } else if (names.steps.has(id)) {
      found.add(id);
    } else {
      const hint = (): string | undefined => didYouMean(id, names.steps.keys());
      report.problem("unknown_step", at, `There is no step "${id}".`, { hint });
    }
  }
  const reported = new Set<string>();
  for (const mention of draft.mentions) {
    const id = resolveMention(mention, draft, names, usedArgs, reported, report);
    if (id !== undefined) found.add(id);
  }
  for (const [name, input] of Object.entries(draft.inputs)) {
    if (input.from === null && names.args.has(name)) usedArgs.add(name);
  }
  return [...found].sort(compareCodeUnits);
}

function resolveMention(
  mention: Mention,
  draft: StepDraft,
  names: Names,
  usedArgs: Set<string>,
  reported: Set<string>,
  report: Report,
): string | undefined {
  const head = String(mention.path.segments[0]);
  const isCriterion = mention.field === "success_criteria";
  if (isElement(head, mention, draft) || (isCriterion && head === "outputs")) return undefined;
  if (names.steps.has(head)) {
    if (head !== draft.id && !isCriterion) return head;
    reportMisplaced(head, mention, draft, report);
    return undefined;
  }
  if (names.args.has(head)) usedArgs.add(head);
  if (mention.path.segments.length === 1 || isKnownHead(head, mention, draft, names)) return undefined;
  // One typo used ten times in a field is one mistake.
  const key = `${mention.field}\n${head}`;
  if (!reported.has(key)) reportUnknown(head, mention, names, report);
  reported.add(key);
  return undefined;
}

/** The list and the condition are read before there are elements. */
function isElement(head: string, mention: Mention, draft: StepDraft): boolean {
  const { forEach } = draft;
  if (forEach === null || mention.field === "for_each" || mention.field === "condition") return false;
  return head === forEach.as || head === "index";
}

function isKnownHead(head: string, mention: Mention, draft: StepDraft, names: Names): boolean {
  if (names.args.has(head) || names.variables.has(head) || names.brokenIds.has(head)) return true;
  if (Object.hasOwn(draft.inputs, head)) return true;
  return names.isOpen && !STEP_PARTS.has(mention.path.segments[1] ?? "");
}

function reportMisplaced(head: string, mention: Mention, draft: StepDraft, report: Report): void {
  const { text } = mention.path;
  if (head === draft.id) {
    const hint = mention.field === "success_criteria" ? "Write outputs.field for what this step returned." : undefined;
    report.problem("self_dependency", mention.at, `Step "${head}" refers to itself with ${text}.`, { hint });
    return;
  }
  const message = `${text} is another step's: a success criterion reads only outputs.*, args and variables.`;
  const hint = `Bind it first: inputs: { name: ${text} }, then read outputs.name.`;
  report.problem("unknown_step", mention.at, message, { hint });
}

function reportUnknown(head: string, mention: Mention, names: Names, report: Report): void {
  const { text } = mention.path;
  if (head === "outputs") {
    const message = `${text} names no step; only a success criterion may leave it out.`;
    report.problem("unknown_step", mention.at, message, { hint: `Write step.${text}.` });
    return;
  }
  const [, named] = mention.path.segments;
  const message = `${text} refers to "${head}", which is no step, arg or declared output.`;
  if (head === "args" && typeof named === "string" && names.args.has(named)) {
    report.problem("unknown_step", mention.at, message, { hint: `Write ${text.replace("args.", "")}.` });
    return;
  }
  const hint = (): string | undefined => didYouMean(head, [...names.steps.keys(), ...names.args, ...names.variables]);
  report.problem("unknown_step", mention.at, message, { hint });
}

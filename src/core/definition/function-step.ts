/** Checks for a step that calls a function of workers, at save and when a run is pinned. */
import { didYouMean, getOwn, LIMITS, type TreePath } from "../base/index.ts";
import { type Action, ACTIONS, type EffectGuarantee } from "../event/index.ts";
import type { Catalog, Step } from "./definition.ts";
import type { OutputField } from "./field.ts";
import { fitProblems } from "./field-fit.ts";
import { fieldOfSchema, fieldsOfSchema, type WorkerFunction, propertiesOf, requiredNames } from "./worker-function.ts";
import type { Report } from "./report.ts";
import { type Located, nameOf, type Shape, word } from "./shape.ts";
import type { RawStep } from "./step-shape.ts";
import type { FunctionCall } from "./work.ts";

export const functionName: Shape<string> = word({
  expected: "the name of a function, such as charge-card",
  code: "bad_name",
  pattern: /^[A-Za-z0-9][A-Za-z0-9._:@-]*$/,
  lengthMax: LIMITS.nameLengthMax,
});

export function strictestAction(actions: readonly Action[]): Action | null {
  let strictest = -1;
  for (const action of actions) strictest = Math.max(strictest, ACTIONS.indexOf(action));
  return ACTIONS[strictest] ?? null;
}

/** Returns the function that the step names, if it is registered. Checks that the step's inputs fit. */
export function checkFunction(
  { read: raw, path }: Located<RawStep>,
  inputs: Step["inputs"],
  { functions }: Catalog,
  report: Report,
): WorkerFunction | null {
  if (raw.function === undefined || functions === undefined || functions === null) return null;
  const name = raw.function;
  const entry = getOwn(functions, name);
  if (entry === undefined) {
    const at = [...path, "function"];
    const hint = didYouMean(name, Object.keys(functions)) ?? "Start a worker that has it, or fix the name.";
    report.warning("function_not_registered", at, `No worker has registered the function "${name}" yet.`, { hint });
    return null;
  }
  checkInputs(name, entry, { inputs, path }, report);
  return entry;
}

interface Given {
  readonly inputs: Step["inputs"];
  readonly path: TreePath;
}

function checkInputs(name: string, { input: schema }: WorkerFunction, { inputs, path }: Given, report: Report): void {
  const properties = propertiesOf(schema);
  for (const needed of requiredNames(schema)) {
    if (Object.hasOwn(inputs, needed)) continue;
    report.problem(
      "missing_field",
      [...path, "inputs", needed],
      `The function "${name}" needs the input "${needed}".`,
      {
        at: path,
        hint: `Write inputs: { ${needed}: … }.`,
      },
    );
  }
  for (const [given, { from, type }] of Object.entries(inputs)) {
    const at = [...path, "inputs", given];
    const property = getOwn(properties, given);
    if (property === undefined) {
      if (getOwn(schema, "additionalProperties") !== false) continue;
      const hint = didYouMean(given, Object.keys(properties)) ?? "Remove it.";
      report.problem("unknown_field", at, `The function "${name}" has no input "${given}".`, { isAtKey: true, hint });
      continue;
    }
    const field = fieldOfSchema(property, true);
    if (field === null) continue;
    const literal = from?.kind === "literal" ? fitProblems(from.value, field) : [];
    for (const { code, message } of literal) report.problem(code, at, `${nameOf(at)} ${message}.`);
    if (type !== null && !fits(type, field.type)) {
      const message = `${nameOf(at)} is declared as ${type}, but the function "${name}" takes ${field.type}.`;
      report.problem("type_mismatch", at, message, { hint: `Write type: ${field.type}.` });
    }
  }
}

function fits(given: OutputField["type"], wanted: OutputField["type"]): boolean {
  return given === wanted || (given === "integer" && wanted === "number") || (given === "file" && wanted === "object");
}

/** Returns the outputs of a function according to its registration. Used when the step declares none. */
export function outputsOfFunction({ output }: WorkerFunction): Readonly<Record<string, OutputField>> | null {
  return fieldsOfSchema(output);
}

export function functionCall(name: string, entry: WorkerFunction | null): FunctionCall {
  return { kind: "function", name, input: entry?.input ?? null, output: entry?.output ?? null };
}

/** Combines the action and effects of the step and of the registered function. The stricter value is used. */
export function guardsOf(
  { action, effects }: Pick<RawStep, "action" | "effects">,
  entry: WorkerFunction | null,
): { readonly action: Action; readonly effects: EffectGuarantee } {
  const actions = [action, entry?.action].filter((one) => one !== undefined);
  const isOnce = effects === "at_most_once" || entry?.effects === "at_most_once";
  return { action: strictestAction(actions) ?? "execute", effects: isOnce ? "at_most_once" : "at_least_once" };
}

/** Values of a step. They are read after the ids of all steps are known. */
import { didYouMean, isJsonObject, type Json, type JsonObject, type TreePath } from "../base/index.ts";
import { parsePath } from "../expression/index.ts";
import { ARG_STYLE, parseValue, type Value, type Values, valueStyle } from "../template/index.ts";
import type { Step, StepInput } from "./definition.ts";
import type { WrittenInput } from "./field-shape.ts";
import type { Report } from "./report.ts";
import { nameOf, quote } from "./shape.ts";
import type { RawStep } from "./step-shape.ts";
import { reportFlaw } from "./text-shape.ts";
import type { Work } from "./work.ts";

/** The names to which the texts of a file can refer. */
export interface KnownNames {
  readonly steps: ReadonlySet<string>;
  /** Names of args and declared outputs. */
  readonly variables: ReadonlySet<string>;
}

const FILLED_WORK = ["set", "cancel", "fail", "wait", "emit"] as const;
type FilledWork = (typeof FILLED_WORK)[number];

/** The values of a step that are filled in when it starts, with their field, their work and their paths. */
export interface Filled {
  readonly field: "with" | FilledWork;
  readonly work: Work | null;
  readonly values: Values;
  /** Returns the path of a value. */
  readonly at: (name: string) => TreePath;
}

export function readFilled(raw: RawStep, path: TreePath, names: KnownNames, report: Report): Filled {
  for (const field of FILLED_WORK) {
    const written = raw[field];
    if (written === undefined) continue;
    const at = (name: string): TreePath => (written.isWhole === true ? [...path, field] : [...path, field, name]);
    return { field, work: written.work, values: readValues(written.values, at, names, report), at };
  }
  const at = (name: string): TreePath => [...path, "with", name];
  const values = Object.entries(raw.with ?? {}).flatMap(([name, value]) => {
    const parsed = parseValue(value, ARG_STYLE);
    if (parsed.ok) return [[name, parsed.value] as const];
    reportFlaw(parsed.failure.code, parsed.failure, [...at(name), ...parsed.failure.path], report);
    return [];
  });
  return { field: "with", work: raw.script?.work ?? null, values: Object.fromEntries(values), at };
}

export function readInputs(
  written: Readonly<Record<string, WrittenInput>>,
  path: TreePath,
  names: KnownNames,
  report: Report,
): Step["inputs"] {
  const inputs: [string, StepInput][] = [];
  for (const [name, input] of Object.entries(written)) {
    if ("declared" in input) inputs.push([name, input.declared]);
    else {
      const from = readValue(input.value, [...path, "inputs", name], names, report);
      if (from !== undefined) inputs.push([name, { from, type: null, required: true }]);
    }
  }
  return Object.fromEntries(inputs);
}

function readValues(values: JsonObject, at: Filled["at"], names: KnownNames, report: Report): Values {
  const read: [string, Value][] = [];
  for (const [name, value] of Object.entries(values)) {
    const parsed = readValue(value, at(name), names, report);
    if (parsed !== undefined) read.push([name, parsed]);
  }
  return Object.fromEntries(read);
}

export function readValue(value: Json, at: TreePath, names: KnownNames, report: Report): Value | undefined {
  const parsed = parseValue(
    value,
    valueStyle((id) => names.steps.has(id)),
  );
  if (!parsed.ok) {
    reportFlaw(parsed.failure.code, parsed.failure, [...at, ...parsed.failure.path], report);
    return undefined;
  }
  if (typeof value === "string" && parsed.value.kind === "literal") warnOfText(value, at, names, report);
  if (isJsonObject(value) && parsed.value.kind === "literal") warnOfMap(value, at, report);
  return parsed.value;
}

/** Warns about a text that looks like a name. It is literal text; a reference needs braces. */
function warnOfText(text: string, at: TreePath, names: KnownNames, report: Report): void {
  const parsed = parsePath(text);
  if (!parsed.ok || text.startsWith("$$")) return;
  const [head, second] = parsed.value.segments;
  if (typeof head !== "string") return;
  if (second === "outputs" && !names.steps.has(head)) {
    const hint = (): string =>
      didYouMean(head, names.steps) ?? `Write {value: ${quote(text)}} when the text itself is meant.`;
    report.unconfirmed("unknown_step", at, `${nameOf(at)} is the text ${quote(text)}: there is no step "${head}".`, {
      hint,
    });
    return;
  }
  const isName = names.variables.has(head) || (second !== undefined && names.steps.has(head));
  if (!isName) return;
  const bare = text.replace(/^\$/u, "");
  const message = `${nameOf(at)} is the text ${quote(text)}, and not the value of that name.`;
  const hint = `Write "\${${bare}}" for the value, or {value: ${text}} for the text.`;
  report.warning("text_not_value", at, message, { hint });
}

/** Warns about a map with only constraint keys of an input. It is a value and declares nothing. */
function warnOfMap(value: JsonObject, at: TreePath, report: Report): void {
  const keys = Object.keys(value);
  if (at.at(-2) !== "inputs" || !("required" in value) || keys.some((key) => !DECLARING.has(key))) return;
  const message = `${nameOf(at)} is a map with ${keys.map(quote).join(", ")}, and declares nothing.`;
  const hint = "Add type, from or expr to declare the input, or write {value: …} for the map.";
  report.warning("text_not_value", at, message, { hint });
}

const DECLARING: ReadonlySet<string> = new Set([
  "required",
  "enum",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "pattern",
  "items",
]);

import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject, type TreePath } from "../base/index.ts";
import { parseExpression, parsePath, type Path } from "../expression/index.ts";
import { parseStdin, parseStepTemplate, pathsOfTemplate } from "../template/index.ts";

/** One mention of a step by its id. */
export interface StepMention {
  readonly id: string;
  /** The path of the text that contains the mention, and the offset of the id in that text. */
  readonly at: TreePath;
  readonly offset: number;
  /** The whole mention: `fetch.outputs.items[0]`. In `depends_on`, only the id. */
  readonly text: string;
  /** True in `depends_on`, where a mention orders two steps and passes no value. */
  readonly isOrder: boolean;
}

type Reading = "template" | "value" | "path" | "expression" | "stdin";

const EXPRESSION_KEYS: ReadonlySet<string> = new Set(["condition", "when", "until", "if", "expr", "for_each", "where"]);
const PATH_KEYS: ReadonlySet<string> = new Set(["from", "show"]);
const VALUE_KEYS: ReadonlySet<string> = new Set(["inputs", "set", "outputs"]);
/** Keys with code or free text, where a dollar sign does not mark a mention. */
const FOREIGN_KEYS: ReadonlySet<string> = new Set(["script", "description"]);

/** Returns every mention of a visible step, in text order. */
export function mentionsIn(step: JsonObject, path: TreePath, isStep: (id: string) => boolean): readonly StepMention[] {
  const found: StepMention[] = [];
  for (const [key, value] of Object.entries(step)) {
    const at = [...path, key];
    if (key === "depends_on") found.push(...orders(value, at));
    else if (key === "steps" || key === "else") found.push(...inBlock(value, at, isStep));
    else if (key === "choose" && isJsonArray(value)) {
      value.forEach((branch, index) => {
        if (isJsonObject(branch)) found.push(...mentionsIn(branch, [...at, index], isStep));
      });
    } else if (!FOREIGN_KEYS.has(key)) walk(value, at, readingOf(key, "template"), found);
  }
  return found.filter(({ id }) => isStep(id));
}

/** Nested steps see the steps around them, except those whose ids the nested list uses itself. */
function inBlock(value: Json, at: TreePath, isStep: (id: string) => boolean): readonly StepMention[] {
  if (!isJsonArray(value)) return [];
  const own = new Set(value.map((step) => (isJsonObject(step) ? getOwn(step, "id") : undefined)));
  const isSeen = (id: string): boolean => isStep(id) && !own.has(id);
  return value.flatMap((step, index) =>
    isJsonObject(step) ? mentionsIn(step, [...at, index], isSeen).filter(({ isOrder }) => !isOrder) : [],
  );
}

export function orders(value: Json | undefined, at: TreePath): readonly StepMention[] {
  if (!isJsonArray(value)) return [];
  return value.flatMap((entry, index): StepMention[] => {
    const id = isJsonObject(entry) ? getOwn(entry, "step") : entry;
    if (typeof id !== "string") return [];
    const place = isJsonObject(entry) ? [...at, index, "step"] : [...at, index];
    return [{ id, at: place, offset: 0, text: id, isOrder: true }];
  });
}

function readingOf(key: string, around: Reading): Reading {
  if (key === "stdin") return "stdin";
  if (key === "success_criteria") return "template";
  if (EXPRESSION_KEYS.has(key)) return "expression";
  if (PATH_KEYS.has(key)) return "path";
  return VALUE_KEYS.has(key) ? "value" : around;
}

function walk(value: Json, at: TreePath, reading: Reading, found: StepMention[]): void {
  if (typeof value === "string") {
    for (const { text, segments, position } of pathsIn(value, reading)) {
      const id = String(segments[0]);
      const offset = value.indexOf(id, position);
      const [whole = id] = /^[\w-]+(?:\.[\w-]+|\[\s*\d+\s*\])*/u.exec(value.slice(offset)) ?? [];
      if (text !== "") found.push({ id, at, offset, text: whole, isOrder: false });
    }
  } else if (isJsonArray(value)) value.forEach((item, index) => walk(item, [...at, index], reading, found));
  else if (isJsonObject(value)) {
    for (const [key, member] of Object.entries(value)) walk(member, [...at, key], readingOf(key, reading), found);
  }
}

const OUTPUT = /^[A-Za-z_][\w-]*\.outputs(?:[.[].*)?$/su;

function pathsIn(text: string, reading: Reading): readonly Path[] {
  if (reading === "expression") {
    const parsed = parseExpression(text);
    if (parsed.ok) return parsed.value.paths;
  }
  if (reading === "path" || (reading === "value" && OUTPUT.test(text))) {
    const parsed = parsePath(text);
    if (parsed.ok && parsed.value.segments.length > 1) return [parsed.value];
  }
  const template = reading === "stdin" ? parseStdin(text) : parseStepTemplate(text);
  return template.ok ? pathsOfTemplate(template.value) : [];
}

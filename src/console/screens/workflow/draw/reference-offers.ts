import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from "../../../../core/base/index.ts";
import { type Outline, type OutlineBlock, type OutlineStep, valueAt } from "../../../../core/edit/index.ts";
import type { ReferenceOffer } from "../../../form/form-context.ts";
import type { DrawnStep } from "./drawing.ts";

/** Returns the values a step can refer to: args, elements of its `for_each` lists, and results of steps that do not wait for it. */
export function referencesFor({ value, main, last }: Outline, card: DrawnStep | null): readonly ReferenceOffer[] {
  const offers: ReferenceOffer[] = [];
  const args = valueAt(value, ["args"]);
  for (const name of isJsonObject(args) ? Object.keys(args) : []) offers.push({ path: name, detail: "arg" });
  const around = card === null ? [] : blocksAround(card, [main, ...(last === null ? [] : [last])]);
  for (const { block, holder } of around) {
    const after = new Set(holder === null ? [] : followersOf(block, holder.id));
    for (const step of block.steps) {
      if (step.id === "" || step === holder || after.has(step.id)) continue;
      offers.push(...resultsOf(step, valueAt(value, step.path)));
    }
    const own = holder === null ? undefined : valueAt(value, holder.path);
    if (isJsonObject(own)) offers.push(...elementOf(own));
  }
  return offers;
}

interface Level {
  readonly block: OutlineBlock;
  readonly holder: OutlineStep | null;
}

/** Returns the blocks around a card, innermost first, each with the step that is the card or contains it. */
function blocksAround(card: DrawnStep, blocks: readonly OutlineBlock[]): readonly Level[] {
  for (const block of blocks) {
    const isIn = block.path.every((segment, index) => card.path[index] === segment);
    if (!isIn) continue;
    const holder = block.steps.find(({ path }) => path.every((segment, index) => card.path[index] === segment)) ?? null;
    return [...(holder === null ? [] : blocksAround(card, holder.blocks)), { block, holder }];
  }
  return [];
}

/** Returns all direct and indirect dependants of a step. */
function followersOf({ steps }: OutlineBlock, id: string): readonly string[] {
  const found = new Set<string>();
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const step of steps) {
      if (!step.parents.includes(next) || found.has(step.id)) continue;
      found.add(step.id);
      open.push(step.id);
    }
  }
  return [...found];
}

function elementOf(step: JsonObject): readonly ReferenceOffer[] {
  if (!Object.hasOwn(step, "for_each")) return [];
  const name = getOwn(step, "as");
  return [{ path: typeof name === "string" ? name : "item", detail: "the element of the list" }];
}

function resultsOf({ id, kind, isForEach, blocks }: OutlineStep, step: Json | undefined): readonly ReferenceOffer[] {
  const of = `of ${id}`;
  if (isForEach) return [{ path: `${id}.items`, detail: `all results ${of}` }];
  const declared = namesOf(isJsonObject(step) ? getOwn(step, kind === "set" ? "set" : "outputs") : undefined);
  const fields = declared.map((name) => ({ path: `${id}.${name}`, detail: `result ${of}` }));
  if (kind === "gate") return [{ path: `${id}.approved`, detail: `whether a person approved ${id}` }, ...fields];
  if (kind === "choose") return [{ path: `${id}.branch`, detail: `the branch ${of}` }, ...fields];
  if (kind === "set" || blocks.length > 0 || kind === "wait" || kind === "emit" || kind === "end") return fields;
  return [...fields, { path: `${id}.stdout`, detail: `the whole answer ${of}` }];
}

function namesOf(value: Json | undefined): readonly string[] {
  if (isJsonArray(value) || !isJsonObject(value)) return [];
  return Object.keys(value);
}

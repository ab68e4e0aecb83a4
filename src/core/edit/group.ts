import { fail, type JsonObject, succeed, type TreePath } from "../base/index.ts";
import { valueAt, withValue } from "./change.ts";
import { readDocument } from "./document.ts";
import { ancestorsOf, blockAt, type EditOutcome, freeId, ordersOf, stepsAt, withOrder, withoutOrder } from "./steps.ts";
import { entryText, withEntry, withEntryText, withoutEntry } from "./entries.ts";
import { idOf, type OutlineBlock } from "./outline.ts";
import { mentionsOf, reworded, type Rewording } from "./rename.ts";
import { STEP_ORDER } from "./step-order.ts";

/** Puts steps into a new block. Values that other steps read from them become outputs of the block. */
export function groupSteps(text: string, list: TreePath, ids: readonly string[]): EditOutcome {
  const block = blockAt(text, list);
  const inside = new Set(ids);
  const indices = stepsAt(text, list).flatMap((step, index) => (inside.has(idOf(step)) ? [index] : []));
  const [first] = indices;
  if (block === null || first === undefined) return fail("Select the steps that belong together first.");
  const between = betweenOf(block, inside);
  if (between !== null) return fail(`"${between}" comes after one of them and before another: select it too.`);
  const id = freeId(text, "block");
  const { words, outputs } = outputsForReaders(text, list, inside, id);
  const doc = readDocument(text);
  if (doc === null) return fail("The text cannot be read as it stands.");
  const [outer, waited] = withoutOuterOrders(reworded(doc, words), list, indices, inside);
  let next = outer;
  const steps = indices.map((index) => ({
    entry: entryText(next, list, index) ?? "",
    value: stepsAt(next, list)[index] ?? {},
  }));
  const rest = stepsAt(next, list).length === indices.length;
  for (const index of indices.slice(rest ? 1 : 0).reverse()) next = withoutEntry(next, list, index);
  const made: JsonObject = { id, ...(waited.length === 0 ? {} : { depends_on: waited }), steps: [] };
  next = rest ? withValue(next, [...list, first], made) : withEntry(next, list, first, made);
  steps.forEach(({ entry, value }, at) => {
    next = withEntryText(next, [...list, first, "steps"], at, entry, value);
  });
  if (Object.keys(outputs).length > 0) next = withValue(next, [...list, first, "outputs"], outputs, STEP_ORDER);
  return succeed({ text: waitingForBlock(next, list, inside, id), select: [...list, first] });
}

/** Finds a step outside the block that depends on one inside it while another one inside depends on that step. */
function betweenOf(block: OutlineBlock, inside: ReadonlySet<string>): string | null {
  const needed = new Set([...inside].flatMap((id) => [...ancestorsOf(block, id)]));
  const found = [...needed].find(
    (id) => !inside.has(id) && [...ancestorsOf(block, id)].some((each) => inside.has(each)),
  );
  return found ?? null;
}

/** Replaces mentions in steps outside the block with mentions of the block's outputs. */
function outputsForReaders(
  text: string,
  list: TreePath,
  inside: ReadonlySet<string>,
  block: string,
): { readonly words: readonly Rewording[]; readonly outputs: JsonObject } {
  const doc = readDocument(text);
  const outputs: Record<string, string> = {};
  if (doc === null) return { words: [], outputs };
  const words = [...inside].flatMap((id) =>
    mentionsOf(doc, list, id).flatMap((mention): Rewording[] => {
      const holder = idOf(valueAt(doc.value, mention.at.slice(0, list.length + 1)));
      if (mention.isOrder || inside.has(holder)) return [];
      const name = mention.text
        .replaceAll(/\.(?:outputs|stdout)\b/gu, "")
        .replaceAll(/\W+/gu, "_")
        .replace(/_+$/u, "");
      outputs[name] = `\${${mention.text}}`;
      return [{ mention, text: `${block}.${name}` }];
    }),
  );
  return { words, outputs };
}

/** Steps of a block can depend only on each other, so their outer dependencies move to the block. */
function withoutOuterOrders(
  text: string,
  list: TreePath,
  indices: readonly number[],
  inside: ReadonlySet<string>,
): readonly [string, readonly string[]] {
  const waited = new Set<string>();
  let next = text;
  for (const index of indices) {
    const path = [...list, index];
    for (const { id } of ordersOf(next, path)) {
      if (inside.has(id)) continue;
      waited.add(id);
      next = withoutOrder(next, path, id);
    }
  }
  return [next, [...waited]];
}

function waitingForBlock(text: string, list: TreePath, inside: ReadonlySet<string>, block: string): string {
  let next = text;
  stepsAt(next, list).forEach((step, index) => {
    if (idOf(step) === block) return;
    for (const id of inside) {
      const path = [...list, index];
      // The new dependency is added first, so that the list is never empty and keeps its style.
      if (withoutOrder(next, path, id) !== next) next = withoutOrder(withOrder(next, path, block), path, id);
    }
  });
  return next;
}

import { getOwn, isJsonArray, isJsonObject, type Json, type TreePath } from "../base/index.ts";
import { valueAt, withValue } from "./change.ts";
import { endOf, nodeAt, readDocument, spliced, startOf, type WrittenDocument } from "./document.ts";
import { idOf } from "./outline.ts";
import { mentionsIn, orders, type StepMention } from "./reference.ts";

/** The replacement for one mention, starting at its id. */
export interface Rewording {
  readonly mention: StepMention;
  readonly text: string;
}

/** Renames a step and every mention of it. */
export function withRenamed(text: string, path: TreePath, id: string): string {
  const doc = readDocument(text);
  const before = doc === null ? "" : idOf(valueAt(doc.value, path));
  if (doc === null || before === id) return text;
  if (before === "") return withValue(text, [...path, "id"], id);
  const words = mentionsOf(doc, path.slice(0, -1), before).map((mention) => ({
    mention,
    text: id + mention.text.slice(before.length),
  }));
  const own: StepMention = { id: before, at: [...path, "id"], offset: 0, text: before, isOrder: true };
  return reworded(doc, [...words, { mention: own, text: id }]);
}

/** Returns every mention of a step by those that see it: the steps of its list, nested steps, the outputs, and the `finally` steps. */
export function mentionsOf(doc: WrittenDocument, list: TreePath, id: string): readonly StepMention[] {
  const isIt = (other: string): boolean => other === id;
  const steps = valueAt(doc.value, list);
  const around = valueAt(doc.value, list.slice(0, -1));
  const inList = isJsonArray(steps)
    ? steps.flatMap((step, index) => (isJsonObject(step) ? mentionsIn(step, [...list, index], isIt) : []))
    : [];
  if (!isJsonObject(around)) return inList;
  const outputs = getOwn(around, "outputs");
  const inOutputs = outputs === undefined ? [] : mentionsIn({ outputs }, list.slice(0, -1), isIt);
  const last = list.length === 1 && list[0] === "steps" ? getOwn(around, "finally") : undefined;
  return [...inList, ...inOutputs, ...mentionsInLast(last, id)];
}

function mentionsInLast(last: Json | undefined, id: string): readonly StepMention[] {
  if (!isJsonArray(last) || last.some((step) => idOf(step) === id)) return [];
  return last.flatMap((step, index) => {
    if (!isJsonObject(step)) return [];
    const own = new Set(orders(getOwn(step, "depends_on"), []).map((mention) => mention.id));
    return mentionsIn(step, ["finally", index], (other) => other === id && !own.has(other));
  });
}

/** Replaces mentions in place, so that quotes, line breaks and comments around them stay. */
export function reworded(doc: WrittenDocument, words: readonly Rewording[]): string {
  const changes: { from: number; to: number; insert: string }[] = [];
  const whole = new Map<string, { at: TreePath; value: string }>();
  for (const { mention, text } of [...words].sort((left, right) => right.mention.offset - left.mention.offset)) {
    const place = placeOf(doc, mention);
    if (place !== null) changes.push({ from: place, to: place + mention.text.length, insert: text });
    else {
      const key = JSON.stringify(mention.at);
      const value = whole.get(key)?.value ?? textAt(doc, mention.at);
      const next = value.slice(0, mention.offset) + text + value.slice(mention.offset + mention.text.length);
      whole.set(key, { at: mention.at, value: next });
    }
  }
  let { text } = doc;
  for (const { from, to, insert } of changes.sort((left, right) => right.from - left.from)) {
    text = spliced(text, from, to, insert);
  }
  for (const { at, value } of whole.values()) text = withValue(text, at, value);
  return text;
}

function textAt({ value }: WrittenDocument, at: TreePath): string {
  const found = valueAt(value, at);
  return typeof found === "string" ? found : "";
}

/** Returns the position of a mention in the text: the same occurrence there as in the value. Null when quoting hides it. */
function placeOf(doc: WrittenDocument, { at, offset, text }: StepMention): number | null {
  const node = nodeAt(doc, at);
  const value = valueAt(doc.value, at);
  if (node === null || typeof value !== "string") return null;
  const source = doc.text.slice(startOf(node), endOf(node, doc.text));
  const inValue = occurrences(value, text);
  const inSource = occurrences(source, text);
  const found = inValue.length === inSource.length ? inSource[inValue.indexOf(offset)] : undefined;
  return found === undefined ? null : startOf(node) + found;
}

function occurrences(text: string, piece: string): readonly number[] {
  const found: number[] = [];
  for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, at + 1)) found.push(at);
  return found;
}

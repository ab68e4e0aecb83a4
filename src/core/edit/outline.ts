import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject, type TreePath } from "../base/index.ts";
import { endOf, lineStart, nodeAt, readDocument, startOf, type WrittenDocument } from "./document.ts";
import { mentionsIn } from "./reference.ts";

/** Keys that decide the kind of a step. When a step has several of them, the first in this list decides. */
const KIND_BY_KEY = [
  ["choose", "choose"],
  ["steps", "block"],
  ["set", "set"],
  ["script", "script"],
  ["function", "function"],
  ["workflow_ref", "child"],
  ["wait", "wait"],
  ["emit", "emit"],
  ["cancel", "end"],
  ["fail", "end"],
] as const;

/** The kind of a step as its keys show it. An unfinished text has steps too, so the kind is known before the text is valid. */
export type StepKind = (typeof KIND_BY_KEY)[number][1] | "agent" | "http" | "process" | "tool" | "gate" | "library";

export interface OutlineStep {
  readonly path: TreePath;
  readonly id: string;
  readonly label: string;
  readonly kind: StepKind;
  readonly isForEach: boolean;
  readonly isRepeated: boolean;
  /** `parents`: the steps of the same list it waits for. `reads`: those of them whose values it reads. */
  readonly parents: readonly string[];
  readonly reads: readonly string[];
  readonly phase: string | null;
  readonly blocks: readonly OutlineBlock[];
  /** Line numbers, counted from 1. */
  readonly firstLine: number;
  readonly lastLine: number;
}

export interface OutlineBlock {
  /** The path of the list of steps. */
  readonly path: TreePath;
  /** The condition of a branch, or `otherwise`. Null when the block is not a branch. */
  readonly branch: string | null;
  readonly steps: readonly OutlineStep[];
}

/** The steps of a text. It also works on a text the checker refuses, because a workflow is invalid while a person is still drawing it. */
export interface Outline {
  readonly value: Json;
  readonly main: OutlineBlock;
  readonly last: OutlineBlock | null;
}

/** Null when the text is not a map of steps: a lens graph, or a text that cannot be parsed. */
export function readOutline(text: string): Outline | null {
  const doc = readDocument(text);
  if (doc === null || !isJsonObject(doc.value)) return null;
  if (Object.hasOwn(doc.value, "nodes")) return null;
  const lines = new LineCounter(doc);
  const last = getOwn(doc.value, "finally");
  return {
    value: doc.value,
    main: blockOf(getOwn(doc.value, "steps"), ["steps"], null, lines),
    last: isJsonArray(last) ? blockOf(last, ["finally"], null, lines) : null,
  };
}

function blockOf(value: Json | undefined, path: TreePath, branch: string | null, lines: LineCounter): OutlineBlock {
  const steps = isJsonArray(value) ? value : [];
  const ids = new Set(steps.map(idOf).filter((id) => id !== ""));
  return {
    path,
    branch,
    steps: steps.flatMap((step, index) => (isJsonObject(step) ? [stepOf(step, [...path, index], ids, lines)] : [])),
  };
}

export function idOf(step: Json | undefined): string {
  const id = isJsonObject(step) ? getOwn(step, "id") : undefined;
  return typeof id === "string" ? id : "";
}

function stepOf(step: JsonObject, path: TreePath, ids: ReadonlySet<string>, lines: LineCounter): OutlineStep {
  const id = idOf(step);
  const mentions = mentionsIn(step, path, (other) => other !== id && ids.has(other));
  const [firstLine, lastLine] = lines.of(path);
  const name = getOwn(step, "name");
  const phase = getOwn(step, "phase");
  return {
    path,
    id,
    label: typeof name === "string" && name !== "" ? name : id === "" ? "unnamed" : id,
    kind: kindOf(step),
    isForEach: Object.hasOwn(step, "for_each"),
    isRepeated: Object.hasOwn(step, "repeat"),
    parents: [...new Set(mentions.map((mention) => mention.id))],
    reads: [...new Set(mentions.filter(({ isOrder }) => !isOrder).map((mention) => mention.id))],
    phase: typeof phase === "string" ? phase : null,
    blocks: blocksOfStep(step, path, lines),
    firstLine,
    lastLine,
  };
}

export function kindOf(step: JsonObject): StepKind {
  const found = KIND_BY_KEY.find(([key]) => Object.hasOwn(step, key));
  if (found !== undefined) return found[1];
  const provider = getOwn(step, "provider");
  if (provider === "http") return "http";
  if (provider === "process") return "process";
  if (provider === "mcp") return "tool";
  if (Object.hasOwn(step, "command")) return "agent";
  if (Object.hasOwn(step, "library_step")) return "library";
  return getOwn(step, "approval") !== undefined || getOwn(step, "hitl") === true ? "gate" : "agent";
}

function blocksOfStep(step: JsonObject, path: TreePath, lines: LineCounter): readonly OutlineBlock[] {
  const steps = getOwn(step, "steps");
  const own = isJsonArray(steps) ? [blockOf(steps, [...path, "steps"], null, lines)] : [];
  const choose = getOwn(step, "choose");
  if (!isJsonArray(choose)) return own;
  const branches = choose.map((branch, index) => {
    const isElse = isJsonObject(branch) && Object.hasOwn(branch, "else");
    const key = isElse ? "else" : "steps";
    const when = isJsonObject(branch) ? getOwn(branch, "when") : undefined;
    const inside = isJsonObject(branch) ? getOwn(branch, key) : undefined;
    return blockOf(inside, [...path, "choose", index, key], isElse ? "otherwise" : conditionText(when), lines);
  });
  return [...own, ...branches];
}

function conditionText(when: Json | undefined): string {
  return when === undefined || when === null ? "" : typeof when === "string" ? when : JSON.stringify(when);
}

/** Finds the line numbers of steps. Steps come in text order, so counting continues from the step before. */
class LineCounter {
  readonly #doc: WrittenDocument;
  #offset = 0;
  #line = 1;

  constructor(doc: WrittenDocument) {
    this.#doc = doc;
  }

  of(path: TreePath): readonly [number, number] {
    const { text } = this.#doc;
    const node = nodeAt(this.#doc, path);
    if (node === null) return [1, 1];
    const first = this.#lineOf(lineStart(text, startOf(node)));
    const inside = text.slice(startOf(node), endOf(node, text));
    return [first, first + inside.split("\n").length - 1];
  }

  #lineOf(offset: number): number {
    const { text } = this.#doc;
    if (offset < this.#offset) [this.#offset, this.#line] = [0, 1];
    for (let at = text.indexOf("\n", this.#offset); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
      this.#line += 1;
    }
    this.#offset = offset;
    return this.#line;
  }
}

/** Returns every step, including nested ones. A nested step comes after the step that contains it. */
export function stepsOf(outline: Outline): readonly OutlineStep[] {
  const inBlock = (block: OutlineBlock): readonly OutlineStep[] =>
    block.steps.flatMap((step) => [step, ...step.blocks.flatMap(inBlock)]);
  return [...inBlock(outline.main), ...(outline.last === null ? [] : inBlock(outline.last))];
}

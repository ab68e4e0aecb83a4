import type { TreePath } from "../../../../core/base/index.ts";
import type { Outline, OutlineBlock, OutlineStep } from "../../../../core/edit/index.ts";
import { type GraphNode, type GraphSource, NO_SOURCE } from "../../../graph/graph-node.ts";
import { type Inside, insideKey } from "../../../graph/inside.ts";

/** A card of the canvas and the part of the text it represents. */
export interface DrawnStep {
  readonly key: string;
  /** Path of the step, of the branch, or of the `finally` block. */
  readonly path: TreePath;
  /** Null for a branch and for the `finally` block. */
  readonly step: OutlineStep | null;
  /** The list that contains the card, and the list to which new steps inside the card are added. */
  readonly list: TreePath;
  readonly inner: TreePath | null;
  /** The last step of the inner list. Null when it is empty. */
  readonly innerLast: string | null;
}

export interface Drawing {
  readonly nodes: readonly GraphNode[];
  readonly insides: ReadonlyMap<string, Inside>;
  readonly byKey: ReadonlyMap<string, DrawnStep>;
  readonly source: GraphSource;
}

const LAST = "finally";

/** Returns the drawing of a text. Blocks are drawn inside their steps, branches as one row of steps each. */
export function drawingOf(outline: Outline, closed: ReadonlySet<string>): Drawing {
  const byKey = new Map<string, DrawnStep>();
  const insides = new Map<string, Inside>();
  const maker = new Maker(byKey, insides, closed);
  const nodes = maker.block(outline.main, null, "", []);
  if (outline.last !== null) nodes.push(maker.last(outline.last, nodes));
  return { nodes: withWaves(nodes), insides, byKey, source: sourceOf(byKey) };
}

const NONE: readonly string[] = [];
/** Caches the lists, so that a step always has the same list object. */
const KNOWN_HANDOFFS = new Map<string, readonly string[]>();

function handoffsOf(id: string): readonly string[] {
  const created = [`a value of ${id}`];
  KNOWN_HANDOFFS.set(id, created);
  return created;
}

/** The graph source of a text that is not run: provides only which cards can be opened and which lines carry values. */
function sourceOf(byKey: ReadonlyMap<string, DrawnStep>, before = ""): GraphSource {
  return {
    ...NO_SOURCE,
    hasBlock: (id) => (byKey.get(before + id)?.step?.blocks.length ?? 0) > 0,
    handoffs: (source, target) => {
      const [from, to] = [byKey.get(before + source)?.step, byKey.get(before + target)?.step];
      return from?.id !== undefined && to?.reads.includes(from.id) === true
        ? (KNOWN_HANDOFFS.get(from.id) ?? handoffsOf(from.id))
        : NONE;
    },
  };
}

class Maker {
  readonly #byKey: Map<string, DrawnStep>;
  readonly #insides: Map<string, Inside>;
  readonly #closed: ReadonlySet<string>;

  constructor(byKey: Map<string, DrawnStep>, insides: Map<string, Inside>, closed: ReadonlySet<string>) {
    this.#byKey = byKey;
    this.#insides = insides;
    this.#closed = closed;
  }

  /** Returns the nodes of a list of steps. A step without an id, or with a duplicate id, is named by its position. */
  block({ steps, path }: OutlineBlock, at: string | null, prefix: string, roots: readonly string[]): GraphNode[] {
    const seen = new Set<string>();
    const ids = steps.map(({ id }, index) => {
      const own = id === "" || seen.has(id) ? `#${index}` : id;
      seen.add(id);
      return prefix + own;
    });
    const acyclic = withoutCircles(steps);
    return steps.map((step, index) => {
      const id = ids[index] ?? "";
      const key = at === null ? id : insideKey(at, id);
      const parents = acyclic[index]?.map((parent) => prefix + parent) ?? [];
      this.#byKey.set(key, {
        key,
        path: step.path,
        step,
        list: path,
        inner: step.blocks[0]?.path ?? null,
        innerLast: lastOf(step.blocks[0]),
      });
      if (step.blocks.length > 0 && !this.#closed.has(key)) this.#inside(key, step);
      return nodeOf(id, step, parents.length > 0 ? parents : roots);
    });
  }

  last(block: OutlineBlock, before: readonly GraphNode[]): GraphNode {
    const held = new Set(before.flatMap(({ parents }) => parents));
    const ends = before.filter(({ id }) => !held.has(id)).map(({ id }) => id);
    this.#byKey.set(LAST, {
      key: LAST,
      path: block.path,
      step: null,
      list: block.path,
      inner: block.path,
      innerLast: lastOf(block),
    });
    const nodes = withWaves(this.block(block, LAST, "", []));
    this.#insides.set(LAST, { nodes, source: sourceOf(this.#byKey, `${LAST}/`), runId: null });
    return {
      id: LAST,
      label: "At the end, always",
      kind: "finally",
      phase: null,
      wave: 0,
      parents: ends,
      instances: [],
    };
  }

  #inside(key: string, step: OutlineStep): void {
    const nodes = step.blocks.flatMap((block, index): GraphNode[] => {
      if (block.branch === null) return this.block(block, key, "", []);
      const id = `branch.${index}`;
      const path = block.path.slice(0, -1);
      const pill = insideKey(key, id);
      this.#byKey.set(pill, {
        key: pill,
        path,
        step: null,
        list: path.slice(0, -1),
        inner: block.path,
        innerLast: lastOf(block),
      });
      const label = block.branch === "" ? "when …" : block.branch;
      const branch: GraphNode = { id, label, kind: "branch", phase: null, wave: 0, parents: [], instances: [] };
      return [branch, ...this.block(block, key, `${index}.`, [id])];
    });
    this.#insides.set(key, { nodes: withWaves(nodes), source: sourceOf(this.#byKey, `${key}/`), runId: null });
  }
}

function lastOf(block: OutlineBlock | undefined): string | null {
  return block?.steps.at(-1)?.id ?? null;
}

function nodeOf(id: string, step: OutlineStep, parents: readonly string[]): GraphNode {
  const { label, kind, isForEach, isRepeated, phase } = step;
  const shown = isForEach
    ? kind === "block"
      ? "for each"
      : `${kind}, for each`
    : isRepeated
      ? `${kind}, repeated`
      : kind;
  return {
    id,
    label,
    kind: shown,
    icon: isForEach && kind === "block" ? "each" : kind,
    phase,
    wave: 0,
    parents,
    instances: [],
  };
}

/** Returns the parents by step, without those that form a cycle, because a drawing needs a start. */
function withoutCircles(steps: readonly OutlineStep[]): readonly (readonly string[])[] {
  const known = new Map<string, OutlineStep>();
  for (const step of steps) if (step.id !== "" && !known.has(step.id)) known.set(step.id, step);
  const state = new Map<OutlineStep, "open" | "done">();
  const kept = new Map<OutlineStep, readonly string[]>();
  const visit = (step: OutlineStep): void => {
    state.set(step, "open");
    const parents: string[] = [];
    for (const id of step.parents) {
      const parent = known.get(id);
      if (parent === undefined || state.get(parent) === "open") continue;
      if (!state.has(parent)) visit(parent);
      parents.push(id);
    }
    kept.set(step, parents);
    state.set(step, "done");
  };
  for (const step of steps) if (!state.has(step)) visit(step);
  return steps.map((step) => kept.get(step) ?? []);
}

function withWaves(nodes: readonly GraphNode[]): GraphNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const waves = new Map<string, number>();
  const waveOf = (node: GraphNode): number => {
    const known = waves.get(node.id);
    if (known !== undefined) return known;
    waves.set(node.id, 0);
    const wave =
      Math.max(-1, ...node.parents.flatMap((id) => (byId.has(id) ? [waveOf(byId.get(id) ?? node)] : []))) + 1;
    waves.set(node.id, wave);
    return wave;
  };
  return nodes.map((node) => ({ ...node, wave: waveOf(node) }));
}

/** Returns the innermost card whose text range contains the line. */
export function keyAtLine(drawing: Drawing, line: number): string | null {
  let found: DrawnStep | null = null;
  for (const each of drawing.byKey.values()) {
    const { step } = each;
    if (step === null || line < step.firstLine || line > step.lastLine) continue;
    if (found === null || each.path.length > found.path.length) found = each;
  }
  return found?.key ?? null;
}

export function keyOfPath(drawing: Drawing, path: TreePath): string | null {
  const wanted = JSON.stringify(path);
  for (const { key, path: own } of drawing.byKey.values()) if (JSON.stringify(own) === wanted) return key;
  return null;
}

import { formatPath, type TreePath } from "../base/index.ts";
import { type AttemptFacts, attemptFacts, attemptOf } from "./attempt-facts.ts";
import type { RelatedRuns } from "./related-runs.ts";
import { readPath } from "./path.ts";
import { type Place, type Step, stepsDown, stepsUp } from "./steps.ts";
import type { NodeHistory } from "./run-history.ts";

export type Direction = "up" | "down";

/** Maximum size of a lineage. A larger one is cut, and the places of the cuts are marked. */
export const LINEAGE_LIMITS = { points: 10_000, links: 50_000 } as const;

/** A value in a set of related runs. */
export interface LineagePoint {
  readonly id: number;
  readonly runId: string;
  readonly workflow: string;
  /** Null for an arg of the run. */
  readonly nodeId: string | null;
  readonly path: string;
  /** Index in `attempts` of the attempt that made the value. Null for args and for results without an attempt. */
  attempt: number | null;
  /**
   * Reason why the lineage ends here: an arg without a further source, a node without inputs, a value that was not used
   * further, or a cut. Null when the lineage continues.
   */
  end: "arg" | "source" | "unused" | "cut" | null;
  /** Reason of the cut. */
  cut: "too_large" | "log_missing" | null;
}

/** A hand-off, always in the direction of the value. */
export interface LineageLink {
  readonly from: number;
  readonly to: number;
  /** The input that received the value. */
  readonly input: string;
  readonly transform: string | null;
}

export interface Lineage {
  readonly direction: Direction;
  /** Index of the starting point: always 0. */
  readonly start: number;
  readonly points: readonly LineagePoint[];
  readonly links: readonly LineageLink[];
  readonly attempts: readonly AttemptFacts[];
  readonly isCut: boolean;
}

export interface LineageStart {
  readonly runId: string;
  /** Null for an arg, which `output` names as `args.name`. */
  readonly nodeId: string | null;
  /** When absent, the whole result. */
  readonly output?: string;
}

/** Returns everything that a value came from, or contributed to, across runs: breadth first, each value once. */
export function lineageOf(
  related: RelatedRuns,
  start: LineageStart,
  direction: Direction,
  limits: { readonly points: number; readonly links: number } = LINEAGE_LIMITS,
): Lineage {
  const walk = new Walk(related, direction, limits);
  const run = related.runs.get(start.runId);
  const history = start.nodeId === null ? undefined : run?.nodes.get(start.nodeId)?.histories.at(-1);
  const path = start.output ?? (start.nodeId === null ? "args" : "outputs");
  walk.begin({ runId: start.runId, nodeId: start.nodeId, path, history });
  return walk.lineage();
}

class Walk {
  readonly #related: RelatedRuns;
  readonly #direction: Direction;
  readonly #limits: { readonly points: number; readonly links: number };
  readonly #points: LineagePoint[] = [];
  readonly #places: Place[] = [];
  readonly #known = new Map<string, number>();
  readonly #historyIds = new Map<NodeHistory, number>();
  readonly #links: LineageLink[] = [];
  readonly #attempts: AttemptFacts[] = [];
  readonly #attemptIds = new Map<unknown, number>();

  constructor(related: RelatedRuns, direction: Direction, limits: { readonly points: number; readonly links: number }) {
    this.#related = related;
    this.#direction = direction;
    this.#limits = limits;
  }

  begin(place: Place): void {
    this.#idOf(place);
    // The list grows during the loop: points that are found are expanded later.
    for (let id = 0; id < this.#points.length; id += 1) this.#expand(id);
  }

  lineage(): Lineage {
    const isCut = this.#points.some(({ end }) => end === "cut");
    const [points, links, attempts] = [this.#points, this.#links, this.#attempts];
    return { direction: this.#direction, start: 0, points, links, attempts, isCut };
  }

  #expand(id: number): void {
    const place = this.#places[id];
    const point = this.#points[id];
    if (place === undefined || point === undefined) return;
    const steps = this.#direction === "up" ? stepsUp(this.#related, place) : stepsDown(this.#related, place);
    if (steps === null) return cut(point, "log_missing");
    if (steps.length === 0) {
      point.end = this.#direction === "down" ? "unused" : point.nodeId === null ? "arg" : "source";
      return;
    }
    for (const step of steps) if (!this.#link(id, step)) return cut(point, "too_large");
  }

  #link(id: number, { place, input, transform }: Step): boolean {
    const isNew = !this.#known.has(this.#keyOf(place));
    if (this.#links.length >= this.#limits.links || (isNew && this.#points.length >= this.#limits.points)) return false;
    const other = this.#idOf(place);
    const [from, to] = this.#direction === "up" ? [other, id] : [id, other];
    this.#links.push({ from, to, input, transform });
    return true;
  }

  #keyOf({ runId, nodeId, path, history }: Place): string {
    return JSON.stringify([runId, nodeId, normal(path), history === undefined ? null : this.#historyId(history)]);
  }

  #historyId(history: NodeHistory): number {
    const known = this.#historyIds.get(history) ?? this.#historyIds.size;
    this.#historyIds.set(history, known);
    return known;
  }

  #idOf(place: Place): number {
    const key = this.#keyOf(place);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const id = this.#points.length;
    const { runId, nodeId, path, history } = place;
    const workflow = this.#related.runs.get(runId)?.workflow ?? "";
    const attempt = history === undefined ? null : this.#attemptIdOf(runId, history);
    this.#known.set(key, id);
    this.#places.push(place);
    this.#points.push({ id, runId, workflow, nodeId, path, attempt, end: null, cut: null });
    return id;
  }

  #attemptIdOf(runId: string, history: NodeHistory): number | null {
    const attempt = attemptOf(history);
    const run = this.#related.runs.get(runId);
    if (attempt === undefined || run === undefined) return null;
    const known = this.#attemptIds.get(attempt);
    if (known !== undefined) return known;
    const id = this.#attempts.length;
    this.#attempts.push(attemptFacts(run, history, attempt));
    this.#attemptIds.set(attempt, id);
    return id;
  }
}

function cut(point: LineagePoint, reason: "too_large" | "log_missing"): void {
  point.end = "cut";
  point.cut = reason;
}

function normal(path: string): string {
  return formatPath(readPath(path) satisfies TreePath);
}

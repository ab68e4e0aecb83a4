import type { Stop } from "../clock/index.ts";
import { isSettled, type RunEvent } from "../core/event/index.ts";
import type { NodeView, RunView } from "../core/view/index.ts";
import { formatCost, formatDuration } from "./figures.ts";
import type { Io } from "./io.ts";
import { describeNode, type Fold, type Progress } from "./progress.ts";
import { clip, createPaint, oneLine, pad, widthOf } from "./terminal-text.ts";
import { TurnLines } from "./turn-lines.ts";

const FRAME_MS = 100;
const ID_COLUMNS_MAX = 32;

/** Shows one line per node and redraws the lines in place. A run larger than the screen shows its most relevant nodes. */
export function createLiveTree(io: Io): Progress {
  const tree = new LiveTree(io);
  return {
    show: (view, events, around) => tree.show(view, events, around),
    pause: () => tree.pause(),
    resume: () => tree.resume(),
    finish: () => tree.pause(),
  };
}

class LiveTree {
  readonly #io: Io;
  readonly #retries = new Map<string, number>();
  /** Turn lines of each run in `#views`. */
  readonly #turns = new Map<string, TurnLines>();
  /** Views of the run and of the blocks inside it, by the path of the nodes that contain them. */
  readonly #views = new Map<string, RunView>();
  #drawnLines = 0;
  #stopTick: Stop | null = null;
  #isPaused = false;

  constructor(io: Io) {
    this.#io = io;
  }

  show(view: RunView, events: readonly RunEvent[], around: readonly string[] = []): void {
    const path = around.join("/");
    this.#views.set(path, view);
    const paint = createPaint(this.#io.err, this.#io.env);
    const turns = this.#turns.get(path) ?? new TurnLines();
    this.#turns.set(path, turns);
    for (const event of events) {
      const { type, at, payload } = event;
      turns.lineOf(event, paint);
      if (type === "node.retried") this.#retries.set(pathOf(path, payload.nodeId), at + payload.delayMs);
    }
    if (!this.#isPaused) this.#stopTick ??= this.#io.clock.after(FRAME_MS, () => this.#tick());
  }

  /** Leaves the last frame on the screen. Later output is written below it. */
  pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#stopTick?.();
    this.#stopTick = null;
    this.#draw();
    this.#drawnLines = 0;
  }

  resume(): void {
    this.#isPaused = false;
    this.#tick();
  }

  #tick(): void {
    this.#draw();
    this.#stopTick = this.#io.clock.after(FRAME_MS, () => this.#tick());
  }

  #draw(): void {
    const view = this.#views.get(ROOT);
    if (view === undefined) return;
    const lines = this.#frame(view);
    const up = this.#drawnLines === 0 ? "" : `\u001b[${this.#drawnLines}A`;
    // Clears each line as it is written, and then the lines left over from a longer frame.
    this.#io.err.write(`${up}${lines.map((line) => `\r${line}\u001b[K\n`).join("")}\u001b[J`);
    this.#drawnLines = lines.length;
  }

  #frame(view: RunView): readonly string[] {
    const { columns, rows } = this.#io.err.size();
    const paint = createPaint(this.#io.err, this.#io.env);
    const now = this.#io.clock.now();
    const all = rowsOf(this.#views);
    const shown = chooseNodes(all, Math.max(3, rows - 4));
    const idColumns = Math.min(ID_COLUMNS_MAX, Math.max(4, ...shown.map((row) => widthOf(titleOf(row)))));
    const lines = shown.map((row) => {
      const turn = this.#turns.get(row.around)?.summaryOf(row.node.id) ?? "";
      const aside = { now, retryAt: this.#retries.get(row.path), fold: row.fold, turn };
      const { icon, colour, detail } = describeNode(row.node, aside);
      const id = pad(clip(titleOf(row), idColumns), idColumns);
      return `${paint(colour, icon)} ${id}  ${clip(detail, columns - idColumns - 5)}`;
    });
    const hidden = all.length - shown.length;
    if (hidden > 0) lines.push(paint("gray", `… ${hidden} more nodes`));
    const nodes = all.filter(({ depth }) => depth === 0);
    const settled = nodes.filter(({ status }) => isSettled(status)).length;
    const elapsed = view.startedAt === null ? "" : ` · ${formatDuration((view.endedAt ?? now) - view.startedAt)}`;
    const cost = view.costMicros > 0 ? ` · ${formatCost(view.costMicros)}` : "";
    const status = `${view.workflow ?? "run"} · ${view.status} · ${settled}/${nodes.length}${elapsed}${cost}`;
    return [...lines, paint("bold", clip(status, columns - 1))];
  }
}

const ROOT = "";

function pathOf(around: string, nodeId: string): string {
  return around === ROOT ? nodeId : `${around}/${nodeId}`;
}

interface Row {
  readonly node: NodeView;
  readonly status: NodeView["status"];
  /** Path of the run that contains the node. */
  readonly around: string;
  readonly path: string;
  readonly depth: number;
  readonly fold: Fold | undefined;
}

function titleOf({ node, depth }: Row): string {
  return `${"  ".repeat(depth)}${oneLine(node.id)}`;
}

/** Returns the nodes of a run, each followed by the nodes of its block. For a repeated block, only the newest round is included. */
function rowsOf(views: ReadonlyMap<string, RunView>, around = ROOT, depth = 0): readonly Row[] {
  const view = views.get(around);
  if (view === undefined) return [];
  const { nodes, folds } = foldInstances(view);
  const rows = nodes.flatMap((node): readonly Row[] => {
    const path = pathOf(around, node.id);
    const fold = folds.get(node.id);
    const inner = node.isRepeated ? `${path}[${(fold?.total ?? 1) - 1}]` : path;
    return [{ node, status: node.status, around, path, depth, fold }, ...rowsOf(views, inner, depth + 1)];
  });
  // The `finally` block is not inside any node.
  return depth === 0 ? [...rows, ...rowsOf(views, "finally", depth + 1)] : rows;
}

/** Returns the nodes of the plan, and the progress of the instances of each node. */
function foldInstances(view: RunView): { readonly nodes: readonly NodeView[]; readonly folds: Map<string, Fold> } {
  const nodes: NodeView[] = [];
  const folds = new Map<string, Fold>();
  for (const node of view.nodes.values()) {
    if (node.instance === null) {
      nodes.push(node);
      continue;
    }
    const fold = folds.get(node.instance.parent) ?? { total: 0, settled: 0, failed: 0 };
    const isFailed = node.status === "failed" || node.status === "timed_out";
    folds.set(node.instance.parent, {
      total: fold.total + 1,
      settled: fold.settled + (isSettled(node.status) ? 1 : 0),
      failed: fold.failed + (isFailed ? 1 : 0),
    });
  }
  return { nodes, folds };
}

/** Returns all nodes if they fit. Otherwise chooses running and blocked nodes first, then failed, last settled and next ones. */
export function chooseNodes<T extends Pick<NodeView, "status">>(nodes: readonly T[], room: number): readonly T[] {
  if (nodes.length <= room) return nodes;
  const chosen = new Set<T>();
  const take = (candidates: readonly T[]): void => {
    for (const node of candidates) if (chosen.size < room) chosen.add(node);
  };
  const settled = nodes.filter(({ status }) => isSettled(status));
  take(nodes.filter(({ status }) => ["running", "streaming", "retrying", "blocked"].includes(status)));
  take(nodes.filter(({ status }) => status === "failed" || status === "timed_out"));
  take(settled.slice(-room));
  take(nodes.filter(({ status }) => !isSettled(status)));
  return nodes.filter((node) => chosen.has(node));
}

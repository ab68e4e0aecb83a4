import type { Stop } from "../bridge/index.ts";
import type { NodeState, RunState } from "../core/engine/index.ts";
import { isSettled, type RunEvent } from "../core/event/index.ts";
import { formatCost, formatDuration } from "./figures.ts";
import type { Io } from "./io.ts";
import { describeNode, type Progress } from "./progress.ts";
import { clip, createPaint, oneLine, pad, widthOf } from "./terminal-text.ts";

const FRAME_MS = 100;
const ID_COLUMNS_MAX = 32;
const TAIL_LENGTH = 160;

/** One line per node, drawn again in place; a run larger than the screen shows what matters now. */
export function createLiveTree(io: Io): Progress {
  const tree = new LiveTree(io);
  return {
    show: (state, events) => tree.show(state, events),
    pause: () => tree.pause(),
    resume: () => tree.resume(),
    finish: () => tree.pause(),
  };
}

class LiveTree {
  readonly #io: Io;
  readonly #tails = new Map<string, string>();
  #state: RunState | null = null;
  #drawnLines = 0;
  #stopTick: Stop | null = null;
  #isPaused = false;

  constructor(io: Io) {
    this.#io = io;
  }

  show(state: RunState, events: readonly RunEvent[]): void {
    if (state.parentRunId !== null) return;
    this.#state = state;
    for (const event of events) this.#note(event);
    if (!this.#isPaused) this.#stopTick ??= this.#io.clock.after(FRAME_MS, () => this.#tick());
  }

  /** The last frame stays where it is, and what follows is written below it. */
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

  #note(event: RunEvent): void {
    if (event.type === "node.stream.delta") {
      const { nodeId, text } = event.payload;
      this.#tails.set(nodeId, `${this.#tails.get(nodeId) ?? ""}${text ?? ""}`.slice(-TAIL_LENGTH));
    } else if (event.type === "node.completed" || event.type === "node.retried") {
      this.#tails.delete(event.payload.nodeId);
    }
  }

  #tick(): void {
    this.#draw();
    this.#stopTick = this.#io.clock.after(FRAME_MS, () => this.#tick());
  }

  #draw(): void {
    if (this.#state === null) return;
    const lines = this.#frame(this.#state);
    const up = this.#drawnLines === 0 ? "" : `\u001b[${this.#drawnLines}A`;
    // Each line is cleared as it is written, and what is left of a longer frame below it.
    this.#io.err.write(`${up}${lines.map((line) => `\r${line}\u001b[K\n`).join("")}\u001b[J`);
    this.#drawnLines = lines.length;
  }

  #frame(state: RunState): readonly string[] {
    const { columns, rows } = this.#io.err.size();
    const paint = createPaint(this.#io.err, this.#io.env);
    const now = this.#io.clock.now();
    const nodes = state.nodes.slice(0, state.plan.nodes.length);
    const shown = chooseNodes(nodes, Math.max(3, rows - 4));
    const idColumns = Math.min(ID_COLUMNS_MAX, Math.max(4, ...shown.map(({ id }) => widthOf(id))));
    const lines = shown.map((node) => {
      const { icon, colour, detail } = describeNode(node, now, this.#tailOf(node.id));
      const id = pad(clip(oneLine(node.id), idColumns), idColumns);
      return `${paint(colour, icon)} ${id}  ${clip(detail, columns - idColumns - 5)}`;
    });
    const hidden = nodes.length - shown.length;
    if (hidden > 0) lines.push(paint("gray", `… ${hidden} more nodes`));
    const settled = nodes.length - state.unsettledNodes;
    const elapsed = state.startedAt === null ? "" : ` · ${formatDuration((state.endedAt ?? now) - state.startedAt)}`;
    const cost = state.costMicros > 0 ? ` · ${formatCost(state.costMicros)}` : "";
    const status = `${state.plan.name} · ${state.status} · ${settled}/${nodes.length}${elapsed}${cost}`;
    return [...lines, paint("bold", clip(status, columns - 1))];
  }

  #tailOf(nodeId: string): string {
    return oneLine((this.#tails.get(nodeId) ?? "").slice(-60));
  }
}

/** All of them when they fit; otherwise what goes on, then what went wrong, what was last, what comes next. */
export function chooseNodes(nodes: readonly NodeState[], room: number): readonly NodeState[] {
  if (nodes.length <= room) return nodes;
  const chosen = new Set<NodeState>();
  const take = (candidates: readonly NodeState[]): void => {
    for (const node of candidates) if (chosen.size < room) chosen.add(node);
  };
  const settled = nodes.filter(({ now }) => isSettled(now.status));
  take(nodes.filter(({ now }) => ["running", "streaming", "retrying", "blocked"].includes(now.status)));
  take(nodes.filter(({ now }) => now.status === "failed" || now.status === "timed_out"));
  take(settled.slice(-room));
  take(nodes.filter(({ now }) => !isSettled(now.status)));
  return nodes.filter((node) => chosen.has(node));
}

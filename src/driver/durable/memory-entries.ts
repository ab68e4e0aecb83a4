import { jsonToText } from "../../core/base/index.ts";
import { findNode } from "../../core/engine/index.ts";
import type { EventOf } from "../../core/event/index.ts";
import type { AboutRun, Judge } from "../../governance/index.ts";
import type { MemoryRecord } from "../../store/index.ts";
import type { DrivenRun } from "./driven-run.ts";

export interface MemoryOptions {
  readonly live: DrivenRun;
  readonly about: AboutRun;
  readonly judge: Judge;
}

/**
 * Returns the memory entry for a node that an agent completed, computed from the event alone. Undefined when nothing is
 * kept: carried-over nodes, gates, child runs and nodes with instances were not attempts of an agent.
 */
export function memoryOf(
  { live, about, judge }: MemoryOptions,
  event: EventOf<"node.completed">,
): MemoryRecord | undefined {
  const { nodeId, attempt, carried } = event.payload;
  if (judge.memoryOf === undefined || attempt === undefined || carried === true) return undefined;
  const agentId = findNode(live.state, nodeId)?.routes[attempt - 1]?.agentId ?? null;
  const profile = agentId === null ? null : judge.memoryOf(about, agentId);
  if (agentId === null || profile === null) return undefined;
  const { workflow, runId } = about;
  const text = memoryText(answerOf(event));
  // An empty answer is not worth an entry.
  return text === "" ? undefined : { agentId, profile, at: event.at, workflow, runId, nodeId, attempt, text };
}

/** The answer as readable text: the output, or else the outputs as JSON. */
function answerOf({ payload: { envelope, outputs } }: EventOf<"node.completed">): string {
  if (envelope.output.trim() !== "") return envelope.output;
  return Object.keys(outputs).length === 0 ? "" : jsonToText(outputs);
}

/** Maximum characters kept of an answer. */
const TEXT_LENGTH_MAX = 500;
const UNSEEN = /[\p{Cc}\p{Bidi_Control}]/u;
const SPACE = /[\s\u0085]/u;
const HALF_A_PAIR = /\p{Surrogate}/u;

/** Returns the beginning of a text, cut between characters. Removes invisible characters except spaces and line breaks. */
export function memoryText(text: string): string {
  const kept: string[] = [];
  for (const point of text.trim()) {
    const shown = shownAs(point);
    if (shown === "") continue;
    if (kept.length === TEXT_LENGTH_MAX) return `${kept.join("").trim()}…`;
    kept.push(shown);
  }
  return kept.join("").trim();
}

function shownAs(point: string): string {
  if (point === "\n") return point;
  if (SPACE.test(point)) return " ";
  if (HALF_A_PAIR.test(point)) return "\ufffd";
  return UNSEEN.test(point) ? "" : point;
}

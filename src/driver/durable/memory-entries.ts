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
 * What an agent keeps of a node it completed, by the event alone: what was carried over, a gate, a child run and a node
 * with instances were no agent's attempt. Undefined: nothing is kept.
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
  // An answer without words leaves nothing to be remembered.
  return text === "" ? undefined : { agentId, profile, at: event.at, workflow, runId, nodeId, attempt, text };
}

/** What a person would read of it. */
function answerOf({ payload: { envelope, outputs } }: EventOf<"node.completed">): string {
  if (envelope.output.trim() !== "") return envelope.output;
  return Object.keys(outputs).length === 0 ? "" : jsonToText(outputs);
}

/** Characters of an answer that are kept. */
const TEXT_LENGTH_MAX = 500;
const UNSEEN = /[\p{Cc}\p{Bidi_Control}]/u;
const SPACE = /[\s\u0085]/u;
const HALF_A_PAIR = /\p{Surrogate}/u;

/** The beginning of a text, cut between two characters, without any that do not show but spaces and ends of lines. */
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

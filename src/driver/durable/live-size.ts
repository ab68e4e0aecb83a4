import type { RunEvent } from "../../core/event/index.ts";
import type { DrivenRun } from "./driven-run.ts";

/** Approximate bytes of a run's state without the content of its events, measured on states of 10 to 1,000 nodes. */
const RUN_BYTES = 4_000;
const NODE_BYTES = 600;
/** Bytes of an object or array, and of each member without the member's own value. */
const OBJECT_BYTES = 56;
const MEMBER_BYTES = 16;

/** Events whose payload, or a large part of it, stays in the state for as long as the run is open. */
const KEPT: ReadonlySet<RunEvent["type"]> = new Set([
  "run.started",
  "run.finally",
  "run.completed",
  "run.failed",
  "node.started",
  "node.expanded",
  "node.completed",
  "round.completed",
  "tool.requested",
  "tool.completed",
  "approval.requested",
  "approval.revised",
  "approval.resolved",
]);

/** Returns the approximate memory of a run: its nodes, and the event content that stays in its state. */
export function sizeOfRun({ state, contentBytes }: Pick<DrivenRun, "state" | "contentBytes">): number {
  return RUN_BYTES + state.nodes.length * NODE_BYTES + contentBytes;
}

/** Bytes that stay in the state of a run when these events are applied. */
export function contentOf(events: readonly RunEvent[]): number {
  let bytes = 0;
  for (const event of events) if (KEPT.has(event.type)) bytes += sizeOfValue(keptOf(event));
  return bytes;
}

/** The subject of an approval stays in the state only when several people have to approve. */
function keptOf({ type, payload }: RunEvent): unknown {
  if (type === "approval.revised") return { ...payload, subject: null };
  return type === "approval.requested" && payload.quorum === undefined ? { ...payload, subject: null } : payload;
}

function sizeOfValue(value: unknown): number {
  if (typeof value === "string") return OBJECT_BYTES / 2 + sizeOfText(value);
  if (typeof value !== "object" || value === null) return 0;
  let bytes = OBJECT_BYTES;
  if (Array.isArray(value)) for (const one of value) bytes += MEMBER_BYTES + sizeOfValue(one);
  else for (const name in value) bytes += MEMBER_BYTES + sizeOfValue((value as Record<string, unknown>)[name]);
  return bytes;
}

/** For shorter texts, the size of their characters is small compared with the objects around them. */
const LONG_TEXT = 1_024;

/** A text with a character beyond Latin-1 takes two bytes per character. Any text that is longer in UTF-8 is counted this way. */
function sizeOfText(text: string): number {
  const isWide = text.length > LONG_TEXT && Buffer.byteLength(text) > text.length;
  return isWide ? text.length * 2 : text.length;
}

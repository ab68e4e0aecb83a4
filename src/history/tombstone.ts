import { digestJson, type JsonObject } from "../core/base/index.ts";
import {
  APPROVAL_CONTENT,
  EVENT_CONTENT,
  type EventPayload,
  type EventType,
  withoutContent,
} from "../core/event/index.ts";
import type { ApprovalRecord } from "../store/index.ts";

/** Returns the text that replaces erased content: the hash of the original event or args. */
export function tombstoneOf(value: JsonObject): string {
  return `[erased ${digestJson(value)}]`;
}

interface KeptEvent extends JsonObject {
  readonly type: EventType;
  readonly payload: JsonObject;
}

export interface ErasedBlock {
  readonly body: string;
  /** Ids of events of the organisation that the run received or emitted. */
  readonly events: readonly string[];
}

/** Replaces content in a block of the log with tombstones. Values stored separately are removed together with their references. */
export function erasedBlock(body: string): ErasedBlock {
  const events: string[] = [];
  const erased = (JSON.parse(body) as KeptEvent[]).map(({ refs, ...event }) => {
    const { type, payload } = event as KeptEvent;
    const { id } = payload;
    if ((type === "event.received" || type === "event.emitted") && typeof id === "string") events.push(id);
    const whole = refs === undefined ? payload : { payload, refs };
    return { ...event, payload: withoutContent(payload, EVENT_CONTENT[type], tombstoneOf(whole)) };
  });
  return { body: JSON.stringify(erased), events };
}

export function erasedArgs(args: JsonObject): JsonObject {
  return withoutContent({ args }, { args: "members" }, tombstoneOf(args))["args"] as JsonObject;
}

/** Null members and empty texts stay, because they contained nothing. */
export function erasedApproval(approval: ApprovalRecord): ApprovalRecord {
  const whole = approval as unknown as JsonObject;
  return withoutContent(whole, APPROVAL_CONTENT, tombstoneOf(whole)) as unknown as ApprovalRecord;
}

/** Replaces memory texts about erased runs in a block of another run. Each such text is erased as a whole. */
export function withoutMentions(body: string, runIds: ReadonlySet<string>): string {
  const isMention = (text: string): boolean => [...runIds].some((runId) => text.includes(runId));
  const events = (JSON.parse(body) as KeptEvent[]).map((event) => {
    if (event.type !== "node.started") return event;
    const { instructions = [] } = event.payload as EventPayload<"node.started">;
    const kept = instructions.map((one) =>
      isMention(one.text) ? { ...one, text: tombstoneOf({ text: one.text }) } : one,
    );
    return { ...event, payload: { ...event.payload, ...(instructions.length === 0 ? {} : { instructions: kept }) } };
  });
  return JSON.stringify(events);
}

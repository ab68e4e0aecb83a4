import { digestJson, type JsonObject } from "../core/base/index.ts";
import {
  APPROVAL_CONTENT,
  EVENT_CONTENT,
  type EventPayload,
  type EventType,
  withoutContent,
} from "../core/event/index.ts";
import type { ApprovalRecord } from "../store/index.ts";

/** What stands in place of content: the hash of what the event, or the args, were. */
export function tombstoneOf(value: JsonObject): string {
  return `[erased ${digestJson(value)}]`;
}

interface KeptEvent extends JsonObject {
  readonly type: EventType;
  readonly payload: JsonObject;
}

export interface ErasedBlock {
  readonly body: string;
  /** Ids of events of the organisation that the run took or sent. */
  readonly events: readonly string[];
}

/** A block of the log, with tombstones. Values that were kept apart are left out with their references. */
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

/** Null members and empty texts stay: there was nothing. */
export function erasedApproval(approval: ApprovalRecord): ApprovalRecord {
  const whole = approval as unknown as JsonObject;
  return withoutContent(whole, APPROVAL_CONTENT, tombstoneOf(whole)) as unknown as ApprovalRecord;
}

/** A block of another run, without what an agent remembered there of erased ones: each such text as a whole. */
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

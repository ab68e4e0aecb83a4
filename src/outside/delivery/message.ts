import { createHash } from "node:crypto";
import type { AuditRecord } from "../../core/audit/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import { frameEvent, isoFromEpochMs } from "../../core/view/index.ts";
import type { NewDelivery, RunAhead, StoredEvent } from "../../store/index.ts";

/** A message, before its receiver is known. */
export interface Message {
  /** Identifies the event, record or notice in the message; a target receives it once. */
  readonly key: string;
  readonly type: string;
  readonly body: string;
  /** The run of the message; null when it concerns no run. */
  readonly runId: string | null;
}

/** A notice to be sent outside that is stored neither in a run nor in the audit. */
export interface DeliveryNotice {
  readonly orgId: string;
  readonly type: string;
  /** The same on every replica. */
  readonly key: string;
  readonly at: number;
  readonly data: JsonObject;
}

/** Builds the message of an event in the form streams send it: large values by reference. */
export function eventMessage(event: StoredEvent, { runId, workflow, traceId }: RunAhead): Message {
  const frame = frameEvent(event, { runId, workflowId: workflow, traceId });
  const data = event.refs === undefined ? frame : { ...frame, refs: event.refs };
  return { key: `${runId}/${event.eventId}`, type: event.type, body: bodyOf(event.type, frame.timestamp, data), runId };
}

export function auditMessage(record: AuditRecord): Message {
  const { seq, type, at, run = null } = record;
  return { key: `audit/${seq}`, type, body: bodyOf(type, at, record), runId: run };
}

/** Builds a message that is neither an event nor an audit record: a trial, an alert. */
export function noticeMessage(type: string, key: string, at: number, data: object): Message {
  return { key, type, body: bodyOf(type, isoFromEpochMs(at), data), runId: null };
}

function bodyOf(type: string, timestamp: string, data: object): string {
  return JSON.stringify({ type, timestamp, data });
}

export interface DeliveryParts extends Pick<NewDelivery, "recipient" | "groupKey" | "delayMs"> {
  readonly body: string;
}

/** The id follows from message and receiver, so every replica computes the same id each time. */
export function deliveryOf(
  { key, type, body, runId }: Message,
  orgId: string,
  targetId: string,
  parts: Partial<DeliveryParts> = {},
): NewDelivery {
  const { recipient = null } = parts;
  const about = recipient === null ? [orgId, targetId, key] : [orgId, targetId, key, recipient];
  const digest = createHash("sha256").update(JSON.stringify(about));
  const id = `msg_${digest.digest("hex").slice(0, 32)}`;
  return { id, orgId, targetId, type, body, recipient, groupKey: null, runId, delayMs: 0, ...parts };
}

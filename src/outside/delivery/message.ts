import { createHash } from "node:crypto";
import type { AuditRecord } from "../../core/audit/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import { frameEvent, isoFromEpochMs } from "../../core/view/index.ts";
import type { NewDelivery, RunAhead, StoredEvent } from "../../store/index.ts";

/** A message, before its receiver is known. */
export interface Message {
  /** What it is about; a target gets it once. */
  readonly key: string;
  readonly type: string;
  readonly body: string;
  /** The run it is about; null: it is about none. */
  readonly runId: string | null;
}

/** Something to be sent outside that neither a run nor the audit holds. */
export interface DeliveryNotice {
  readonly orgId: string;
  readonly type: string;
  /** The same on every replica. */
  readonly key: string;
  readonly at: number;
  readonly data: JsonObject;
}

/** The event as streams send it: large values by reference. */
export function eventMessage(event: StoredEvent, { runId, workflow, traceId }: RunAhead): Message {
  const frame = frameEvent(event, { runId, workflowId: workflow, traceId });
  const data = event.refs === undefined ? frame : { ...frame, refs: event.refs };
  return { key: `${runId}/${event.eventId}`, type: event.type, body: bodyOf(event.type, frame.timestamp, data), runId };
}

export function auditMessage(record: AuditRecord): Message {
  const { seq, type, at, run = null } = record;
  return { key: `audit/${seq}`, type, body: bodyOf(type, at, record), runId: run };
}

/** For what is neither: a trial, an alert. */
export function noticeMessage(type: string, key: string, at: number, data: object): Message {
  return { key, type, body: bodyOf(type, isoFromEpochMs(at), data), runId: null };
}

function bodyOf(type: string, timestamp: string, data: object): string {
  return JSON.stringify({ type, timestamp, data });
}

export interface DeliveryParts extends Pick<NewDelivery, "recipient" | "groupKey" | "delayMs"> {
  readonly body: string;
}

/** The id follows from message and receiver: every replica, however often, computes the same one. */
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

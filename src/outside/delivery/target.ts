import type { JsonObject } from "../../core/base/index.ts";
import type { RegisteredKind } from "../../registry/index.ts";
import type { ClaimedDelivery, Entry, NewDelivery, RunAhead } from "../../store/index.ts";
import type { Message } from "./message.ts";
import type { Sent } from "./sent.ts";

/** An event, audit record or notice of an organisation. */
export interface Occurrence {
  readonly orgId: string;
  readonly message: Message;
  readonly at: number;
  /** The run it happened in; null when there is none. */
  readonly run: Pick<RunAhead, "runId" | "workflow"> | null;
  /** The payload of its event, the detail of its audit record, or the data of its notice. */
  readonly data: JsonObject;
}

/** A receiver outside Sluice that listens to an organisation. */
export interface Target {
  /** The id by which deliveries name the target. */
  readonly id: string;
  /** The target receives nothing that happened earlier. */
  readonly since: number;
  wants(type: string): boolean;
  deliveriesOf(occurrence: Occurrence): Promise<readonly NewDelivery[]>;
  /** Returns why a delivery is not sent yet; null when it may be sent. */
  pause(delivery: ClaimedDelivery): Promise<Pause | null>;
  /** Makes one try to send one delivery, or several in one message. */
  send(deliveries: readonly ClaimedDelivery[], signal: AbortSignal): Promise<Sent>;
}

export interface Pause {
  readonly delayMs: number;
  readonly reason: string;
}

/** Opens the targets of one kind from their registered entries. */
export interface TargetKind {
  readonly kind: Extract<RegisteredKind, "Webhook" | "Channel">;
  targetId(name: string): string;
  isEnabled(entry: Entry): boolean;
  /** `entries` are all enabled entries; `sinceOf` returns the time from which a target listens. */
  open(orgId: string, entries: readonly Entry[], sinceOf: (entry: Entry) => number): Promise<readonly Target[]>;
}

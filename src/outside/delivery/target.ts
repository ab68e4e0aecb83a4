import type { JsonObject } from "../../core/base/index.ts";
import type { RegisteredKind } from "../../registry/index.ts";
import type { ClaimedDelivery, Entry, NewDelivery, RunAhead } from "../../store/index.ts";
import type { Message } from "./message.ts";
import type { Sent } from "./sent.ts";

/** Something that happened in an organisation. */
export interface Occurrence {
  readonly orgId: string;
  readonly message: Message;
  readonly at: number;
  /** The run it happened in; null: it belongs to none. */
  readonly run: Pick<RunAhead, "runId" | "workflow"> | null;
  /** The payload of its event, the detail of its audit record, or the data of its notice. */
  readonly data: JsonObject;
}

/** A receiver outside that listens to an organisation. */
export interface Target {
  /** As deliveries name it. */
  readonly id: string;
  /** What happened before is not for it. */
  readonly since: number;
  wants(type: string): boolean;
  deliveriesOf(occurrence: Occurrence): Promise<readonly NewDelivery[]>;
  /** Why a delivery is not sent yet; null: it is. */
  pause(delivery: ClaimedDelivery): Promise<Pause | null>;
  /** One try, of one delivery or of several in one message. */
  send(deliveries: readonly ClaimedDelivery[], signal: AbortSignal): Promise<Sent>;
}

export interface Pause {
  readonly delayMs: number;
  readonly reason: string;
}

/** What targets of one kind are made of. */
export interface TargetKind {
  readonly kind: Extract<RegisteredKind, "Webhook" | "Channel">;
  targetId(name: string): string;
  isEnabled(entry: Entry): boolean;
  /** `entries`: all that are enabled. `sinceOf`: from when a target listens. */
  open(orgId: string, entries: readonly Entry[], sinceOf: (entry: Entry) => number): Promise<readonly Target[]>;
}

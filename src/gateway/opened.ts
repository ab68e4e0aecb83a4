import type { CallbackBody, DispatchBody } from "../bridge/index.ts";
import type { Stop } from "../clock/index.ts";

/** An attempt that was, or is about to be, handed to a Bridge. */
export interface Opened {
  readonly orgId: string;
  readonly gatewayId: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly attempt: number;
  /** Which execution of the attempt; absent: the first. */
  readonly segment?: number;
  readonly dispatchId: string;
  readonly effects: DispatchBody["effects"];
}

/** One that is handed over by us. */
export interface Sending extends Opened {
  readonly body: DispatchBody;
  readonly isSync: boolean;
}

/** What becomes of attempts, reported to the caller that sent them. */
export interface RemoteReport {
  /** The Bridge's own words, pulled or given in answer. False: they could not be taken now and are asked for again. */
  ended(opened: Opened, body: CallbackBody): Promise<boolean>;
  /** It never began, or cannot be reached: the attempt failed. */
  failed(opened: Opened, failure: RemoteFailure): void;
  /** The Bridge does not know it, or not any more: it must be sent again, or is unknown for ever. */
  lost(opened: Opened): void;
}

export interface RemoteFailure {
  readonly code: "dispatch_failed" | "gateway_unreachable";
  readonly message: string;
  /** False: the Bridge refused it for what it is, and would refuse it again. */
  readonly isRetryable: boolean;
}

/** An attempt whose end is not known here yet. */
export interface Entry {
  readonly opened: Opened;
  /** Null: another process sent it. */
  readonly body: DispatchBody | null;
  readonly isSync: boolean;
  tries: number;
  /** When the first try failed; epoch milliseconds. */
  failedSince: number | null;
  /** The instance that took it; null: none did, or not from us. */
  takenBy: string | null;
  /** Its next step, when it waits for one. */
  stop: Stop | null;
  /** The Bridge has it: from now on it is asked for, not sent. */
  isHandedOver: boolean;
  /** One try ended without an answer, so that it may have begun. */
  isUnsure: boolean;
  isCancelled: boolean;
}

export function entryOf(opened: Opened, body: DispatchBody | null, isSync: boolean): Entry {
  return {
    opened,
    body,
    isSync,
    tries: 0,
    failedSince: null,
    takenBy: null,
    stop: null,
    isHandedOver: body === null,
    isUnsure: body === null,
    isCancelled: false,
  };
}

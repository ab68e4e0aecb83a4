import type { CallbackBody, DispatchBody } from "../bridge/index.ts";
import type { Stop } from "../clock/index.ts";

/** An attempt that has been, or is about to be, sent to a Bridge. */
export interface Opened {
  readonly orgId: string;
  readonly gatewayId: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly attempt: number;
  /** Which execution of the attempt; absent for the first. */
  readonly segment?: number;
  readonly dispatchId: string;
  readonly effects: DispatchBody["effects"];
}

/** An attempt that this process sends. */
export interface Sending extends Opened {
  readonly body: DispatchBody;
  readonly isSync: boolean;
  /** True when this or another process may have sent it before. */
  readonly isResend: boolean;
}

/** Receives the outcome of attempts that were sent. */
export interface RemoteReport {
  /** True when rounds or calls of the attempt are recorded, so that an agent is or was at work on it. */
  hasProgress(opened: Opened): Promise<boolean>;
  /** The result from the Bridge, from a pull or a reply. False when it could not be accepted now; it is then pulled again. */
  ended(opened: Opened, body: CallbackBody): Promise<boolean>;
  /** The attempt never began or its Bridge cannot be reached, so it failed. */
  failed(opened: Opened, failure: RemoteFailure): void;
  /** The Bridge does not know the attempt (any more). It must be sent again, or its outcome stays unknown. */
  lost(opened: Opened): void;
}

export interface RemoteFailure {
  readonly code: "dispatch_failed" | "gateway_unreachable";
  readonly message: string;
  /** False when the Bridge refused the dispatch because of its content, and would refuse it again. */
  readonly isRetryable: boolean;
}

/** An attempt whose end is not known in this process yet. */
export interface Entry {
  readonly opened: Opened;
  /** Null when another process sent it. */
  readonly body: DispatchBody | null;
  readonly isSync: boolean;
  tries: number;
  /** When the first try failed; epoch milliseconds. */
  failedSince: number | null;
  /** The instance that accepted it; null when none did, or when another process sent it. */
  takenBy: string | null;
  /** Cancels the scheduled next step, if there is one. */
  stop: Stop | null;
  /** The Bridge has the attempt. It is now queried, not sent again. */
  isHandedOver: boolean;
  /** The attempt may have begun: an earlier process may have sent it, or a try ended without an answer. */
  isUnsure: boolean;
  isCancelled: boolean;
}

export function entryOf(opened: Opened, sending: Pick<Sending, "body" | "isSync" | "isResend"> | null): Entry {
  const { body = null, isSync = false, isResend = true } = sending ?? {};
  return {
    opened,
    body,
    isSync,
    tries: 0,
    failedSince: null,
    takenBy: null,
    stop: null,
    isHandedOver: body === null,
    isUnsure: isResend,
    isCancelled: false,
  };
}

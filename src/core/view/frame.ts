import type { EventOf, EventType, RunEvent } from "../event/index.ts";
import { epochMsFromIso, isoFromEpochMs } from "./timestamp.ts";

/** An event in the form sent by the API and the stream. */
export type EventFrame = {
  [T in EventType]: {
    readonly eventId: number;
    /** Always equal to `eventId`. */
    readonly sequence: number;
    readonly type: T;
    readonly runId: string;
    readonly workflowId: string;
    readonly timestamp: string;
    readonly correlation: Correlation;
    readonly payload: EventOf<T>["payload"];
  };
}[EventType];

export interface Correlation {
  readonly traceId: string;
  readonly parentEventId?: number;
  readonly wave?: number;
  /** Source of the event: the engine's log, the transport, or the client itself. */
  readonly phase: "engine" | "transport" | "client";
}

export interface FrameContext {
  readonly runId: string;
  readonly workflowId: string;
  readonly traceId: string;
  readonly parentEventId?: number;
  /** Wave of the node, for events that do not contain it. */
  readonly wave?: number;
}

export function frameEvent(event: RunEvent, context: FrameContext): EventFrame {
  const wave = event.type === "node.started" ? event.payload.wave : context.wave;
  const frame = {
    eventId: event.eventId,
    sequence: event.eventId,
    type: event.type,
    runId: context.runId,
    workflowId: context.workflowId,
    timestamp: isoFromEpochMs(event.at),
    correlation: {
      traceId: context.traceId,
      ...(context.parentEventId === undefined ? {} : { parentEventId: context.parentEventId }),
      ...(wave === undefined ? {} : { wave }),
      phase: "engine",
    },
    payload: event.payload,
  };
  // Type and payload are from the same event, which the compiler cannot infer from an object literal.
  return frame as EventFrame;
}

/** Returns the event inside a frame, as clients fold it. Null when the timestamp is invalid. */
export function eventOfFrame(frame: EventFrame): RunEvent | null {
  const at = epochMsFromIso(frame.timestamp);
  if (at === null) return null;
  return { eventId: frame.eventId, at, type: frame.type, payload: frame.payload } as RunEvent;
}

import { LIMITS } from "../core/base/index.ts";
import type { RunEvent } from "../core/event/index.ts";
import { type EventFrame, frameEvent } from "../core/view/index.ts";
import type { BlobRef, RunRecord } from "../store/index.ts";

/** Values above this size are sent by reference: null at their place, their digest in `refs`. */
export const LARGE_BYTES_MIN = LIMITS.inlineValueBytesMax;

export type ApiFrame = EventFrame & { readonly refs?: readonly BlobRef[] };
type Pinned = Pick<RunRecord, "runId" | "workflow" | "traceId">;

export function frameOf(event: RunEvent & { readonly refs?: readonly BlobRef[] }, run: Pinned): ApiFrame {
  const frame = frameEvent(event, { runId: run.runId, workflowId: run.workflow, traceId: run.traceId });
  return event.refs === undefined ? frame : { ...frame, refs: event.refs };
}

/** JSON has no line breaks of its own, so a frame is always one line of data. */
export function sseBytes(frame: ApiFrame): Uint8Array {
  return Buffer.from(`id: ${frame.eventId}\nevent: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`);
}

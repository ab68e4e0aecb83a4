import type { Frame } from "../contract/index.ts";
import { LIMITS } from "../core/base/index.ts";
import type { RunEvent } from "../core/event/index.ts";
import { frameEvent } from "../core/view/index.ts";
import type { BlobRef, RunRecord } from "../store/index.ts";

/** Larger values are sent by reference: null in their place, and their digest in `refs`. */
export const LARGE_BYTES_MIN = LIMITS.inlineValueBytesMax;

type FramedRun = Pick<RunRecord, "runId" | "workflow" | "traceId">;

export function frameOf(event: RunEvent & { readonly refs?: readonly BlobRef[] }, run: FramedRun): Frame {
  const frame = frameEvent(event, { runId: run.runId, workflowId: run.workflow, traceId: run.traceId });
  return event.refs === undefined ? frame : { ...frame, refs: event.refs };
}

/** Builds a stream message without an id. JSON text contains no line breaks, so the data is always one line. */
export function sseMessage(event: string, data: object): Uint8Array {
  return Buffer.from(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

const DATA = Buffer.from("\ndata: ");
const LIVE_END = Buffer.from("}\n\n");

/** An event in the form of streams, serialised once for all streams of the process. */
export class EventMessage {
  readonly eventId: number;
  /** The message for streams of the run. */
  readonly bytes: Uint8Array;
  readonly #runId: string;
  #liveBytes: Uint8Array | null = null;

  constructor(event: RunEvent & { readonly refs?: readonly BlobRef[] }, run: FramedRun) {
    const frame = frameOf(event, run);
    this.eventId = event.eventId;
    this.bytes = Buffer.from(`id: ${frame.eventId}\nevent: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`);
    this.#runId = run.runId;
  }

  /** The message for streams of the organisation: the same frame, wrapped in a message that names the run. */
  get liveBytes(): Uint8Array {
    this.#liveBytes ??= this.#wrapped();
    return this.#liveBytes;
  }

  #wrapped(): Uint8Array {
    const message = Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.byteLength);
    const frame = message.subarray(message.indexOf(DATA) + DATA.length, message.length - 2);
    const start = Buffer.from(`event: event\ndata: {"runId":${JSON.stringify(this.#runId)},"frame":`);
    return Buffer.concat([start, frame, LIVE_END]);
  }
}

import type { Frame } from "../contract/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { isRunEnding, type RunEvent } from "../core/event/index.ts";
import { eventOfFrame } from "../core/view/index.ts";

/** Chunks of a UI message stream of the AI SDK that are used for a run. Data parts with the same id replace each other. */
export type UiChunk =
  | { readonly type: "start"; readonly messageId: string }
  | { readonly type: "text-start" | "text-end"; readonly id: string }
  | { readonly type: "text-delta"; readonly id: string; readonly delta: string }
  | { readonly type: "data-node"; readonly id: string; readonly data: { nodeId: string; status: string } }
  | { readonly type: "data-approval"; readonly id: string; readonly data: { approvalId: string; nodeId: string } }
  | { readonly type: "data-outputs"; readonly id: string; readonly data: JsonObject }
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "abort" | "finish" };

/** Converts the events of a run into such a stream. Cancelling the stream stops following the run, which continues. */
export function uiStream(
  runId: string,
  follow: (signal: AbortSignal) => AsyncGenerator<Frame, void>,
): ReadableStream<UiChunk> {
  const stop = new AbortController();
  const chunks = chunksOf(runId, follow(stop.signal));
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel: () => stop.abort(),
  });
}

async function* chunksOf(runId: string, frames: AsyncIterable<Frame>): AsyncGenerator<UiChunk, void> {
  yield { type: "start", messageId: runId };
  const texts = new OpenTexts();
  for await (const frame of frames) {
    const event = eventOfFrame(frame);
    if (event === null) continue;
    yield* texts.chunksOf(event);
    yield* eventChunks(runId, event);
  }
  yield { type: "finish" };
}

function* eventChunks(runId: string, event: RunEvent): Generator<UiChunk, void> {
  const { type, payload } = event;
  if (type === "approval.requested") {
    const { approvalId, nodeId } = payload;
    yield { type: "data-approval", id: approvalId, data: { approvalId, nodeId } };
  } else if (NODE_STEPS.has(type) && "nodeId" in payload && typeof payload.nodeId === "string") {
    const { nodeId } = payload;
    yield { type: "data-node", id: nodeId, data: { nodeId, status: type.slice("node.".length) } };
  } else if (isRunEnding(event) && event.payload.block === undefined) {
    if (event.type === "run.completed") yield { type: "data-outputs", id: runId, data: event.payload.outputs ?? {} };
    else if (event.type === "run.cancelled") yield { type: "abort" };
    else yield { type: "error", errorText: `run ${runId} ${event.type.slice("run.".length)}` };
  }
}

const NODE_STEPS: ReadonlySet<string> = new Set([
  "node.queued",
  "node.started",
  "node.retried",
  "node.blocked",
  "node.completed",
  "node.failed",
  "node.timed_out",
  "node.cancelled",
  "node.skipped",
]);

/** Tracks open texts. The output a node streams is one text per attempt, open from its first piece until the attempt ends. */
class OpenTexts {
  readonly #openByNode = new Map<string, string>();
  #count = 0;

  *chunksOf({ type, payload }: RunEvent): Generator<UiChunk, void> {
    if (!("nodeId" in payload) || typeof payload.nodeId !== "string") return;
    const open = this.#openByNode.get(payload.nodeId);
    if (type === "node.stream.delta") {
      if (payload.text === undefined) return;
      const id = open ?? `${payload.nodeId}-${(this.#count += 1)}`;
      if (open === undefined) yield { type: "text-start", id };
      this.#openByNode.set(payload.nodeId, id);
      yield { type: "text-delta", id, delta: payload.text };
    } else if (open !== undefined && NODE_STEPS.has(type)) {
      this.#openByNode.delete(payload.nodeId);
      yield { type: "text-end", id: open };
    }
  }
}

import { createPartialBatcher, performDispatch, type Adapter, type Clock, type StreamPart } from "../bridge/index.ts";
import type { Dispatch } from "../core/engine/index.ts";
import { dispatchRequest } from "./dispatch-request.ts";
import { closeDispatch, type LiveRun, openDispatch } from "./live-run.ts";
import type { Told } from "./told.ts";

type Tell = (run: LiveRun, told: Told) => void;

/** Hands attempts to adapters and brings back what they say. */
export class Dispatcher {
  readonly #adapters: ReadonlyMap<string, Adapter>;
  readonly #clock: Clock;
  readonly #tell: Tell;

  constructor(adapters: readonly Adapter[], clock: Clock, tell: Tell) {
    this.#adapters = new Map(adapters.map((adapter) => [adapter.provider, adapter]));
    this.#clock = clock;
    this.#tell = tell;
  }

  dispatch(run: LiveRun, effect: Dispatch): void {
    const { nodeId, attempt, dispatchId } = effect;
    const provider = effect.route.provider ?? "";
    const adapter = this.#adapters.get(provider);
    if (adapter === undefined) {
      this.#refuse(run, effect, `No adapter for the provider "${provider}" is at hand.`);
      return;
    }
    const controller = new AbortController();
    const batcher = createPartialBatcher(this.#clock, (deltas) => {
      this.#tell(run, { type: "stream", nodeId, attempt, deltas });
    });
    const onAbort = (): void => {
      batcher.close();
      closeDispatch(run, dispatchId);
      // Best effort: the run does not wait for an adapter that is told to stop, nor for its complaint about it.
      adapter.cancel(dispatchId).catch(() => undefined);
    };
    controller.signal.addEventListener("abort", onAbort, { once: true });
    openDispatch(run, dispatchId, controller);
    const hooks = {
      signal: controller.signal,
      onPartial: (part: StreamPart) => batcher.add(part),
      onLog: () => undefined,
    };
    void performDispatch(adapter, dispatchRequest(effect, run.state, provider), hooks).then(({ result, times }) => {
      batcher.flush();
      for (let delivery = 0; delivery < times; delivery += 1) {
        this.#tell(run, { type: "callback", nodeId, attempt, result });
      }
      // Deferred work is still open: it ends by its deadline, or when the node is cancelled.
      if (result.status !== "deferred") closeDispatch(run, dispatchId);
    });
  }

  #refuse(run: LiveRun, { nodeId, attempt }: Dispatch, error: string): void {
    const tokens = { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 };
    const result = { status: "failed", errorCode: "dispatch_failed", error, tokens, costMicros: 0 } as const;
    this.#tell(run, { type: "callback", nodeId, attempt, result });
  }
}

import type { Adapter, AdapterHooks } from "../adapter/index.ts";
import { createPartialBatcher, performDispatch } from "../bridge/index.ts";
import type { Clock } from "../clock/index.ts";
import {
  type CallbackResult,
  type Dispatch,
  NO_TOKENS,
  type RunState,
  type StreamInput,
} from "../core/engine/index.ts";
import { dispatchRequest } from "./dispatch-request.ts";

/** What an attempt says while it runs and when it ends. */
export interface AttemptReport {
  stream(deltas: StreamInput["deltas"]): void;
  callback(result: CallbackResult): void;
}

/** The adapters of this process and the attempts they are working on. */
export class AdapterPool {
  readonly #adapters: ReadonlyMap<string, Adapter>;
  readonly #clock: Clock;
  readonly #open = new Map<string, AbortController>();
  #isClosed = false;

  constructor(adapters: readonly Adapter[], clock: Clock) {
    this.#adapters = new Map(adapters.map((adapter) => [adapter.provider, adapter]));
    this.#clock = clock;
  }

  get openCount(): number {
    return this.#open.size;
  }

  isOpen(dispatchId: string): boolean {
    return this.#open.has(dispatchId);
  }

  /** Hands an attempt over. The same dispatch twice is one execution. */
  send(dispatch: Dispatch, state: RunState, report: AttemptReport): void {
    const { dispatchId, route } = dispatch;
    if (this.#open.has(dispatchId)) return;
    const provider = route.provider ?? "";
    const adapter = this.#adapters.get(provider);
    if (adapter === undefined) {
      const error = `no adapter for the provider "${provider}" is at hand`;
      report.callback({ status: "failed", errorCode: "dispatch_failed", error, tokens: NO_TOKENS, costMicros: 0 });
      return;
    }
    void this.#run(adapter, dispatchId, dispatchRequest(dispatch, state, provider), report);
  }

  async #run(
    adapter: Adapter,
    dispatchId: string,
    request: Parameters<typeof performDispatch>[1],
    report: AttemptReport,
  ): Promise<void> {
    const controller = new AbortController();
    this.#open.set(dispatchId, controller);
    const batcher = createPartialBatcher(this.#clock, (deltas) => report.stream(deltas));
    controller.signal.addEventListener("abort", () => batcher.close(), { once: true });
    const onPartial: AdapterHooks["onPartial"] = (part) => batcher.add(part);
    const hooks = { signal: controller.signal, onPartial, onLog: () => undefined };
    const { result, times } = await performDispatch(adapter, request, hooks);
    batcher.flush();
    if (this.#open.get(dispatchId) === controller) this.#open.delete(dispatchId);
    // What a cancelled attempt still says is its cost; what a closing pool makes it say is nobody's.
    for (let delivery = 0; delivery < times && !this.#isClosed; delivery += 1) report.callback(result);
  }

  /** Best effort: the run does not wait for an adapter that is told to stop. */
  abort(dispatchId: string): void {
    const controller = this.#open.get(dispatchId);
    if (controller === undefined) return;
    this.#open.delete(dispatchId);
    controller.abort();
    for (const adapter of this.#adapters.values()) adapter.cancel(dispatchId).catch(() => undefined);
  }

  /** Lets go of everything without a word: others will take the attempts over. */
  close(): void {
    this.#isClosed = true;
    for (const dispatchId of this.#open.keys()) this.abort(dispatchId);
  }
}

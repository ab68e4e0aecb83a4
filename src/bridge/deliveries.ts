import type { AdapterRequest } from "../adapter/index.ts";
import type { Clock } from "../clock/index.ts";
import { callbackOf } from "./callback.ts";
import { CallbackTarget, type TargetOptions } from "./callback-target.ts";
import { callbackText, refusedForSize } from "./callback-text.ts";
import type { ExecutionReport } from "./open-dispatch.ts";
import type { Outbox } from "./outbox.ts";
import { PartialChannel, streamUrlOf } from "./partial-channel.ts";
import type { Send } from "./peer-send.ts";
import { turnOverWire } from "./turn-over-wire.ts";
import { TurnPosts } from "./turn-posts.ts";
import type { CallbackBody } from "./wire.ts";

export interface DeliveriesOptions {
  readonly clock: Clock;
  readonly outbox: Outbox;
  readonly send: Send;
  /** Returns the value of X-Gateway-Token. Called for each request, because it changes. */
  readonly token: () => string;
  /** A number in [0, 1). */
  readonly jitter: () => number;
  readonly onTrouble?: (message: string) => void;
}

/** Sends the data of a Bridge to servers: streamed pieces while a dispatch runs, and its result when it ends. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #targets = new Map<string, CallbackTarget>();
  /** The turn posts by the URL they report to. */
  readonly #turns = new Map<string, TurnPosts>();
  readonly #pending = new Set<string>();
  #onIdle: (() => void) | null = null;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Number of callbacks that no server has accepted yet. */
  get pendingCount(): number {
    return this.#pending.size;
  }

  get isDegraded(): boolean {
    return this.#options.outbox.isDegraded;
  }

  /** Sends the results that were not delivered before a restart of this Bridge. */
  resume(): void {
    for (const { dispatchId, url } of this.#options.outbox.undelivered()) {
      if (this.#pending.has(dispatchId)) continue;
      this.#pending.add(dispatchId);
      this.#hand(dispatchId, url, 1);
    }
  }

  /** Returns the receiver of a dispatch's pieces, turn and result. */
  reportOf(request: AdapterRequest): ExecutionReport {
    const stream = this.streamOf(request);
    return {
      stream: stream.push,
      ...this.turnOf(request),
      ended: (outcome, body = callbackOf(outcome, "async")) =>
        this.deliver(body, request.callbackUrl ?? null, outcome.times, stream.end()),
    };
  }

  /** Returns the hooks that report and judge the turn of an agent. */
  turnOf({ dispatchId, turnUrl, stepTools = [] }: AdapterRequest): Pick<ExecutionReport, "turn"> {
    if (turnUrl === undefined) return {};
    const posts = this.#turns.get(turnUrl) ?? new TurnPosts(turnUrl, this.#options);
    this.#turns.set(turnUrl, posts);
    return { turn: turnOverWire(posts, { dispatchId, isSlow: stepTools.length > 0 }, this.#options) };
  }

  /** Returns the stream for the pieces of a dispatch. The channel opens at the first piece, and only if there is a URL. */
  streamOf({ dispatchId, streamUrl, callbackUrl }: AdapterRequest): {
    readonly push: ExecutionReport["stream"];
    readonly end: () => Promise<void> | null;
  } {
    const url = streamUrl ?? (callbackUrl === undefined ? null : streamUrlOf(callbackUrl));
    let channel: PartialChannel | null = null;
    return {
      push: (deltas) => {
        if (url === null) return;
        channel ??= new PartialChannel(url, dispatchId, this.#options);
        channel.push(deltas);
      },
      end: () => channel?.end() ?? null,
    };
  }

  /** Stores a callback, then sends it until it is accepted. With url null, it is only stored for later queries. */
  deliver(body: CallbackBody, url: string | null, times = 1, before: Promise<void> | null = null): void {
    const { dispatchId } = body;
    const { outbox } = this.#options;
    if (url !== null) this.#pending.add(dispatchId);
    outbox.add(dispatchId, url, callbackText(body), () => {
      if (url === null) return;
      if (before === null) this.#hand(dispatchId, url, times);
      else void before.then(() => this.#hand(dispatchId, url, times));
    });
  }

  /** Retries all deliveries now, for example because the token has changed. */
  wake(): void {
    for (const target of this.#targets.values()) target.wake();
  }

  /** Waits for deliveries within the grace time. The rest stays on disk. */
  async close(graceMs: number): Promise<void> {
    const { clock, outbox } = this.#options;
    outbox.flush();
    if (this.#pending.size > 0 && graceMs > 0) {
      await new Promise<void>((resolve) => {
        const stop = clock.after(graceMs, resolve);
        this.#onIdle = () => {
          stop();
          resolve();
        };
      });
    }
    for (const target of this.#targets.values()) target.close();
    outbox.close();
  }

  #hand(dispatchId: string, url: string, times: number): void {
    this.#targetOf(url).add({ dispatchId, isAlone: false, tries: 0, timesLeft: times });
  }

  #targetOf(url: string): CallbackTarget {
    const known = this.#targets.get(url);
    if (known !== undefined) return known;
    const { clock, send, token, jitter, outbox } = this.#options;
    const options: TargetOptions = {
      clock,
      send,
      token,
      jitter,
      textOf: (dispatchId) => outbox.textOf(dispatchId),
      reduce: (dispatchId) => this.#reduce(dispatchId, url),
      settle: (dispatchId, problem) => this.#settle(dispatchId, problem),
    };
    const target = new CallbackTarget(url, options);
    this.#targets.set(url, target);
    return target;
  }

  /** Replaces a result that is too large with a failure, so that the attempt does not wait for a result that cannot arrive. */
  #reduce(dispatchId: string, url: string): boolean {
    const { outbox, onTrouble } = this.#options;
    const body = outbox.read(dispatchId);
    if (body === undefined) return false;
    onTrouble?.(`The result of ${dispatchId} is refused for its size (413): a failure is reported instead.`);
    outbox.add(dispatchId, url, callbackText(refusedForSize(body)), () => undefined);
    return true;
  }

  #settle(dispatchId: string, problem: string | null): void {
    const { outbox, onTrouble } = this.#options;
    if (problem !== null) onTrouble?.(`The result of ${dispatchId} is dropped: ${problem}`);
    outbox.settle(dispatchId);
    this.#pending.delete(dispatchId);
    if (this.#pending.size === 0) this.#onIdle?.();
  }
}

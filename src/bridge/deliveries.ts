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
  /** What is sent as X-Gateway-Token; asked for each request, because it changes. */
  readonly token: () => string;
  /** A number in [0, 1). */
  readonly jitter: () => number;
  readonly onTrouble?: (message: string) => void;
}

/** What a Bridge has to send to servers: pieces while a dispatch runs, its result when it ends. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #targets = new Map<string, CallbackTarget>();
  /** By the address they report to. */
  readonly #turns = new Map<string, TurnPosts>();
  readonly #pending = new Set<string>();
  #onIdle: (() => void) | null = null;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Callbacks that no server has accepted yet. */
  get pendingCount(): number {
    return this.#pending.size;
  }

  get isDegraded(): boolean {
    return this.#options.outbox.isDegraded;
  }

  /** Sends what an earlier life of this Bridge could not. */
  resume(): void {
    for (const { dispatchId, url } of this.#options.outbox.undelivered()) {
      if (this.#pending.has(dispatchId)) continue;
      this.#pending.add(dispatchId);
      this.#hand(dispatchId, url, 1);
    }
  }

  /** Where the reports of a dispatch go. */
  reportOf(request: AdapterRequest): ExecutionReport {
    const stream = this.streamOf(request);
    return {
      stream: stream.push,
      ...this.turnOf(request),
      ended: (outcome, body = callbackOf(outcome, "async")) =>
        this.deliver(body, request.callbackUrl ?? null, outcome.times, stream.end()),
    };
  }

  /** Where the turn of an agent is reported and judged. */
  turnOf({ dispatchId, turnUrl, stepTools = [] }: AdapterRequest): Pick<ExecutionReport, "turn"> {
    if (turnUrl === undefined) return {};
    const posts = this.#turns.get(turnUrl) ?? new TurnPosts(turnUrl, this.#options);
    this.#turns.set(turnUrl, posts);
    return { turn: turnOverWire(posts, { dispatchId, isSlow: stepTools.length > 0 }, this.#options) };
  }

  /** The pieces of a dispatch; nothing is opened before there is one, nor when there is no address. */
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

  /** Writes a callback down, then sends it until it is accepted. Null url: it is only kept, to be asked for. */
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

  /** Tries everything again now, for instance because the token has changed. */
  wake(): void {
    for (const target of this.#targets.values()) target.wake();
  }

  /** Waits for what can be delivered within the grace; the rest stays on disk. */
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

  /** An attempt must not wait for a result that can never arrive. */
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

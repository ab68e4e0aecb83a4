import { DISPATCH_BYTES_MAX } from "../bridge/index.ts";
import type { Clock } from "../clock/index.ts";
import type { PeerAgent } from "../outbound/index.ts";
import { resultIn, type View, viewIn } from "./bridge-reply.ts";
import { instanceOf } from "./bridge-routes.ts";
import { BridgeWire, isTemporaryStatus, isUnknownThere, type TryEnd, tryEndOf } from "./bridge-wire.ts";
import type { GatewayDirectory } from "./directory.ts";
import type { GatewayView } from "./gateway-view.ts";
import { batchesOf, type DispatchBatch } from "./dispatch-batch.ts";
import { type Entry, entryOf, type Opened, type RemoteFailure, type RemoteReport, type Sending } from "./opened.ts";

export interface RemoteDispatcherOptions {
  readonly directory: GatewayDirectory;
  readonly agent: PeerAgent;
  readonly clock: Clock;
  readonly report: RemoteReport;
}

/** Waits after the first tries. Then the dispatcher retries every TRY_EVERY_MS until the grace period of the gateway is over. */
const TRY_WAITS_MS = [1_000, 4_000] as const;
const TRY_EVERY_MS = 5_000;
/** A Bridge is queried when its callback has not come for this long. */
const PULL_EVERY_MS = 30_000;
const GONE = "its gateway is no longer registered";

/** Sends attempts to Bridges over HTTP, one batch per commit and gateway, and queries Bridges that have not reported. */
export class RemoteDispatcher {
  readonly #options: RemoteDispatcherOptions;
  readonly #wire: BridgeWire;
  readonly #open = new Map<string, Entry>();
  readonly #waiting = new Map<string, Entry[]>();
  #isFlushing = false;
  #isClosed = false;

  constructor(options: RemoteDispatcherOptions) {
    this.#options = options;
    this.#wire = new BridgeWire(options);
    options.directory.onInstanceChange((gateway) => this.#askAfterChange(gateway));
  }

  get openCount(): number {
    return this.#open.size;
  }

  isOpen(dispatchId: string): boolean {
    return this.#open.has(dispatchId);
  }

  /** Sends an attempt, batched with others submitted in the same turn of the event loop. */
  send({ body, isSync, isResend, ...opened }: Sending): void {
    const { dispatchId } = opened;
    if (this.#isClosed || this.#open.has(dispatchId)) return;
    const entry = entryOf(opened, { body, isSync, isResend });
    this.#open.set(dispatchId, entry);
    this.#try(entry);
  }

  /** Takes over an attempt that another process sent or may have sent. It is queried, never sent. */
  adopt(opened: Opened): void {
    const { dispatchId } = opened;
    if (this.#isClosed || this.#open.has(dispatchId)) return;
    const entry = entryOf(opened, null);
    this.#open.set(dispatchId, entry);
    void this.#pull(entry);
  }

  /** Drops an attempt that has ended in this process. */
  forget(dispatchId: string): void {
    this.#open.get(dispatchId)?.stop?.();
    this.#open.delete(dispatchId);
  }

  /** Cancels an attempt, best effort: no caller waits for the Bridge to stop it. */
  cancel(orgId: string, gatewayId: string, dispatchId: string): void {
    const entry = this.#open.get(dispatchId);
    this.forget(dispatchId);
    if (entry !== undefined) entry.isCancelled = true;
    // An attempt that has not left this process is simply not sent.
    if (entry === undefined || entry.tries > 0 || entry.isUnsure) this.#sendCancel(orgId, gatewayId, dispatchId);
  }

  /** Cancels every attempt of a run that this process has open, in the same way. */
  cancelRun(runId: string): void {
    for (const { opened } of this.#open.values())
      if (opened.runId === runId) this.cancel(opened.orgId, opened.gatewayId, opened.dispatchId);
  }

  close(): void {
    this.#isClosed = true;
    for (const { stop } of this.#open.values()) stop?.();
    this.#open.clear();
    this.#waiting.clear();
  }

  #sendCancel(orgId: string, gatewayId: string, dispatchId: string): void {
    const gateway = this.#options.directory.find(orgId, gatewayId);
    if (gateway !== undefined) this.#wire.cancel(gateway, dispatchId);
  }

  /**
   * The Bridge that began an attempt may have been restarted meanwhile and would begin it a second time. Hence an attempt with
   * progress is not sent again: when no Bridge knows it any more, a further execution continues after its progress.
   */
  async #tryAgain(entry: Entry): Promise<void> {
    const hasProgress = entry.isUnsure && (await this.#options.report.hasProgress(entry.opened));
    if (!this.#isCurrent(entry)) return;
    if (hasProgress) await this.#pull(entry);
    else this.#try(entry);
  }

  #try(entry: Entry): void {
    if (entry.isSync) void this.#sendSync(entry);
    else this.#enqueue(entry);
  }

  #enqueue(entry: Entry): void {
    const { orgId, gatewayId } = entry.opened;
    const key = `${orgId}/${gatewayId}`;
    const queue = this.#waiting.get(key);
    if (queue === undefined) this.#waiting.set(key, [entry]);
    else queue.push(entry);
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isFlushing = false;
    for (const [key, entries] of this.#waiting) {
      this.#waiting.delete(key);
      const { batches, tooLarge } = batchesOf(entries.filter((entry) => this.#isCurrent(entry)));
      for (const { entry, bytes } of tooLarge) {
        const message = `the dispatch has ${bytes} bytes, and a Bridge takes ${DISPATCH_BYTES_MAX} (body_too_large)`;
        this.#failRefused(entry, message);
      }
      for (const batch of batches) void this.#post(batch);
    }
  }

  async #post(batch: DispatchBatch): Promise<void> {
    const { entries } = batch;
    for (const entry of entries) entry.tries += 1;
    const gateway = this.#gatewayOf(entries[0]);
    if (gateway === undefined) {
      for (const entry of entries) this.#failUnreachable(entry, GONE);
      return;
    }
    const ends = await this.#wire.send(gateway, batch);
    entries.forEach((entry, index) => {
      const end = ends[index];
      if (end !== undefined) this.#judge(entry, end, gateway);
    });
  }

  #judge(entry: Entry, end: TryEnd, gateway: GatewayView): void {
    const { status, detail } = end;
    const { orgId, gatewayId, dispatchId, effects } = entry.opened;
    const isTaken = status !== null && status >= 200 && status < 300;
    if (!this.#isCurrent(entry)) {
      // The cancellation may have reached the Bridge before the attempt itself, so it is sent again.
      if (isTaken && entry.isCancelled) this.#sendCancel(orgId, gatewayId, dispatchId);
      return;
    }
    if (isTaken) {
      entry.takenBy = instanceOf(gateway);
      return this.#pullLater(entry, PULL_EVERY_MS);
    }
    if (!isTemporaryStatus(status)) return this.#failRefused(entry, `the Bridge refused it (${status}): ${detail}`);
    entry.isUnsure ||= end.mayHaveBegun && (status === null || status >= 500);
    // An attempt that may have begun and must not begin twice is only queried, never sent again.
    const isBarred = effects === "at_most_once" && entry.isUnsure;
    if (status === 401) void this.#options.directory.refresh(orgId).catch(() => undefined);
    const waitMs = this.#waitFor(entry, end);
    entry.stop = this.#options.clock.after(Math.max(0, waitMs), () => {
      entry.stop = null;
      if (waitMs > 0 && !isBarred) void this.#tryAgain(entry);
      else void this.#pull(entry, detail);
    });
  }

  /** Milliseconds until the next try; 0 or less when the grace period is over. */
  #waitFor(entry: Entry, { waitMs }: TryEnd): number {
    const { clock, directory } = this.#options;
    entry.failedSince ??= clock.now();
    const leftMs = entry.failedSince + directory.graceMs - clock.now();
    return Math.min(Math.max(waitMs, TRY_WAITS_MS[entry.tries - 1] ?? TRY_EVERY_MS), leftMs);
  }

  #pullLater(entry: Entry, waitMs: number): void {
    entry.isHandedOver = true;
    entry.stop?.();
    entry.stop = this.#options.clock.after(waitMs, () => void this.#pull(entry));
  }

  /** Queries the Bridge. `last`: why the attempt could not be sent; queried once before that failure is reported. */
  async #pull(entry: Entry, last: string | null = null): Promise<void> {
    const { opened } = entry;
    const gateway = this.#gatewayOf(entry);
    const reply = gateway === undefined ? null : await this.#wire.ask(gateway, opened.dispatchId);
    if (!this.#isCurrent(entry)) return;
    const now = this.#options.clock.now();
    const view = reply?.ok === true && reply.status === 200 ? viewIn(reply.text, opened, now) : null;
    if (view !== null) return this.#see(entry, view);
    const isBarred = opened.effects === "at_most_once" && entry.isUnsure;
    if (last !== null && !isBarred) return this.#failUnreachable(entry, last);
    // While no Bridge reports on the attempt, it may still be running.
    if (reply?.ok === true && gateway !== undefined && isUnknownThere(entry.takenBy, gateway, reply)) this.#lose(entry);
    else this.#pullLater(entry, PULL_EVERY_MS);
  }

  #see(entry: Entry, view: View): void {
    switch (view.state) {
      case "running":
        return this.#pullLater(entry, PULL_EVERY_MS);
      case "lost":
        return this.#lose(entry);
      case "unreadable":
        return this.#fail(entry, {
          code: "dispatch_failed",
          message: `the Bridge ran it, and ${view.problem}`,
          isRetryable: true,
        });
      case "ended":
        void this.#end(entry, view.result);
    }
  }

  async #end(entry: Entry, result: Extract<View, { state: "ended" }>["result"]): Promise<void> {
    const { dispatchId } = entry.opened;
    this.forget(dispatchId);
    const isTaken = await this.#options.report.ended(entry.opened, result);
    if (isTaken || this.#isClosed || this.#open.has(dispatchId)) return;
    this.#open.set(dispatchId, entry);
    this.#pullLater(entry, PULL_EVERY_MS);
  }

  #lose(entry: Entry): void {
    this.forget(entry.opened.dispatchId);
    this.#options.report.lost(entry.opened);
  }

  #failUnreachable(entry: Entry, message: string): void {
    this.#fail(entry, { code: "gateway_unreachable", message, isRetryable: true });
  }

  #failRefused(entry: Entry, message: string): void {
    this.#fail(entry, { code: "dispatch_failed", message, isRetryable: false });
  }

  #fail(entry: Entry, failure: RemoteFailure): void {
    this.forget(entry.opened.dispatchId);
    this.#options.report.failed(entry.opened, failure);
  }

  async #sendSync(entry: Entry): Promise<void> {
    const gateway = this.#gatewayOf(entry);
    if (gateway === undefined) return this.#failUnreachable(entry, GONE);
    entry.tries += 1;
    const reply = await this.#wire.sendSync(gateway, entry);
    if (reply === null) {
      entry.tries -= 1;
      if (this.#isCurrent(entry)) this.#enqueue(entry);
      return;
    }
    const { clock } = this.#options;
    if (this.#isCurrent(entry) && reply.ok && reply.status === 200)
      this.#see(entry, resultIn(reply.text, entry.opened, clock.now()));
    else this.#judge(entry, tryEndOf(reply), gateway);
  }

  /** Queries the new instance about attempts that the old one had taken. Attempts waiting for a retry are sent to the new one. */
  #askAfterChange({ orgId, id }: GatewayView): void {
    for (const entry of this.#open.values()) {
      const { opened, stop } = entry;
      if (opened.orgId !== orgId || opened.gatewayId !== id) continue;
      const isBarred = opened.effects === "at_most_once" && entry.isUnsure;
      if (entry.isHandedOver) this.#pullLater(entry, 0);
      else if (stop !== null && !isBarred) {
        stop();
        entry.stop = null;
        entry.tries = 0;
        entry.failedSince = null;
        void this.#tryAgain(entry);
      }
    }
  }

  #isCurrent(entry: Entry): boolean {
    return this.#open.get(entry.opened.dispatchId) === entry;
  }

  #gatewayOf(entry: Entry | undefined): GatewayView | undefined {
    if (entry === undefined) return undefined;
    return this.#options.directory.find(entry.opened.orgId, entry.opened.gatewayId);
  }
}

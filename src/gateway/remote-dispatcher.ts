import { DISPATCH_BATCH_PATH, DISPATCH_SYNC_PATH, EXECUTIONS_PATH } from "../bridge/index.ts";
import type { Clock } from "../clock/index.ts";
import { type PeerAgent, type PeerFailure, type PeerReply, requestPeer } from "../outbound/index.ts";
import { detailIn, itemsIn, resultIn, type View, viewIn } from "./bridge-reply.ts";
import type { Gateway, GatewayDirectory } from "./directory.ts";
import { batchesOf, type DispatchBatch } from "./dispatch-batch.ts";
import { type Entry, entryOf, type Opened, type RemoteReport, type Sending } from "./opened.ts";

export interface RemoteDispatcherOptions {
  readonly directory: GatewayDirectory;
  readonly agent: PeerAgent;
  readonly clock: Clock;
  readonly report: RemoteReport;
}

/** A dispatch is tried this often, with these waits in between; the last wait ends with a question. */
const TRY_WAITS_MS = [1_000, 4_000, 16_000] as const;
const SEND_TIMEOUT_MS = 15_000;
const PULL_TIMEOUT_MS = 10_000;
/** A callback that has not come for so long is asked for. */
const PULL_EVERY_MS = 30_000;
const REPLY_BYTES_MAX = 8 * 1_048_576;
const SYNC_GRACE_MS = 5_000;

/** How a try to hand an attempt over ended. */
interface TryEnd {
  /** Null: no answer. */
  readonly status: number | null;
  readonly detail: string;
  /** False only when it certainly did not begin. */
  readonly mayHaveBegun: boolean;
}

/** Hands attempts to Bridges over HTTP, those of one commit to one gateway together, and asks for those gone silent. */
export class RemoteDispatcher {
  readonly #options: RemoteDispatcherOptions;
  readonly #open = new Map<string, Entry>();
  readonly #waiting = new Map<string, Entry[]>();
  #isFlushing = false;
  #isClosed = false;

  constructor(options: RemoteDispatcherOptions) {
    this.#options = options;
    options.directory.onInstanceChange((gateway) => this.#askAfterChange(gateway));
  }

  get openCount(): number {
    return this.#open.size;
  }

  isOpen(dispatchId: string): boolean {
    return this.#open.has(dispatchId);
  }

  /** Goes out with whatever else is handed over in this turn of the event loop. */
  send({ body, isSync, ...opened }: Sending): void {
    const { dispatchId } = opened;
    if (this.#isClosed || this.#open.has(dispatchId)) return;
    const entry = entryOf(opened, body, isSync);
    this.#open.set(dispatchId, entry);
    this.#try(entry);
  }

  /** Takes on an attempt that another process sent, or may have sent: it is asked for, never sent. */
  adopt(opened: Opened): void {
    const { dispatchId } = opened;
    if (this.#isClosed || this.#open.has(dispatchId)) return;
    const entry = entryOf(opened, null, false);
    this.#open.set(dispatchId, entry);
    void this.#pull(entry);
  }

  /** The attempt has ended here. */
  forget(dispatchId: string): void {
    const entry = this.#open.get(dispatchId);
    entry?.stop?.();
    this.#open.delete(dispatchId);
  }

  /** Best effort: nobody waits for a Bridge that is told to stop. */
  cancel(orgId: string, gatewayId: string, dispatchId: string): void {
    const entry = this.#open.get(dispatchId);
    this.forget(dispatchId);
    if (entry !== undefined) entry.isCancelled = true;
    // What has not left this process is simply not sent.
    if (entry === undefined || entry.tries > 0 || entry.isHandedOver) this.#tellCancel(orgId, gatewayId, dispatchId);
  }

  close(): void {
    this.#isClosed = true;
    for (const { stop } of this.#open.values()) stop?.();
    this.#open.clear();
    this.#waiting.clear();
  }

  #tellCancel(orgId: string, gatewayId: string, dispatchId: string): void {
    const gateway = this.#options.directory.find(orgId, gatewayId);
    if (gateway === undefined) return;
    void this.#request(gateway, "POST", `${EXECUTIONS_PATH}/${encodeURIComponent(dispatchId)}/cancel`, {
      body: "{}",
      timeoutMs: PULL_TIMEOUT_MS,
    });
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
      for (const batch of batchesOf(entries.filter((entry) => this.#isCurrent(entry)))) void this.#post(batch);
    }
  }

  async #post({ entries, texts }: DispatchBatch): Promise<void> {
    for (const entry of entries) entry.tries += 1;
    const gateway = this.#gatewayOf(entries[0]);
    if (gateway === undefined) {
      for (const entry of entries) this.#fail(entry, "gateway_unreachable", "its gateway is no longer registered");
      return;
    }
    const body = `{"dispatches":[${texts.join(",")}]}`;
    const reply = await this.#request(gateway, "POST", DISPATCH_BATCH_PATH, { body, timeoutMs: SEND_TIMEOUT_MS });
    const items = reply.ok && reply.status < 300 ? itemsIn(reply.text, entries.length) : null;
    entries.forEach((entry, index) => {
      const item = items?.[index];
      // Who answers for each dispatch knows what it has begun.
      this.#judge(entry, item === undefined ? tryEndOf(reply) : { ...item, mayHaveBegun: false });
    });
  }

  #judge(entry: Entry, { status, detail, mayHaveBegun }: TryEnd): void {
    const { orgId, gatewayId, dispatchId, effects } = entry.opened;
    const isTaken = status !== null && status >= 200 && status < 300;
    if (!this.#isCurrent(entry)) {
      // The word to stop may have come before what it was about.
      if (isTaken && entry.isCancelled) this.#tellCancel(orgId, gatewayId, dispatchId);
      return;
    }
    if (isTaken) return this.#pullLater(entry, PULL_EVERY_MS);
    const isAgain = status === null || status >= 500 || status === 401 || status === 408 || status === 429;
    if (!isAgain) return this.#fail(entry, "dispatch_failed", `the Bridge refused it (${status}): ${detail}`);
    entry.isUnsure ||= mayHaveBegun && (status === null || status >= 500);
    // What may have begun and must not begin twice is only asked for.
    const isBarred = effects === "at_most_once" && entry.isUnsure;
    const wait = TRY_WAITS_MS[Math.min(entry.tries, TRY_WAITS_MS.length) - 1] ?? 0;
    const mayTry = entry.tries < TRY_WAITS_MS.length && !isBarred;
    if (status === 401) void this.#options.directory.refresh(orgId).catch(() => undefined);
    entry.stop = this.#options.clock.after(wait, () => {
      entry.stop = null;
      if (mayTry) this.#try(entry);
      else void this.#pull(entry, detail);
    });
  }

  #pullLater(entry: Entry, waitMs: number): void {
    entry.isHandedOver = true;
    entry.stop?.();
    entry.stop = this.#options.clock.after(waitMs, () => void this.#pull(entry));
  }

  /** `last`: it could not be handed over for this reason, and is asked for once before that is said. */
  async #pull(entry: Entry, last: string | null = null): Promise<void> {
    const { opened } = entry;
    const gateway = this.#gatewayOf(entry);
    const path = `${EXECUTIONS_PATH}/${encodeURIComponent(opened.dispatchId)}`;
    const reply =
      gateway === undefined ? null : await this.#request(gateway, "GET", path, { timeoutMs: PULL_TIMEOUT_MS });
    if (!this.#isCurrent(entry)) return;
    const isMissing = reply?.ok === true && reply.status === 404;
    const view = reply?.ok === true && reply.status === 200 ? viewIn(reply.text, opened) : null;
    if (view !== null) return this.#see(entry, view);
    const isBarred = opened.effects === "at_most_once" && entry.isUnsure;
    if (last !== null && !isBarred) return this.#fail(entry, "gateway_unreachable", last);
    // As long as nobody answers for it, it may still be at work.
    if (isMissing) this.#lose(entry);
    else this.#pullLater(entry, PULL_EVERY_MS);
  }

  #see(entry: Entry, view: View): void {
    switch (view.state) {
      case "running":
        return this.#pullLater(entry, PULL_EVERY_MS);
      case "lost":
        return this.#lose(entry);
      case "unreadable":
        return this.#fail(entry, "dispatch_failed", `the Bridge ran it, and ${view.problem}`);
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

  #fail(entry: Entry, code: "dispatch_failed" | "gateway_unreachable", message: string): void {
    this.forget(entry.opened.dispatchId);
    this.#options.report.failed(entry.opened, code, message);
  }

  async #sendSync(entry: Entry): Promise<void> {
    entry.tries += 1;
    const gateway = this.#gatewayOf(entry);
    if (gateway === undefined) return this.#fail(entry, "gateway_unreachable", "its gateway is no longer registered");
    const timeoutMs = entry.body?.timeoutMs ?? null;
    const reply = await this.#request(gateway, "POST", DISPATCH_SYNC_PATH, {
      body: JSON.stringify(entry.body),
      ...(timeoutMs === null ? {} : { timeoutMs: timeoutMs + SYNC_GRACE_MS }),
    });
    if (this.#isCurrent(entry) && reply.ok && reply.status === 200)
      this.#see(entry, resultIn(reply.text, entry.opened));
    else this.#judge(entry, tryEndOf(reply));
  }

  /** What the instance before had taken is asked for; what only waits to be tried again is tried with the new one. */
  #askAfterChange({ orgId, id }: Gateway): void {
    for (const entry of this.#open.values()) {
      const { opened, stop } = entry;
      if (opened.orgId !== orgId || opened.gatewayId !== id) continue;
      const isBarred = opened.effects === "at_most_once" && entry.isUnsure;
      if (entry.isHandedOver) this.#pullLater(entry, 0);
      else if (stop !== null && !isBarred) {
        stop();
        entry.stop = null;
        entry.tries = 0;
        this.#try(entry);
      }
    }
  }

  #isCurrent(entry: Entry): boolean {
    return this.#open.get(entry.opened.dispatchId) === entry;
  }

  #gatewayOf(entry: Entry | undefined): Gateway | undefined {
    if (entry === undefined) return undefined;
    return this.#options.directory.find(entry.opened.orgId, entry.opened.gatewayId);
  }

  #request(
    gateway: Gateway,
    method: string,
    path: string,
    options: { readonly body?: string; readonly timeoutMs?: number },
  ): Promise<PeerReply | PeerFailure> {
    const { directory, agent } = this.#options;
    const token = directory.dispatchToken(gateway.orgId, gateway.id);
    return requestPeer(`${gateway.url}${path}`, {
      method,
      ...options,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      bytesMax: REPLY_BYTES_MAX,
      agent,
    });
  }
}

function tryEndOf(reply: PeerReply | PeerFailure): TryEnd {
  if (!reply.ok) return { status: null, detail: reply.message, mayHaveBegun: reply.wasSent };
  return { status: reply.status, detail: detailIn(reply.text), mayHaveBegun: true };
}

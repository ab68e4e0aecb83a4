import {
  type CallbackBody,
  DISPATCH_BATCH_PATH,
  DISPATCH_SYNC_PATH,
  type DispatchBody,
  DISPATCHES_PER_BATCH_MAX,
  EXECUTIONS_PATH,
} from "../bridge/index.ts";
import type { Clock, Stop } from "../clock/index.ts";
import { type PeerAgent, type PeerFailure, type PeerReply, requestPeer } from "../outbound/index.ts";
import { detailIn, detailOf, parsed, resultsOf, viewOf } from "./bridge-reply.ts";
import type { Gateway, GatewayDirectory } from "./directory.ts";

/** An attempt that was, or is about to be, handed to a Bridge. */
export interface Opened {
  readonly orgId: string;
  readonly gatewayId: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly attempt: number;
  readonly dispatchId: string;
  readonly effects: DispatchBody["effects"];
}

/** One that is handed over by us. */
export interface Sending extends Opened {
  readonly body: DispatchBody;
  readonly isSync: boolean;
}

/** What becomes of attempts, told to whoever handed them over. */
export interface RemoteReport {
  /** The Bridge's own words, pulled or given in answer. */
  ended(opened: Opened, body: CallbackBody): void;
  /** It never began, or cannot be reached: the attempt failed. */
  failed(opened: Opened, code: "dispatch_failed" | "gateway_unreachable", message: string): void;
  /** The Bridge does not know it, or not any more: it must be sent again, or is unknown for ever. */
  lost(opened: Opened): void;
}

export interface RemoteDispatcherOptions {
  readonly directory: GatewayDirectory;
  readonly agent: PeerAgent;
  readonly clock: Clock;
  readonly report: RemoteReport;
}

interface Entry {
  readonly opened: Opened;
  /** Null: another process sent it. */
  readonly body: DispatchBody | null;
  readonly isSync: boolean;
  tries: number;
  stop: Stop | null;
}

/** A dispatch is tried this often, with these waits in between; the last wait ends with a question. */
const TRY_WAITS_MS = [1_000, 4_000, 16_000] as const;
const SEND_TIMEOUT_MS = 15_000;
const PULL_TIMEOUT_MS = 10_000;
/** A callback that has not come for so long is asked for. */
const PULL_EVERY_MS = 30_000;
const REPLY_BYTES_MAX = 8 * 1_048_576;
const SYNC_GRACE_MS = 5_000;
const BATCH_BYTES_MAX = 8 * 1_048_576;

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
    const entry: Entry = { opened, body, isSync, tries: 0, stop: null };
    this.#open.set(dispatchId, entry);
    if (isSync) void this.#sendSync(entry, body);
    else this.#enqueue(entry);
  }

  /** Takes on an attempt that another process sent, or may have sent: it is asked for, never sent. */
  adopt(opened: Opened): void {
    const { dispatchId } = opened;
    if (this.#isClosed || this.#open.has(dispatchId)) return;
    const entry: Entry = { opened, body: null, isSync: false, tries: TRY_WAITS_MS.length, stop: null };
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
    this.forget(dispatchId);
    const gateway = this.#options.directory.find(orgId, gatewayId);
    if (gateway === undefined) return;
    void this.#request(gateway, "POST", `${EXECUTIONS_PATH}/${encodeURIComponent(dispatchId)}/cancel`, {
      body: "{}",
      timeoutMs: PULL_TIMEOUT_MS,
    });
  }

  close(): void {
    this.#isClosed = true;
    for (const { stop } of this.#open.values()) stop?.();
    this.#open.clear();
    this.#waiting.clear();
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
      for (const batch of batchesOf(entries)) void this.#post(batch);
    }
  }

  async #post(batch: readonly { readonly entry: Entry; readonly text: string }[]): Promise<void> {
    const entries = batch.map(({ entry }) => entry);
    for (const entry of entries) entry.tries += 1;
    const gateway = this.#gatewayOf(entries[0]);
    if (gateway === undefined) {
      for (const entry of entries) this.#fail(entry, "gateway_unreachable", "its gateway is no longer registered");
      return;
    }
    const body = `{"dispatches":[${batch.map(({ text }) => text).join(",")}]}`;
    const reply = await this.#request(gateway, "POST", DISPATCH_BATCH_PATH, { body, timeoutMs: SEND_TIMEOUT_MS });
    const results = reply.ok && reply.status < 300 ? resultsOf(reply.text, entries.length) : null;
    entries.forEach((entry, index) => {
      const result = results?.[index];
      if (result !== undefined) this.#judge(entry, result.status, detailOf(result.body), true);
      else if (reply.ok) this.#judge(entry, reply.status, detailIn(reply.text), true);
      else this.#judge(entry, null, reply.message, reply.wasSent);
    });
  }

  /** `status` null: no answer. `wasSent` false: certainly not begun. */
  #judge(entry: Entry, status: number | null, detail: string, wasSent: boolean): void {
    if (this.#open.get(entry.opened.dispatchId) !== entry) return;
    if (status !== null && status >= 200 && status < 300) return this.#pullLater(entry, PULL_EVERY_MS);
    const isAgain = status === null || status >= 500 || status === 401 || status === 408 || status === 429;
    if (!isAgain) return this.#fail(entry, "dispatch_failed", `the Bridge refused it (${status}): ${detail}`);
    // What may have begun and must not begin twice is only asked for.
    const isUnsure = entry.opened.effects === "at_most_once" && wasSent && (status === null || status >= 500);
    const wait = TRY_WAITS_MS[Math.min(entry.tries, TRY_WAITS_MS.length) - 1] ?? 0;
    const mayTry = entry.tries < TRY_WAITS_MS.length && !isUnsure;
    if (status === 401) void this.#options.directory.refresh(entry.opened.orgId).catch(() => undefined);
    entry.stop = this.#options.clock.after(wait, () => {
      if (mayTry) this.#enqueue(entry);
      else void this.#pull(entry, { isLast: true, detail });
    });
  }

  #pullLater(entry: Entry, waitMs: number): void {
    entry.stop?.();
    entry.stop = this.#options.clock.after(waitMs, () => void this.#pull(entry));
  }

  /** `isLast`: it could not be handed over, and this is the last question before that is said. */
  async #pull(entry: Entry, last: { readonly isLast: boolean; readonly detail: string } | null = null): Promise<void> {
    const { opened } = entry;
    const { dispatchId } = opened;
    const gateway = this.#gatewayOf(entry);
    const reply =
      gateway === undefined
        ? null
        : await this.#request(gateway, "GET", `${EXECUTIONS_PATH}/${encodeURIComponent(dispatchId)}`, {
            timeoutMs: PULL_TIMEOUT_MS,
          });
    if (this.#open.get(dispatchId) !== entry) return;
    if (reply?.ok === true && reply.status === 404) {
      if (last === null) return this.#lose(entry);
      return this.#giveUp(entry, last.detail);
    }
    const view = reply?.ok === true && reply.status === 200 ? viewOf(reply.text) : null;
    if (view === null) {
      if (last !== null) return this.#giveUp(entry, last.detail);
      return this.#pullLater(entry, PULL_EVERY_MS);
    }
    if (view.state === "lost") return this.#lose(entry);
    if (view.state === "running" || view.result === undefined) return this.#pullLater(entry, PULL_EVERY_MS);
    this.forget(dispatchId);
    this.#options.report.ended(opened, view.result);
  }

  #giveUp(entry: Entry, detail: string): void {
    if (entry.opened.effects === "at_most_once") return this.#lose(entry);
    this.#fail(entry, "gateway_unreachable", detail);
  }

  #lose(entry: Entry): void {
    this.forget(entry.opened.dispatchId);
    this.#options.report.lost(entry.opened);
  }

  #fail(entry: Entry, code: "dispatch_failed" | "gateway_unreachable", message: string): void {
    this.forget(entry.opened.dispatchId);
    this.#options.report.failed(entry.opened, code, message);
  }

  async #sendSync(entry: Entry, sent: DispatchBody): Promise<void> {
    const { opened } = entry;
    const gateway = this.#gatewayOf(entry);
    if (gateway === undefined) return this.#fail(entry, "gateway_unreachable", "its gateway is no longer registered");
    entry.tries = TRY_WAITS_MS.length;
    const { timeoutMs } = sent;
    const reply = await this.#request(gateway, "POST", DISPATCH_SYNC_PATH, {
      body: JSON.stringify(sent),
      ...(timeoutMs === null ? {} : { timeoutMs: timeoutMs + SYNC_GRACE_MS }),
    });
    if (this.#open.get(opened.dispatchId) !== entry) return;
    const body = reply.ok && reply.status === 200 ? parsed<CallbackBody>(reply.text) : null;
    if (body !== null) {
      this.forget(opened.dispatchId);
      this.#options.report.ended(opened, body);
    } else if (reply.ok) this.#judge(entry, reply.status, detailIn(reply.text), true);
    else this.#judge(entry, null, reply.message, reply.wasSent);
  }

  #askAfterChange({ orgId, id }: Gateway): void {
    for (const entry of this.#open.values()) {
      const { opened } = entry;
      if (opened.orgId !== orgId || opened.gatewayId !== id || entry.isSync) continue;
      // What is still on its way there has its own next step.
      if (entry.stop === null && entry.tries < TRY_WAITS_MS.length) continue;
      this.#pullLater(entry, 0);
    }
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

/** As many to a request as the wire takes, by count and by weight. */
function batchesOf(entries: readonly Entry[]): { readonly entry: Entry; readonly text: string }[][] {
  const batches: { readonly entry: Entry; readonly text: string }[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    const text = JSON.stringify(entry.body);
    const last = batches.at(-1);
    if (last === undefined || last.length >= DISPATCHES_PER_BATCH_MAX || bytes + text.length > BATCH_BYTES_MAX) {
      batches.push([{ entry, text }]);
      bytes = text.length;
    } else {
      last.push({ entry, text });
      bytes += text.length;
    }
  }
  return batches;
}

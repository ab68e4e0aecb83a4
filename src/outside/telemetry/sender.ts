import type { Clock } from "../../clock/index.ts";
import { type EndedSpan, type Resource, writeExportRequest } from "../../core/trace/index.ts";
import { PeerAgent, type PeerFailure, type PeerReply, requestPeer } from "../../outbound/index.ts";

export interface SenderOptions {
  /** Full URL of the collector's endpoint for traces, including the path. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Resource;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
  readonly spansPerRequest: number;
  readonly queuedSpansMax: number;
}

export interface SenderFigures {
  readonly queuedSpans: number;
  readonly sentSpans: number;
  readonly droppedSpans: number;
  readonly failedRequests: number;
}

const REQUEST_MS = 10_000;
const REPLY_BYTES_MAX = 65_536;
/** Delays before each new try; after the last try the batch is dropped. */
export const RETRY_DELAYS_MS = [1_000, 2_000, 4_000, 8_000, 16_000] as const;
const RETRY_AFTER_MS_MAX = 60_000;
/** Statuses that the protocol allows to retry; any other would fail again in the same way. */
const RETRYABLE: ReadonlySet<number> = new Set([429, 502, 503, 504]);

type Verdict = { readonly kind: "taken" | "refused" } | { readonly kind: "later"; readonly afterMs: number | null };

/** A bounded queue in front of the collector. It sends one request at a time and drops the oldest spans when it is full. */
export class Sender {
  readonly #options: SenderOptions;
  readonly #agent = new PeerAgent();
  readonly #abort = new AbortController();
  #queue: EndedSpan[] = [];
  #sending: Promise<void> | null = null;
  #wake: (() => void) | null = null;
  /** While closing, no request is retried. */
  #isClosing = false;
  #isInTrouble = false;
  #inHand = 0;
  #sent = 0;
  #dropped = 0;
  #failed = 0;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  get figures(): SenderFigures {
    const queuedSpans = this.#queue.length + this.#inHand;
    return { queuedSpans, sentSpans: this.#sent, droppedSpans: this.#dropped, failedRequests: this.#failed };
  }

  push(spans: readonly EndedSpan[]): void {
    if (spans.length === 0) return;
    this.#queue = this.#queue.concat(spans);
    const excess = this.#queue.length - this.#options.queuedSpansMax;
    if (excess > 0) {
      this.#queue = this.#queue.slice(excess);
      this.#dropped += excess;
      this.#complain("more spans end than the collector takes; the oldest are dropped", new Error("the queue is full"));
    }
    this.#sending ??= this.#work();
  }

  /** Resolves when the queue is empty. */
  async drain(): Promise<void> {
    while (this.#sending !== null) await this.#sending;
  }

  /** Ends retries: each remaining batch is sent only once. */
  stopRetrying(): void {
    this.#isClosing = true;
    this.#wake?.();
  }

  /** Aborts the open request; unsent spans are dropped and counted. */
  close(): void {
    this.stopRetrying();
    this.#dropped += this.#queue.length;
    this.#queue = [];
    this.#abort.abort();
    this.#agent.close();
  }

  async #work(): Promise<void> {
    // Waits one microtask, so that spans that end together are sent together.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, this.#options.spansPerRequest);
      this.#queue = this.#queue.slice(batch.length);
      this.#inHand = batch.length;
      const isTaken = await this.#deliver(batch);
      this.#inHand = 0;
      if (isTaken) this.#sent += batch.length;
      else this.#dropped += batch.length;
    }
    this.#sending = null;
  }

  async #deliver(batch: readonly EndedSpan[]): Promise<boolean> {
    const body = JSON.stringify(writeExportRequest(this.#options.resource, batch));
    for (let tries = 0; ; tries += 1) {
      const verdict = await this.#post(body);
      if (verdict.kind !== "later") return verdict.kind === "taken";
      const delayMs = RETRY_DELAYS_MS[tries];
      if (delayMs === undefined || this.#isClosing) return false;
      await this.#pause(verdict.afterMs ?? delayMs);
    }
  }

  async #post(body: string): Promise<Verdict> {
    const { endpoint, headers } = this.#options;
    const reply = await requestPeer(endpoint, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
      signal: this.#abort.signal,
      timeoutMs: REQUEST_MS,
      bytesMax: REPLY_BYTES_MAX,
      agent: this.#agent,
    });
    if (reply.ok && reply.status >= 200 && reply.status < 300) {
      this.#isInTrouble = false;
      this.#readRejected(reply.text);
      return { kind: "taken" };
    }
    this.#failed += 1;
    this.#complain("the collector does not take the spans", new Error(failureText(reply)));
    if (reply.ok && !RETRYABLE.has(reply.status)) return { kind: "refused" };
    return { kind: "later", afterMs: reply.ok ? retryAfter(reply.headers["retry-after"]) : null };
  }

  /** The collector may accept a request and reject some of its spans. Sending them again would not help. */
  #readRejected(text: string): void {
    const found = /"rejected_?[sS]pans"\s*:\s*"?(\d+)/u.exec(text);
    const rejected = Number(found?.[1] ?? 0);
    if (rejected === 0) return;
    this.#sent -= rejected;
    this.#dropped += rejected;
    this.#complain("the collector refuses spans", new Error(`${rejected} of them were rejected`));
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.#options.clock.after(delayMs, resolve);
      this.#wake = () => {
        stop();
        resolve();
      };
      if (this.#isClosing) this.#wake();
    });
  }

  /** Logs the first failure only, until the collector works again: an outage of a day must not fill the log. */
  #complain(what: string, error: Error): void {
    if (this.#isInTrouble || this.#isClosing) return;
    this.#isInTrouble = true;
    this.#options.onTrouble(what, error);
  }
}

function failureText(reply: PeerReply | PeerFailure): string {
  if (!reply.ok) return reply.message;
  return `it answers ${reply.status}: ${reply.text.slice(0, 200)}`;
}

function retryAfter(header: string | undefined): number | null {
  if (header === undefined || !/^\d{1,6}$/u.test(header)) return null;
  return Math.min(Number(header) * 1_000, RETRY_AFTER_MS_MAX);
}

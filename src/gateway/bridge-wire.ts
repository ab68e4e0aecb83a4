import { DISPATCH_ALIAS, DISPATCH_BATCH_PATH, DISPATCH_SYNC_PATH, EXECUTIONS_PATH } from "../bridge/index.ts";
import { type PeerAgent, type PeerFailure, type PeerReply, requestPeer } from "../outbound/index.ts";
import { codeIn, detailIn, itemsIn } from "./bridge-reply.ts";
import { BridgeRoutes, instanceOf, isMissingRoute } from "./bridge-routes.ts";
import type { GatewayDirectory } from "./directory.ts";
import type { GatewayView } from "./gateway-view.ts";
import { type DispatchBatch, singleText } from "./dispatch-batch.ts";
import type { Entry } from "./opened.ts";

/** The result of one try to send an attempt to a Bridge. */
export interface TryEnd {
  /** Null when there was no answer. */
  readonly status: number | null;
  readonly detail: string;
  /** False only when the attempt certainly did not begin. */
  readonly mayHaveBegun: boolean;
  /** How long the Bridge asks to wait; 0 when it does not ask. */
  readonly waitMs: number;
}

type Answer = PeerReply | PeerFailure;

const SEND_TIMEOUT_MS = 15_000;
const ASK_TIMEOUT_MS = 10_000;
const REPLY_BYTES_MAX = 8 * 1_048_576;
const SYNC_GRACE_MS = 5_000;
const WAIT_MS_MAX = 60_000;
/** Error codes with which a Bridge reports that it has not begun the dispatch. */
const NOT_BEGUN: ReadonlySet<string | null> = new Set(["stopping", "journal_unavailable", "too_many_dispatches"]);

export interface BridgeWireOptions {
  readonly directory: GatewayDirectory;
  readonly agent: PeerAgent;
}

/** Sends requests to Bridges, over the routes that each of them supports. */
export class BridgeWire {
  readonly #options: BridgeWireOptions;
  readonly #routes = new BridgeRoutes();

  constructor(options: BridgeWireOptions) {
    this.#options = options;
  }

  /** Sends several dispatches in one request where the Bridge supports it. A single one uses the route that every Bridge has. */
  async send(gateway: GatewayView, { entries, texts }: DispatchBatch): Promise<readonly TryEnd[]> {
    const routes = this.#routes.of(gateway);
    if (entries.length > 1 && routes.takesBatches) {
      const body = `{"dispatches":[${texts.join(",")}]}`;
      const reply = await this.#post(gateway, DISPATCH_BATCH_PATH, body);
      const ends = batchEnds(reply, entries.length);
      if (ends !== null) return ends;
      routes.takesBatches = false;
      // After any other answer the Bridge may have begun the batch, so an attempt that must not begin twice is not sent again.
      const isNothing = isMissingRoute(statusOf(reply));
      return Promise.all(
        entries.map(async (entry) =>
          isNothing || entry.opened.effects === "at_least_once" ? this.#sendOne(gateway, entry) : tryEndOf(reply),
        ),
      );
    }
    return Promise.all(entries.map((entry) => this.#sendOne(gateway, entry)));
  }

  /** Null when this Bridge has no synchronous route. The dispatch is then sent like any other. */
  async sendSync(gateway: GatewayView, { body }: Entry): Promise<Answer | null> {
    const routes = this.#routes.of(gateway);
    if (!routes.takesSync) return null;
    const timeoutMs = body?.timeoutMs ?? null;
    const reply = await this.#request(gateway, "POST", DISPATCH_SYNC_PATH, {
      body: JSON.stringify(body),
      ...(timeoutMs === null ? {} : { timeoutMs: timeoutMs + SYNC_GRACE_MS }),
    });
    if (!isMissingRoute(statusOf(reply))) return reply;
    routes.takesSync = false;
    return null;
  }

  ask(gateway: GatewayView, dispatchId: string): Promise<Answer> {
    return this.#request(gateway, "GET", pathOf(dispatchId), { timeoutMs: ASK_TIMEOUT_MS });
  }

  cancel(gateway: GatewayView, dispatchId: string): void {
    const path = `${pathOf(dispatchId)}/cancel`;
    void this.#request(gateway, "POST", path, { body: "{}", timeoutMs: ASK_TIMEOUT_MS });
  }

  async #sendOne(gateway: GatewayView, entry: Entry): Promise<TryEnd> {
    const routes = this.#routes.of(gateway);
    const text = singleText(entry);
    // Another dispatch may find the older route before this one is answered.
    const route = routes.single;
    const reply = await this.#post(gateway, route, text);
    if (!isMissingRoute(statusOf(reply)) || route === DISPATCH_ALIAS) return this.#oneEnd(gateway, reply);
    const second = await this.#post(gateway, DISPATCH_ALIAS, text);
    if (!isMissingRoute(statusOf(second))) routes.single = DISPATCH_ALIAS;
    return this.#oneEnd(gateway, second);
  }

  #oneEnd(gateway: GatewayView, reply: Answer): TryEnd {
    // No route was found at all. That may be temporary, so the routes are probed again next time.
    if (isMissingRoute(statusOf(reply))) this.#routes.forget(gateway);
    return tryEndOf(reply);
  }

  #post(gateway: GatewayView, path: string, body: string): Promise<Answer> {
    return this.#request(gateway, "POST", path, { body, timeoutMs: SEND_TIMEOUT_MS });
  }

  #request(
    gateway: GatewayView,
    method: string,
    path: string,
    options: { readonly body?: string; readonly timeoutMs?: number },
  ): Promise<Answer> {
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

export function tryEndOf(reply: Answer): TryEnd {
  if (!reply.ok) return { status: null, detail: reply.message, mayHaveBegun: reply.wasSent, waitMs: 0 };
  const seconds = Number(reply.headers["retry-after"] ?? 0);
  const waitMs = seconds > 0 ? Math.min(seconds * 1_000, WAIT_MS_MAX) : 0;
  const mayHaveBegun = !NOT_BEGUN.has(codeIn(reply.text));
  return { status: reply.status, detail: detailIn(reply.text), mayHaveBegun, waitMs };
}

/** Null when the Bridge does not support batches. */
function batchEnds(reply: Answer, count: number): readonly TryEnd[] | null {
  if (isMissingRoute(statusOf(reply))) return null;
  if (!reply.ok || reply.status >= 300) return Array.from({ length: count }, () => tryEndOf(reply));
  // A Bridge that answers for each dispatch knows which ones it has begun.
  return itemsIn(reply.text, count)?.map((item) => ({ ...item, mayHaveBegun: false, waitMs: 0 })) ?? null;
}

function statusOf(reply: Answer): number | null {
  return reply.ok ? reply.status : null;
}

function pathOf(dispatchId: string): string {
  return `${EXECUTIONS_PATH}/${encodeURIComponent(dispatchId)}`;
}

/** Statuses that are retried although they are below 500: the refusal is not about the dispatch itself. */
const TEMPORARY_STATUSES: ReadonlySet<number> = new Set([401, 408, 425, 429]);

export function isTemporaryStatus(status: number | null): boolean {
  return status === null || status >= 500 || TEMPORARY_STATUSES.has(status);
}

/**
 * Whether the Bridge answers that it does not know the dispatch. Any other 404 from the instance that took it only
 * means that it cannot be queried. Its callback is then awaited until the deadline of the attempt.
 */
export function isUnknownThere(takenBy: string | null, gateway: GatewayView, { status, text }: PeerReply): boolean {
  if (status !== 404) return false;
  return codeIn(text) === "unknown_dispatch" || takenBy !== instanceOf(gateway);
}

import { createHash } from "node:crypto";
import { z } from "zod";
import type { Clock, Stop } from "../clock/index.ts";
import type { PeerReply } from "../outbound/index.ts";
import type { Send } from "./peer-send.ts";
import type { Registration } from "./wire.ts";

export interface RegistrarOptions {
  /** The address of the server, without a path. */
  readonly server: string;
  readonly joinToken: string;
  readonly registration: Registration;
  readonly clock: Clock;
  readonly send: Send;
  /** A number in [0, 1). */
  readonly jitter: () => number;
  readonly onTrouble?: (message: string) => void;
  /** Called when the tokens have changed. */
  readonly onTokens?: () => void;
  /** Called when the server refuses the Bridge's key or its permission. The Bridge then stops trying. */
  readonly onRefused?: (message: string) => void;
}

export const HEARTBEAT_MS = 20_000;
const RETRY_FIRST_MS = 1_000;
const RETRY_MAX_MS = 30_000;
const REQUEST_MS = 10_000;
const GOODBYE_MS = 2_000;
const REGISTER_NOW_INTERVAL_MS = 1_000;
const REPLY_BYTES_MAX = 65_536;
const ORIGINS_MAX = 8;
const PATH = "/api/v1/gateways";

/** The reply to a heartbeat may contain no tokens, because the server shows them only once. */
const registeredSchema = z.object({
  gatewayId: z.string().optional(),
  callbackOrigin: z.url().optional(),
  tokens: z.object({ dispatchToken: z.string().min(1), callbackToken: z.string().min(1) }).optional(),
});

/** Registers this Bridge with a server and repeats that at intervals, so that a restarted server knows it too. */
export class Registrar {
  readonly #options: RegistrarOptions;
  readonly #serverOrigin: string;
  /** The dispatch tokens, newest last. The previous one is still accepted for requests sent during the change. */
  #dispatchTokens: readonly string[] = [];
  #callbackToken: string | null = null;
  /** Origins that the server has named, newest last. Replicas may use different origins. */
  #callbackOrigins: readonly string[] = [];
  #failures = 0;
  #stopTimer: Stop | null = null;
  #askedAt = 0;
  #isAsking = false;
  #isClosed = false;
  #lastTrouble = "";

  constructor(options: RegistrarOptions) {
    this.#options = options;
    this.#serverOrigin = new URL(options.server).origin;
  }

  get isRegistered(): boolean {
    return this.#callbackToken !== null;
  }

  /** Returns the tokens that dispatches may use: the join token until the server has given a better one. */
  dispatchTokens(): readonly string[] {
    return this.#dispatchTokens.length === 0 ? [this.#options.joinToken] : this.#dispatchTokens;
  }

  callbackToken(): string {
    return this.#callbackToken ?? this.#options.joinToken;
  }

  /** Returns the origins for results. Null until the Bridge is registered; the URLs in dispatches are then used. */
  callbackOrigins(): readonly string[] | null {
    if (!this.isRegistered) return null;
    return [...new Set([this.#serverOrigin, ...this.#callbackOrigins])];
  }

  /** Registers, and repeats that at intervals. Resolves after the first try. */
  async start(): Promise<void> {
    const { server, joinToken, registration, send, clock } = this.#options;
    this.#askedAt = clock.now();
    this.#isAsking = true;
    const reply = await send(urlOf(server, "/register"), {
      method: "POST",
      headers: { authorization: `Bearer ${joinToken}` },
      body: JSON.stringify({ ...registration, ...this.#proof() }),
      timeoutMs: REQUEST_MS,
      bytesMax: REPLY_BYTES_MAX,
    });
    this.#isAsking = false;
    if (this.#isClosed) return;
    if (reply.ok && (reply.status === 401 || reply.status === 403) && !this.isRegistered) {
      this.#isClosed = true;
      return this.#options.onRefused?.(refusalIn(reply, server));
    }
    const problem = reply.ok ? this.#take(reply.status, reply.text) : reply.message;
    if (problem === null) {
      this.#failures = 0;
      this.#lastTrouble = "";
    } else this.#fail(problem);
    this.#stopTimer = clock.after(problem === null ? HEARTBEAT_MS : this.#retryMs(), () => void this.start());
  }

  /** Called when a caller's token was refused: the server may have restarted or have new tokens. Registers again now. */
  registerNow(): void {
    if (this.#isClosed || this.#isAsking || this.#options.clock.now() - this.#askedAt < REGISTER_NOW_INTERVAL_MS)
      return;
    this.#stopTimer?.();
    void this.start();
  }

  /** Deregisters, best effort. A newer instance of the same gateway stays registered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer?.();
    if (!this.isRegistered) return;
    const { server, joinToken, registration, send } = this.#options;
    const { id, instanceId } = registration;
    await send(urlOf(server, `/${encodeURIComponent(id)}?instance=${encodeURIComponent(instanceId)}`), {
      method: "DELETE",
      headers: { authorization: `Bearer ${joinToken}` },
      timeoutMs: GOODBYE_MS,
      bytesMax: REPLY_BYTES_MAX,
    });
  }

  #take(status: number, text: string): string | null {
    const { server, onTokens } = this.#options;
    if (status !== 200 && status !== 201) return `${server} answered ${status}: ${text.slice(0, 300)}`;
    const registered = readRegistered(text);
    const { dispatchToken, callbackToken = this.#callbackToken } = registered?.tokens ?? {};
    const isWhole = dispatchToken !== undefined || this.#dispatchTokens.length > 0;
    if (registered === null || callbackToken === null || !isWhole) {
      return `${server} registered this Bridge without giving it tokens`;
    }
    const { callbackOrigin: origin } = registered;
    if (origin !== undefined && !this.#callbackOrigins.includes(origin)) {
      this.#callbackOrigins = [...this.#callbackOrigins.slice(1 - ORIGINS_MAX), origin];
    }
    const isNew = dispatchToken !== undefined && dispatchToken !== this.#dispatchTokens.at(-1);
    if (isNew) this.#dispatchTokens = [...this.#dispatchTokens.slice(-1), dispatchToken];
    const hasChanged = isNew || callbackToken !== this.#callbackToken;
    this.#callbackToken = callbackToken;
    if (hasChanged) onTokens?.();
    return null;
  }

  /** Proves with a hash that this instance has its tokens, so that the server keeps them unchanged. */
  #proof(): Pick<Registration, "callbackTokenHash"> {
    if (this.#callbackToken === null) return {};
    return { callbackTokenHash: createHash("sha256").update(this.#callbackToken, "utf8").digest("hex") };
  }

  #fail(problem: string): void {
    this.#failures += 1;
    if (problem === this.#lastTrouble) return;
    this.#lastTrouble = problem;
    this.#options.onTrouble?.(`This Bridge is not registered, and tries again: ${problem}`);
  }

  #retryMs(): number {
    const longest = Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** Math.min(this.#failures - 1, 10));
    return longest * (0.5 + this.#options.jitter() / 2);
  }
}

function refusalIn({ status, text }: PeerReply, server: string): string {
  const detail = detailIn(text);
  const need = "it needs a key with the permission registry:write";
  return `This Bridge may not register with ${server} (${status})${detail === "" ? "" : `: ${detail}`} ${need}`.trim();
}

function detailIn(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { readonly detail?: unknown };
    return typeof detail === "string" ? detail.slice(0, 300) : "";
  } catch {
    return "";
  }
}

function urlOf(server: string, path: string): string {
  return `${server.replace(/\/+$/, "")}${PATH}${path}`;
}

function readRegistered(text: string): z.infer<typeof registeredSchema> | null {
  try {
    return registeredSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

import { Agent as HttpAgent, request as requestHttp, type ClientRequest } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { Socket } from "node:net";
import { codeOf, headersOf, readText, textOf, TIMER_MS_MAX } from "./exchange.ts";
import { OUTBOUND_REFUSED, type OutboundGuard, OutboundRefused } from "./outbound-guard.ts";

export interface PeerRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
  /** For the whole exchange; without it a request may take as long as it takes. */
  readonly timeoutMs?: number;
  /** Of the answer's body. */
  readonly bytesMax: number;
  /** Whose connections are used; those of the process otherwise. */
  readonly agent?: PeerAgent;
}

export interface PeerReply {
  readonly ok: true;
  readonly status: number;
  /** Names in lower case; a header sent twice is joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

type PeerFailureReason =
  | "refused"
  | "reset"
  | "timeout"
  | "aborted"
  | "too_large"
  | "unreachable"
  | typeof OUTBOUND_REFUSED;

export interface PeerFailure {
  readonly ok: false;
  readonly reason: PeerFailureReason;
  /** False only when it is certain that no byte of the request reached the other side. */
  readonly wasSent: boolean;
  readonly message: string;
}

/** An idle connection is dropped before the usual server (5 s) does it, so that no request runs into the closing. */
const IDLE_MS = 4_000;

/**
 * Connections to peers, kept for the next request. They do not hold the process open while idle. With a guard, every
 * connection goes to an address the guard has just checked; peers an organisation names must be called with one.
 */
export class PeerAgent {
  readonly guard: OutboundGuard | null;
  readonly #http = new HttpAgent({ keepAlive: true, timeout: IDLE_MS });
  readonly #https = new HttpsAgent({ keepAlive: true, timeout: IDLE_MS });

  constructor(guard: OutboundGuard | null = null) {
    this.guard = guard;
  }

  /** Idle or not: requests under way end as `reset`. */
  close(): void {
    this.#http.destroy();
    this.#https.destroy();
  }

  open(url: URL, { method, headers, body }: Omit<PeerRequest, "bytesMax">): ClientRequest {
    const isSecure = url.protocol === "https:";
    const all = {
      ...(body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }),
      ...Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
    };
    const sent = { method, headers: all, ...(this.guard === null ? {} : { lookup: this.guard.lookup(url) }) };
    return isSecure
      ? requestHttps(url, { ...sent, agent: this.#https })
      : requestHttp(url, { ...sent, agent: this.#http });
  }
}

const sharedAgent = new PeerAgent();

export interface PeerStream {
  readonly ok: true;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** As it arrives; reading it to its end, or leaving it, ends the request. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** The same request, with an answer of any length. `timeoutMs` is for its beginning, and between its pieces. */
export function openPeerStream(url: string, options: Omit<PeerRequest, "bytesMax">): Promise<PeerStream | PeerFailure> {
  return begin(url, options, (request, peer) => stream(request, peer, options));
}

/**
 * One request to a peer: no redirect, no second try, no guard but that of the agent. Nothing is sent
 * again when a kept connection turns out to be dead, because only the caller knows whether that is safe.
 */
export function requestPeer(url: string, options: PeerRequest): Promise<PeerReply | PeerFailure> {
  return begin(url, options, (request, peer) => exchange(request, peer, options));
}

function begin<T>(
  url: string,
  options: Omit<PeerRequest, "bytesMax">,
  exchanged: (request: ClientRequest, peer: string) => Promise<T | PeerFailure>,
): Promise<T | PeerFailure> {
  const target = URL.canParse(url) ? new URL(url) : null;
  if (target === null || (target.protocol !== "http:" && target.protocol !== "https:")) {
    return Promise.resolve(failure("unreachable", false, `"${url}" is no http or https URL.`));
  }
  const peer = target.host;
  if (options.signal?.aborted === true) {
    return Promise.resolve(failure("aborted", false, `The request to ${peer} was aborted before it was sent.`));
  }
  const agent = options.agent ?? sharedAgent;
  const refusal = agent.guard?.before(url) ?? null;
  if (refusal !== null) return Promise.resolve(failure(OUTBOUND_REFUSED, false, refusal.message));
  try {
    return exchanged(agent.open(target, options), peer);
  } catch (thrown) {
    return Promise.resolve(failure("unreachable", false, `No request to ${peer} can be made: ${textOf(thrown)}`));
  }
}

function exchange(request: ClientRequest, peer: string, options: PeerRequest): Promise<PeerReply | PeerFailure> {
  return new Promise((resolve) => {
    let isConnected = false;
    const { signal, timeoutMs, bytesMax, body } = options;
    const end = (outcome: PeerReply | PeerFailure): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      resolve(outcome);
      // An answer may come before the whole body was taken; the rest of it will not be read.
      if (!outcome.ok || !request.writableFinished) request.destroy();
    };
    const onAbort = (): void => end(failure("aborted", isConnected, `The request to ${peer} was aborted.`));
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(
            () => end(failure("timeout", isConnected, `${peer} did not answer within ${timeoutMs} ms.`)),
            Math.min(timeoutMs, TIMER_MS_MAX),
          );
    signal?.addEventListener("abort", onAbort, { once: true });
    request.on("socket", (socket) => {
      whenConnected(socket, () => {
        isConnected = true;
      });
    });
    request.on("error", (error) => end(failureOf(error, isConnected, peer, request.reusedSocket)));
    request.on("response", (response) => {
      readText(response, bytesMax).then(
        (text) =>
          end(
            text === null
              ? failure("too_large", true, `The answer of ${peer} is larger than ${bytesMax} bytes.`)
              : { ok: true, status: response.statusCode ?? 0, headers: headersOf(response), text },
          ),
        (error: unknown) => end(failureOf(error, true, peer, request.reusedSocket)),
      );
    });
    request.end(body);
  });
}

function stream(
  request: ClientRequest,
  peer: string,
  { signal, timeoutMs, body }: Omit<PeerRequest, "bytesMax">,
): Promise<PeerStream | PeerFailure> {
  return new Promise((resolve) => {
    let isConnected = false;
    const onAbort = (): void => void request.destroy(new Error("aborted"));
    signal?.addEventListener("abort", onAbort, { once: true });
    if (timeoutMs !== undefined) {
      request.setTimeout(timeoutMs, () => request.destroy(new Error(`${peer} was silent for ${timeoutMs} ms`)));
    }
    request.on("socket", (socket) => {
      whenConnected(socket, () => {
        isConnected = true;
      });
    });
    request.on("close", () => signal?.removeEventListener("abort", onAbort));
    request.on("error", (error) => resolve(failureOf(error, isConnected, peer, request.reusedSocket)));
    request.on("response", (response) => {
      resolve({ ok: true, status: response.statusCode ?? 0, headers: headersOf(response), body: response });
    });
    request.end(body);
  });
}

/** A handshake of TLS carries nothing of the request yet. */
function whenConnected(socket: Socket, then: () => void): void {
  if (!socket.connecting && !("secureConnecting" in socket && socket.secureConnecting === true)) then();
  else socket.once("encrypted" in socket ? "secureConnect" : "connect", then);
}

/** Before a connection stands nothing can be lost; afterwards it is unknown how far the other side came. */
function failureOf(error: unknown, isConnected: boolean, peer: string, isReused: boolean): PeerFailure {
  const code = codeOf(error);
  if (error instanceof OutboundRefused) return failure(OUTBOUND_REFUSED, false, error.message);
  const detail = code === "" ? textOf(error) : code;
  if (isConnected) {
    const what = isReused ? "A kept connection" : "The connection";
    return failure("reset", true, `${what} to ${peer} ended before the whole answer came (${detail}).`);
  }
  if (code === "ECONNREFUSED") return failure("refused", false, `${peer} refuses connections.`);
  if (code === "ECONNRESET") {
    return failure("reset", false, `${peer} ended the connection before the request was sent.`);
  }
  return failure("unreachable", false, `${peer} cannot be reached: ${textOf(error)}`);
}

function failure(reason: PeerFailureReason, wasSent: boolean, message: string): PeerFailure {
  return { ok: false, reason, wasSent, message };
}

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
  /** Timeout of the whole exchange; unlimited when absent. */
  readonly timeoutMs?: number;
  /** Maximum bytes of the response body. */
  readonly bytesMax: number;
  /** Connection agent; default: the connections of the process. */
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
  /** False only when no byte of the request has certainly reached the other side. */
  readonly wasSent: boolean;
  readonly message: string;
}

/** Idle connections are closed before the usual server timeout (5 s), so that no request meets a closing connection. */
const IDLE_MS = 4_000;

/**
 * Keep-alive connections to peers. Idle connections do not keep the process alive. With a guard, every connection goes
 * to an address that was just checked; peers named by an organisation must be called with a guard.
 */
export class PeerAgent {
  readonly guard: OutboundGuard | null;
  readonly #http = new HttpAgent({ keepAlive: true, timeout: IDLE_MS });
  readonly #https = new HttpsAgent({ keepAlive: true, timeout: IDLE_MS });

  constructor(guard: OutboundGuard | null = null) {
    this.guard = guard;
  }

  /** Closes all connections. Requests under way end as `reset`. */
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
  /** The body as it arrives. Reading it to the end, or stopping early, ends the request. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Makes a request whose response is streamed. `timeoutMs` limits the wait for its start and between its pieces. */
export function openPeerStream(url: string, options: Omit<PeerRequest, "bytesMax">): Promise<PeerStream | PeerFailure> {
  return begin(url, options, (request, peer) => stream(request, peer, options));
}

/**
 * Makes one request to a peer: no redirects, no retries, and no guard except the agent's. A request on a dead kept
 * connection is not sent again, because only the caller knows whether that is safe.
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
      // A response may arrive before the whole body was sent. The rest will not be read, so the request is closed.
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

/** Calls back when the connection is ready. The TLS handshake does not contain any of the request. */
function whenConnected(socket: Socket, then: () => void): void {
  if (!socket.connecting && !("secureConnecting" in socket && socket.secureConnecting === true)) then();
  else socket.once("encrypted" in socket ? "secureConnect" : "connect", then);
}

/** Before the connection is established, nothing was sent. Afterwards it is unknown how much the other side received. */
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

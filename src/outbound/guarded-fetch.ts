import { once } from "node:events";
import { type ClientRequest, request as requestHttp, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Outcome } from "../core/base/index.ts";
import { EMPTY_ALLOW_LIST, plainHost, type AllowList } from "./allow-list.ts";
import { codeOf, headersOf, readBytes, textOf, TIMER_MS_MAX } from "./exchange.ts";
import { connectPinned } from "./pinned-connection.ts";
import { resolveName } from "./resolve-name.ts";
import {
  checkUrl,
  checkUrlText,
  refuse,
  type CheckedUrl,
  type Resolve,
  type UrlRefusal,
  type UrlRefusalCode,
  type UrlRules,
} from "./url-check.ts";

/** A body too large for memory. `open` can be called again when a redirect needs the body again. */
export interface StreamedBody {
  readonly bytes: number;
  readonly open: () => AsyncIterable<Uint8Array>;
}

type Body = string | Uint8Array | StreamedBody;

export interface GuardedRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
  readonly signal?: AbortSignal;
  /** Limit for the whole request, including name resolution and redirects. */
  readonly timeoutMs?: number;
  readonly bytesMax?: number;
  readonly redirectsMax?: number;
  readonly allow?: AllowList;
  /** When set, public hosts must be on the allow list too. */
  readonly isListOnly?: boolean;
  readonly resolve?: Resolve;
}

export interface GuardedReply {
  readonly ok: true;
  readonly status: number;
  /** Names in lower case; a header sent twice is joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as bytes. */
  readonly bytes: Uint8Array;
  /** URL of the last request, after redirects. */
  readonly url: string;
}

export interface GuardedFailure {
  readonly ok: false;
  readonly code: UrlRefusalCode | "aborted";
  readonly message: string;
}

const TIMEOUT_MS = 30_000;
const BYTES_MAX = 5 * 1_048_576;
const REDIRECTS_MAX = 3;

/** Headers sent to another origin after a redirect. Any other header could contain a credential. */
const CROSS_ORIGIN_HEADERS: readonly string[] = [
  "accept",
  "accept-language",
  "content-type",
  "idempotency-key",
  "traceparent",
  "tracestate",
  "user-agent",
];

/** Headers of the connection itself. A caller that could set them could smuggle a second request. */
const CONNECTION_HEADERS =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|keep-alive|accept-encoding|proxy-.*)$/;

/** One request in a chain of redirects. */
interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body | undefined;
}

/**
 * Requests a URL from an untrusted source. The name is resolved once, every address is checked, and the connection goes
 * to a checked address. Redirects are treated the same way. Refusals are returned as data.
 */
export async function fetchGuarded(text: string, options: GuardedRequest): Promise<GuardedReply | GuardedFailure> {
  const first = checkUrlText(text);
  if (!first.ok) return { ok: false, ...first.failure };
  const host = plainHost(first.value);
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const stop = new AbortController();
  const onAbort = (): void => stop.abort("aborted");
  const timer = setTimeout(() => stop.abort("timeout"), Math.min(timeoutMs, TIMER_MS_MAX));
  options.signal?.addEventListener("abort", onAbort, { once: true });
  if (options.signal?.aborted === true) onAbort();
  try {
    const stopped = untilAborted(stop.signal).then((): GuardedFailure =>
      stop.signal.reason === "timeout"
        ? { ok: false, code: "url_timeout", message: `${host} did not answer in full within ${timeoutMs} ms.` }
        : { ok: false, code: "aborted", message: `The request to ${host} was aborted.` },
    );
    return await Promise.race([stopped, followHops(first.value, options, stop.signal)]);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", onAbort);
    // Ends connections that are still open or about to be opened.
    stop.abort();
  }
}

async function followHops(
  url: URL,
  options: GuardedRequest,
  signal: AbortSignal,
): Promise<GuardedReply | GuardedFailure> {
  const rules: UrlRules = {
    allow: options.allow ?? EMPTY_ALLOW_LIST,
    isListOnly: options.isListOnly ?? false,
    resolve: options.resolve ?? resolveName,
  };
  const redirectsMax = options.redirectsMax ?? REDIRECTS_MAX;
  const headers = ownHeaders(options.headers ?? {});
  let hop: Hop = { url, method: options.method, headers, body: options.body };
  for (let redirects = 0; ; redirects += 1) {
    const from = redirects === 0 ? "" : "A redirect leads to a URL that is refused. ";
    const checked = await checkUrl(hop.url, rules);
    if (!checked.ok) return { ok: false, code: checked.failure.code, message: from + checked.failure.message };
    const answered = await request(checked.value, hop, options.bytesMax ?? BYTES_MAX, signal);
    if (!answered.ok) return { ok: false, ...answered.failure };
    const { response, bytes } = answered.value;
    const location = redirectOf(response);
    if (location === null) {
      const answer = { status: response.statusCode ?? 0, headers: headersOf(response), url: hop.url.href };
      return { ok: true, ...answer, text: bytes.toString("utf8"), bytes };
    }
    const next = nextHop(hop, location, response.statusCode ?? 0);
    if (!next.ok) return { ok: false, ...next.failure };
    if (redirects >= redirectsMax) {
      const message = `${plainHost(hop.url)} redirects once more after ${redirectsMax} redirects.`;
      return { ok: false, code: "url_redirect", message };
    }
    hop = next.value;
  }
}

interface Answer {
  readonly response: IncomingMessage;
  readonly bytes: Buffer;
}

async function request(
  checked: CheckedUrl,
  hop: Hop,
  bytesMax: number,
  signal: AbortSignal,
): Promise<Outcome<Answer, UrlRefusal>> {
  const connected = await connectPinned(checked, signal);
  if (!connected.ok) return connected;
  const socket = connected.value;
  try {
    const response = await send(checked, hop, socket);
    const isRedirect = redirectOf(response) !== null;
    const bytes = isRedirect ? Buffer.alloc(0) : await readBytes(response, bytesMax);
    if (bytes !== null) return { ok: true, value: { response, bytes } };
    return refuse("url_too_large", `The answer of ${checked.host} is larger than ${bytesMax} bytes.`);
  } catch (thrown) {
    if (thrown instanceof SourceFailed) throw thrown.cause;
    const reason = codeOf(thrown) === "" ? textOf(thrown) : `${textOf(thrown)} (${codeOf(thrown)})`;
    return refuse("url_unreachable", `The request to ${checked.host} broke off: ${reason}`);
  } finally {
    socket.destroy();
  }
}

function send(checked: CheckedUrl, { url, method, headers, body }: Hop, socket: Socket): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const isUsualPort = url.port === "";
    const name = checked.host.includes(":") ? `[${checked.host}]` : checked.host;
    const sent = requestHttp({
      createConnection: () => socket,
      method,
      path: `${url.pathname}${url.search}`,
      headers: {
        ...headers,
        host: isUsualPort ? name : `${name}:${checked.port}`,
        connection: "close",
        // A small compressed answer could unpack to a huge one.
        "accept-encoding": "identity",
        ...(body === undefined ? {} : { "content-length": String(lengthOf(body)) }),
      },
    });
    sent.on("response", resolve);
    sent.on("error", reject);
    if (isStreamed(body)) void pour(body, sent, reject);
    else sent.end(body);
  });
}

function isStreamed(body: Body | undefined): body is StreamedBody {
  return typeof body === "object" && "open" in body;
}

function lengthOf(body: Body): number {
  return isStreamed(body) ? body.bytes : Buffer.byteLength(body);
}

/** Writes the body. Errors of the source go to `fail`; errors of the connection are reported by the request itself. */
async function pour({ open }: StreamedBody, sent: ClientRequest, fail: (error: SourceFailed) => void): Promise<void> {
  const pieces = open()[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await pieces.next();
      if (done === true || sent.destroyed) break;
      if (!sent.write(value)) await Promise.race([once(sent, "drain"), once(sent, "close")]);
    }
    sent.end();
  } catch (thrown) {
    // Before `destroy`, because destroying the request reports an error too.
    fail(new SourceFailed(thrown));
    sent.destroy();
  } finally {
    await pieces.return?.();
  }
}

/** The source of the body failed, not the other side. */
class SourceFailed extends Error {
  override readonly name = "SourceFailed";
  constructor(cause: unknown) {
    super("the body could not be read", { cause });
  }
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

function redirectOf(response: IncomingMessage): string | null {
  return REDIRECTS.includes(response.statusCode ?? 0) ? (response.headers.location ?? null) : null;
}

function nextHop(hop: Hop, location: string, status: number): Outcome<Hop, UrlRefusal> {
  const here = plainHost(hop.url);
  const read = checkUrlText(location, hop.url.href);
  if (!read.ok) return refuse(read.failure.code, `${here} redirects to a URL that is refused. ${read.failure.message}`);
  const url = read.value;
  if (hop.url.protocol === "https:" && url.protocol === "http:") {
    return refuse("url_redirect", `${here} redirects from https to http at ${plainHost(url)}.`);
  }
  const headers = Object.entries(hop.headers).filter(
    ([name]) => url.origin === hop.url.origin || CROSS_ORIGIN_HEADERS.includes(name),
  );
  const becomesGet = status === 303 ? hop.method !== "HEAD" : status < 303 && hop.method === "POST";
  if (!becomesGet) return { ok: true, value: { ...hop, url, headers: Object.fromEntries(headers) } };
  const bare = headers.filter(([name]) => name !== "content-type");
  return { ok: true, value: { url, method: "GET", headers: Object.fromEntries(bare), body: undefined } };
}

function ownHeaders(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]): [string, string] => [name.toLowerCase(), value])
      .filter(([name]) => !CONNECTION_HEADERS.test(name)),
  );
}

function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

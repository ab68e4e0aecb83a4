import { ApiError, brokenAnswer, errorOf, foreignAnswer, isOurs, unreachable } from "./api-error.ts";
import type { Extent } from "./extent.ts";
import { type Query, queryText } from "./query.ts";
import { isRepeatable, withRetries } from "./retry.ts";
import { Silence } from "./silence.ts";

export interface ClientOptions {
  /** Address of the server, such as http://127.0.0.1:7717. */
  readonly url: string;
  /** Key such as `slk_…`. A page of the server itself may omit it and use its session. */
  readonly key?: string;
  readonly fetch?: typeof fetch;
  /** How often a repeatable call is tried again when the server is away or busy. Default: 2. */
  readonly retries?: number;
  /** Longest wait for an answer, and between the parts of a long answer. Default: five minutes. */
  readonly timeoutMs?: number;
}

export interface RequestParts {
  readonly query?: Query;
  readonly body?: object;
  /** Raw bytes sent in place of a JSON body. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Names of the fields that an answer must have. */
export type Needs = readonly string[];

/** The members of `Caller` with which a part of the client sends its requests. */
export interface Requests {
  ask<T>(method: string, path: string, parts: RequestParts, needs: Needs): Promise<T>;
  list<T>(path: string, parts: RequestParts): Promise<T>;
  command(method: string, path: string): Promise<void>;
  read(path: string, extent: Extent): Promise<ReadableStream<Uint8Array>>;
}

const TIMEOUT_MS = 300_000;
const RETRIES = 2;

/**
 * Sends requests to the API and returns complete answers. Everything else is thrown as `ApiError`: a refusal by the
 * server, a broken connection, an answer that ends too early or has an unexpected shape.
 */
export class Caller {
  /** The given address, without a trailing slash. */
  readonly url: string;
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof fetch;
  readonly #timeoutMs: number;
  readonly #retries: number;
  /** Access to the requests for the parts of the client. */
  protected readonly requests: Requests = {
    ask: (method, path, parts, needs) => this.ask(method, path, parts, needs),
    list: (path, parts) => this.list(path, parts),
    command: (method, path) => this.command(method, path),
    read: (path, extent) => this.read(path, extent),
  };

  constructor({ url, key, fetch: given, timeoutMs = TIMEOUT_MS, retries = RETRIES }: ClientOptions) {
    this.url = url.replace(/\/+$/, "");
    this.#base = `${this.url}/api/v1`;
    this.#headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    this.#fetch = given ?? ((input, init) => fetch(input, init));
    this.#timeoutMs = timeoutMs;
    this.#retries = retries;
  }

  /** Returns a JSON object that has at least the needed fields. */
  protected ask<T>(method: string, path: string, parts: RequestParts = {}, needs: Needs = []): Promise<T> {
    return this.value(method, path, parts, (value) => hasFields(value, needs));
  }

  /** Returns a page of a list. */
  protected list<T>(path: string, parts: RequestParts = {}): Promise<T> {
    return this.value("GET", path, parts, isPage);
  }

  /** Returns a JSON value that passes the given check. */
  protected value<T>(
    method: string,
    path: string,
    parts: RequestParts,
    isWanted: (value: unknown) => boolean,
  ): Promise<T> {
    return this.#exchange(method, path, parts, async (response) => {
      const value = this.#parse(await response.text(), response);
      if (isWanted(value)) return value as T;
      throw brokenAnswer(this.url, "answered with something other than what was asked for", response);
    });
  }

  /** Sends a request whose answer has no content. */
  protected command(method: string, path: string): Promise<void> {
    return this.#exchange(method, path, {}, async (response) => {
      if (response.status === 204) return;
      await response.body?.cancel();
      throw brokenAnswer(this.url, `answered ${response.status} where 204 was expected`, response);
    });
  }

  /** Streams a long answer as it arrives. The stream fails when it ends before the answer is complete. */
  protected read(path: string, extent: Extent): Promise<ReadableStream<Uint8Array>> {
    return this.#exchange("GET", path, {}, (response) => Promise.resolve(this.#checked(response, extent)));
  }

  /** Opens a stream of events. Throws `ApiError` when the answer is an error or not from a Sluice server. */
  protected async follow(path: string, signal: AbortSignal): Promise<Response> {
    const headers = { ...this.#headers, accept: "text/event-stream" };
    const response = await this.#fetch(`${this.#base}${path}`, { headers, signal }).catch((thrown: unknown) => {
      throw unreachable(this.url, thrown);
    });
    if (!response.ok) throw await errorOf(response, this.url);
    if (!isOurs(response)) throw foreignAnswer(response, this.url);
    return response;
  }

  #exchange<T>(
    method: string,
    path: string,
    parts: RequestParts,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const retries = isRepeatable(method, parts.headers ?? {}) ? this.#retries : 0;
    return withRetries(retries, () => this.#exchangeOnce(method, path, parts, read));
  }

  async #exchangeOnce<T>(
    method: string,
    path: string,
    { query = {}, body, bytes, headers = {} }: RequestParts,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const silence = new Silence(this.#timeoutMs);
    const sent = body === undefined ? bytes : JSON.stringify(body);
    const type = body === undefined ? "application/octet-stream" : "application/json";
    const typed = sent === undefined ? {} : { "content-type": type };
    try {
      const response = await this.#fetch(`${this.#base}${path}${queryText(query)}`, {
        method,
        headers: { ...this.#headers, ...headers, ...typed },
        ...(sent === undefined ? {} : { body: sent }),
        signal: silence.signal,
      });
      if (!response.ok) throw await errorOf(response, this.url);
      if (!isOurs(response)) throw foreignAnswer(response, this.url);
      return await read(response);
    } catch (thrown) {
      throw thrown instanceof ApiError ? thrown : unreachable(this.url, thrown);
    } finally {
      silence.end();
    }
  }

  #parse(text: string, response: Response): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw brokenAnswer(this.url, "sent half an answer, or something that is not JSON", response);
    }
  }

  #checked(response: Response, extent: Extent): ReadableStream<Uint8Array> {
    const reader = response.body?.getReader();
    const url = this.url;
    const timeoutMs = this.#timeoutMs;
    return new ReadableStream({
      async pull(controller) {
        const silence = new Silence(timeoutMs);
        try {
          const piece = await Promise.race([reader?.read(), failing(silence.signal)]);
          if (piece?.done === false) {
            extent.take(piece.value);
            controller.enqueue(piece.value);
          } else if (extent.isWhole()) controller.close();
          else controller.error(brokenAnswer(url, "sent only a part of the answer", response));
        } catch (thrown) {
          controller.error(unreachable(url, thrown));
        } finally {
          silence.end();
        }
      },
      cancel: (reason) => reader?.cancel(reason),
    });
  }
}

/** Checks whether a value is an object with all of these fields. */
export function hasFields(value: unknown, needs: Needs): boolean {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && needs.every((name) => Object.hasOwn(value, name));
}

function isPage(value: unknown): boolean {
  return hasFields(value, ["data"]) && Array.isArray((value as { readonly data: unknown }).data);
}

function failing(signal: AbortSignal): Promise<never> {
  return new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason as Error), { once: true }));
}

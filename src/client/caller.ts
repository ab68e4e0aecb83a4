import { problemOf } from "./api-problem.ts";
import { type Query, queryText } from "./query.ts";

export interface ClientOptions {
  /** Where the server is, such as http://127.0.0.1:7717. */
  readonly url: string;
  /** `slk_…`; a page of the server itself may leave it out and use its session. */
  readonly key?: string;
  readonly fetch?: typeof fetch;
}

export interface Asked {
  readonly query?: Query;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends requests to the API. Whatever it refuses is thrown as `ApiProblem`. */
export class Caller {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof fetch;

  constructor({ url, key, fetch: given }: ClientOptions) {
    this.#base = `${url.replace(/\/+$/, "")}/api/v1`;
    this.#headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    this.#fetch = given ?? ((input, init) => fetch(input, init));
  }

  protected async ask<T>(method: string, path: string, asked: Asked = {}): Promise<T> {
    const response = await this.send(method, path, asked);
    return (await response.json()) as T;
  }

  protected async read(path: string): Promise<ReadableStream<Uint8Array>> {
    const { body } = await this.send("GET", path, {});
    return body ?? new ReadableStream({ start: (controller) => controller.close() });
  }

  /** A stream of events, whatever its status is. */
  protected follow(path: string, signal: AbortSignal): Promise<Response> {
    return this.#fetch(`${this.#base}${path}`, { headers: { ...this.#headers, accept: "text/event-stream" }, signal });
  }

  protected async send(method: string, path: string, { query = {}, body, headers = {} }: Asked): Promise<Response> {
    const response = await this.#fetch(`${this.#base}${path}${queryText(query)}`, {
      method,
      headers: {
        ...this.#headers,
        ...headers,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw await problemOf(response);
    return response;
  }
}

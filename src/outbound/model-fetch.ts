import type { Agent } from "undici";

const MODEL_RESPONSE_BYTES_MAX = 16 * 1_048_576;
const MODEL_ERROR_BYTES_MAX = 65_536;
/** Timeout for connecting to a provider. The time for the answer is limited only by the attempt. */
const CONNECT_TIMEOUT_MS = 30_000;

export interface ModelFetch {
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}

export interface ModelFetchLimits {
  readonly responseBytesMax?: number;
  readonly errorBytesMax?: number;
}

/** Thrown when a response is too long. `code` identifies the error after libraries have wrapped it. */
export class ResponseTooLarge extends Error {
  readonly code = "RESPONSE_TOO_LARGE";
  constructor(bytesMax: number) {
    super(`the response is larger than ${bytesMax} bytes`);
    this.name = "ResponseTooLarge";
  }
}

/**
 * Creates a `fetch` for model providers. The time for an answer is not limited, its size is. Redirects are refused,
 * because fetch would drop only some of the headers with keys when redirected to another host.
 */
export function createModelFetch(limits: ModelFetchLimits = {}): ModelFetch {
  const responseBytesMax = limits.responseBytesMax ?? MODEL_RESPONSE_BYTES_MAX;
  const errorBytesMax = limits.errorBytesMax ?? MODEL_ERROR_BYTES_MAX;
  let agent: Agent | undefined;

  const fetch: typeof globalThis.fetch = async (input, init) => {
    const undici = await import("undici");
    agent ??= new undici.Agent({ headersTimeout: 0, bodyTimeout: 0, connect: { timeout: CONNECT_TIMEOUT_MS } });
    const response = await undici.fetch(input instanceof Request ? input.url : input, {
      method: init?.method ?? "GET",
      headers: [...new Headers(init?.headers)],
      ...(typeof init?.body === "string" ? { body: init.body } : {}),
      ...(init?.signal === undefined ? {} : { signal: init.signal }),
      redirect: "error",
      dispatcher: agent,
    });
    const body = response.body as ReadableStream<Uint8Array> | null;
    const isFailure = response.status >= 400;
    const capped = isFailure ? cutAfter(body, errorBytesMax) : failAfter(body, responseBytesMax);
    const { status, statusText } = response;
    return new Response(capped, { status, statusText, headers: [...response.headers] });
  };

  return {
    fetch,
    async close() {
      const closing = agent;
      agent = undefined;
      await closing?.destroy();
    },
  };
}

/** A response that is too long is an error. */
function failAfter(body: ReadableStream<Uint8Array> | null, bytesMax: number): ReadableStream<Uint8Array> | null {
  return readBounded(body, bytesMax, (_, controller) => controller.error(new ResponseTooLarge(bytesMax)));
}

/** Error responses are cut, because their beginning is enough. */
function cutAfter(body: ReadableStream<Uint8Array> | null, bytesMax: number): ReadableStream<Uint8Array> | null {
  return readBounded(body, bytesMax, (rest, controller) => {
    if (rest.length > 0) controller.enqueue(rest);
    controller.close();
  });
}

function readBounded(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
  onEnd: (rest: Uint8Array, controller: ReadableStreamDefaultController<Uint8Array>) => void,
): ReadableStream<Uint8Array> | null {
  if (body === null) return null;
  const reader = body.getReader();
  let left = bytesMax;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (done) return controller.close();
      if (value.length > left) {
        onEnd(value.subarray(0, left), controller);
        return reader.cancel();
      }
      left -= value.length;
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

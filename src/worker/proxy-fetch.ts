import type { EnvHttpProxyAgent } from "undici";

/**
 * Sends the requests of a worker through the proxy of the environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY). Some
 * networks allow no other way out, and `fetch` of Node 20 ignores these variables.
 */
export function createProxyFetch(): typeof fetch {
  let agent: EnvHttpProxyAgent | null = null;
  return async (input, init) => {
    const undici = await import("undici");
    agent ??= new undici.EnvHttpProxyAgent();
    const response = await undici.fetch(input instanceof Request ? input.url : input, {
      method: init?.method ?? "GET",
      headers: [...new Headers(init?.headers)],
      ...(typeof init?.body === "string" ? { body: init.body } : {}),
      ...(init?.signal === undefined ? {} : { signal: init.signal }),
      dispatcher: agent,
    });
    const { status, statusText } = response;
    const body = response.body as ReadableStream<Uint8Array> | null;
    return new Response(body, { status, statusText, headers: [...response.headers] });
  };
}

/**
 * A `fetch` for calls to a Sluice server. The built-in fetch of Node 20 never settles when a connection is accepted and
 * closed before the request was sent. This one fails in that case.
 */
export const fetchFromServer: typeof globalThis.fetch = async (input, init) => {
  const undici = await import("undici");
  const response = await undici.fetch(input instanceof Request ? input.url : input, {
    method: init?.method ?? "GET",
    headers: [...new Headers(init?.headers)],
    ...(typeof init?.body === "string" || init?.body instanceof Uint8Array ? { body: init.body } : {}),
    ...(init?.signal === undefined ? {} : { signal: init.signal }),
  });
  const { status, statusText } = response;
  const body = response.body as ReadableStream<Uint8Array> | null;
  return new Response(body, { status, statusText, headers: [...response.headers] });
};

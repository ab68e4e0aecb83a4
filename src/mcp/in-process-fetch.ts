/**
 * `fetch` without a network: a request goes to the handler, and an aborted signal ends the answer as a socket would. It
 * is the caller's own signal that is listened to: that of a request may be forgotten together with the request.
 */
export function createInProcessFetch(handle: (request: Request) => Response | Promise<Response>): typeof fetch {
  return async (input, init) => {
    const signal = init?.signal ?? null;
    signal?.throwIfAborted();
    const response = await handle(new Request(input, init));
    if (signal?.aborted === true) await response.body?.cancel();
    signal?.throwIfAborted();
    if (response.body === null || signal === null) return response;
    const { status, statusText, headers } = response;
    const body = response.body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal });
    return new Response(body, { status, statusText, headers });
  };
}

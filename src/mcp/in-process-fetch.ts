/**
 * Returns a `fetch` that calls the handler without a network. An aborted signal ends the answer, as a socket would. It
 * listens to the caller's own signal, because the signal of a Request may be garbage-collected with the Request.
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

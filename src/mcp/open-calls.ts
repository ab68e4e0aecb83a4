export interface OpenCall {
  readonly signal: AbortSignal;
  readonly end: () => void;
}

/**
 * Calls under way, by caller, session and request id. In the older protocol revision a caller cancels a call by a
 * separate request, which must find the call.
 */
export class OpenCalls {
  readonly #open = new Map<string, AbortController>();

  /** Returns a signal that follows `outer` and also aborts when the call is cancelled. Call `end` after the answer. */
  begin(session: string, requestId: string | number, outer: AbortSignal): OpenCall {
    const key = keyOf(session, requestId);
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    if (outer.aborted) abort();
    outer.addEventListener("abort", abort, { once: true });
    this.#open.set(key, controller);
    const end = (): void => {
      outer.removeEventListener("abort", abort);
      if (this.#open.get(key) === controller) this.#open.delete(key);
    };
    return { signal: controller.signal, end };
  }

  takeBack(session: string, requestId: string | number): void {
    this.#open.get(keyOf(session, requestId))?.abort();
  }
}

function keyOf(session: string, requestId: string | number): string {
  return JSON.stringify([session, requestId]);
}

export interface OpenCall {
  readonly signal: AbortSignal;
  readonly end: () => void;
}

/**
 * Calls under way, by caller, session and request. In the older revision of the protocol a caller takes a call back by a
 * request of its own, which has to find the one it means.
 */
export class OpenCalls {
  readonly #open = new Map<string, AbortController>();

  /** A signal that follows the one given, and aborts when the call is taken back; `end` once it is answered. */
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

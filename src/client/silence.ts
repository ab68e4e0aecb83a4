/**
 * Aborts a request on which nothing arrives for too long. Its timer keeps a Node process alive while it waits, so that a
 * lost connection becomes an error and does not silently end the process.
 */
export class Silence {
  readonly #longestMs: number;
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(longestMs: number) {
    this.#longestMs = longestMs;
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Restarts the timer. Called when data has arrived. */
  restart(): void {
    clearTimeout(this.#timer);
    const seconds = Math.ceil(this.#longestMs / 1_000);
    const reason = `nothing was received for ${seconds} s`;
    this.#timer = setTimeout(() => this.#controller.abort(new Error(reason)), this.#longestMs);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}

/**
 * Ends a request on which nothing arrives for too long. As long as it waits, its timer keeps a Node process alive, so
 * that a connection which was lost without notice becomes an error and not a silent end of the process.
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

  /** Something arrived. */
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

import type { CompleteReply, CompleteRequest, SentResult } from "../contract/index.ts";
import type { Backoff } from "./backoff.ts";

const BATCH_MAX = 200;
const BATCH_BYTES_MAX = 8_000_000;
const UNDER_WAY_MAX = 2;

interface Waiting {
  readonly result: SentResult;
  readonly bytes: number;
  readonly delivered: () => void;
}

export interface DeliveriesOptions {
  readonly send: (results: CompleteRequest["results"]) => Promise<CompleteReply>;
  readonly backoff: () => Backoff;
  /** The server refuses a batch for good. */
  readonly onRefused: (error: unknown) => void;
}

/** Results on their way to the server: many in one request, each tried until it is taken. */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #waiting: Waiting[] = [];
  #underWay = 0;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Resolves once the server has it. */
  deliver(result: SentResult): Promise<void> {
    const bytes = Buffer.byteLength(JSON.stringify(result));
    return new Promise((delivered) => {
      this.#waiting.push({ result, bytes, delivered });
      // What ends in the same moment goes together.
      setImmediate(() => void this.#flush());
    });
  }

  async #flush(): Promise<void> {
    if (this.#underWay >= UNDER_WAY_MAX || this.#waiting.length === 0) return;
    const batch = this.#takeBatch();
    this.#underWay += 1;
    try {
      await this.#options.backoff().until(() => this.#options.send(batch.map(({ result }) => result)));
    } catch (error) {
      this.#options.onRefused(error);
    } finally {
      this.#underWay -= 1;
      for (const { delivered } of batch) delivered();
      void this.#flush();
    }
  }

  #takeBatch(): readonly Waiting[] {
    let [count, bytes] = [0, 0];
    for (const waiting of this.#waiting) {
      if (count > 0 && (count >= BATCH_MAX || bytes + waiting.bytes > BATCH_BYTES_MAX)) break;
      count += 1;
      bytes += waiting.bytes;
    }
    return this.#waiting.splice(0, count);
  }
}

import type { CompleteReply, CompleteRequest, SentResult } from "../contract/index.ts";
import type { Backoff } from "./backoff.ts";
import { ServerAway } from "./work-client.ts";

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
  /** Called when the server rejects a result permanently, or is unavailable while the worker stops. */
  readonly onRefused: (error: unknown) => void;
}

/**
 * Results on their way to the server: many in one request, each repeated until it is accepted. A rejected result (too large or
 * not storable) does not delay the others. Its step then fails, because otherwise its function would be called again.
 */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #waiting: Waiting[] = [];
  #underWay = 0;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Resolves once the server has accepted the result. */
  deliver(result: SentResult): Promise<void> {
    const bytes = Buffer.byteLength(JSON.stringify(result));
    return new Promise((delivered) => {
      this.#waiting.push({ result, bytes, delivered });
      // Results that end at the same moment are sent together.
      setImmediate(() => void this.#flush());
    });
  }

  async #flush(): Promise<void> {
    if (this.#underWay >= UNDER_WAY_MAX || this.#waiting.length === 0) return;
    const batch = this.#takeBatch();
    this.#underWay += 1;
    try {
      await this.#send(batch.map(({ result }) => result));
    } finally {
      this.#underWay -= 1;
      for (const { delivered } of batch) delivered();
      void this.#flush();
    }
  }

  async #send(results: readonly SentResult[]): Promise<void> {
    const { send, backoff, onRefused } = this.#options;
    try {
      await backoff().until(() => send([...results]));
    } catch (error) {
      const [result, ...more] = results;
      if (error instanceof ServerAway || result === undefined) return onRefused(error);
      if (more.length > 0) {
        for (const one of results) await this.#send([one]);
        return;
      }
      onRefused(error);
      await backoff()
        .until(() => send([refusedResult(result, error)]))
        .catch(onRefused);
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

/** Returns a failed result that contains nothing of the rejected one. */
function refusedResult({ dispatchId, startedAt, completedAt }: SentResult, reason: unknown): SentResult {
  const why = reason instanceof Error ? reason.message : String(reason);
  const error = { message: `the server did not take the result: ${why}`, retryable: false };
  return { dispatchId, status: "failed", error, startedAt, completedAt };
}

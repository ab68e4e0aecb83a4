import type { SentResult, GivenWork } from "../contract/index.ts";
import { isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import { validate } from "./schema.ts";
import type { StepContext, StepFunction } from "./step.ts";
import { NonRetryable } from "./worker-error.ts";

type Line = NonNullable<SentResult["logs"]>[number];

const LINES_MAX = 1_000;
const TEXT_MAX = 60_000;

/** One piece of work while its function runs. */
export class Execution {
  readonly work: GivenWork;
  readonly #function: StepFunction;
  readonly #abort = new AbortController();
  readonly #lines: Line[] = [];
  readonly #startedAt = new Date().toISOString();
  /** False when its result is not wanted, or another worker must report it. */
  isWanted = true;
  #timer: NodeJS.Timeout | undefined;

  constructor(work: GivenWork, fn: StepFunction) {
    this.work = work;
    this.#function = fn;
  }

  get isOnce(): boolean {
    return this.work.effects === "at_most_once";
  }

  /** Never throws: every outcome becomes a result. */
  async run(heartbeat: () => Promise<void>): Promise<SentResult> {
    try {
      return await Promise.race([this.#attempt(heartbeat), this.#timeOut()]);
    } catch (error) {
      return this.#failed(error);
    } finally {
      clearTimeout(this.#timer);
    }
  }

  /** Asks the function to end; its result will not be sent. */
  abandon(reason: string): void {
    this.isWanted = false;
    this.#abort.abort(new Error(reason));
  }

  async #attempt(heartbeat: () => Promise<void>): Promise<SentResult> {
    const { input, output, run } = this.#function;
    const given = await validate(input, this.work.inputs);
    if (!given.ok) throw new NonRetryable(`the inputs do not fit: ${given.message}`);
    const returned = await run(given.value, this.#context(heartbeat));
    const taken = await validate(output, returned);
    if (!taken.ok) throw new NonRetryable(`what it returned does not fit its output schema: ${taken.message}`);
    return { ...this.#frame(), status: "completed", outputs: outputsOf(taken.value) };
  }

  #context(heartbeat: () => Promise<void>): StepContext {
    const { idempotencyKey, runId, stepId: nodeId, attempt } = this.work;
    return {
      idempotencyKey,
      runId,
      nodeId,
      attempt,
      signal: this.#abort.signal,
      log: (message, level = "info") => this.#log(message, level),
      heartbeat: async () => {
        await heartbeat();
        this.#abort.signal.throwIfAborted();
      },
    };
  }

  #log(message: string, level: Line["level"]): void {
    if (this.#lines.length >= LINES_MAX) return;
    this.#lines.push({ level, message: message.slice(0, TEXT_MAX), at: new Date().toISOString() });
  }

  /** The server also measures the time, from when it sent the work. This timer ends a function that does not end by itself. */
  #timeOut(): Promise<SentResult> {
    const { timeoutMs } = this.work;
    return new Promise((resolve) => {
      if (timeoutMs === null || timeoutMs > TIMER_MS_MAX) return;
      this.#timer = setTimeout(() => {
        const message = `the function did not end within ${timeoutMs} ms`;
        this.#abort.abort(new Error(message));
        resolve({ ...this.#frame(), status: "timed_out", error: { message } });
      }, timeoutMs);
    });
  }

  #failed(thrown: unknown): SentResult {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return {
      ...this.#frame(),
      status: "failed",
      error: {
        message: error.message.slice(0, TEXT_MAX),
        class: classOf(error).slice(0, 200),
        ...(error.stack === undefined ? {} : { stack: error.stack.slice(0, TEXT_MAX) }),
        retryable: !(error instanceof NonRetryable),
      },
    };
  }

  #frame(): Pick<SentResult, "dispatchId" | "startedAt" | "completedAt" | "logs"> {
    return {
      dispatchId: this.work.dispatchId,
      startedAt: this.#startedAt,
      completedAt: new Date().toISOString(),
      ...(this.#lines.length === 0 ? {} : { logs: this.#lines }),
    };
  }
}

/** `setTimeout` overflows beyond 24 days. */
const TIMER_MS_MAX = 2_000_000_000;

/** Returns the name of an error, or the name of its class if it has no name of its own. */
function classOf({ name, constructor }: Error): string {
  return name === "Error" ? constructor.name : name;
}

/** Converts through JSON, which leaves out values that it cannot represent. */
function outputsOf(returned: unknown): JsonObject {
  const plain = JSON.parse(JSON.stringify(returned ?? {})) as Json;
  if (isJsonObject(plain)) return plain;
  throw new NonRetryable("a function returns an object with its outputs");
}

import type { StreamInput } from "../core/engine/index.ts";
import type { Redactor } from "../core/redaction/index.ts";
import type {
  AbortReason,
  Adapter,
  AdapterHooks,
  AdapterRequest,
  AdapterResult,
  FinalResult,
  StreamPart,
  TurnHooks,
} from "../adapter/index.ts";
import type { Clock, Stop } from "../clock/index.ts";
import { LogBook } from "./log-book.ts";
import type { ExecutionOutcome } from "./execution-outcome.ts";
import { createPartialBatcher, type PartialBatcher } from "./partials.ts";
import { redactedTurn, redactResult } from "./redacted.ts";
import type { CallbackBody } from "./wire.ts";

/** The receiver of a dispatch's pieces, turn and result. */
export interface ExecutionReport {
  stream(deltas: StreamInput["deltas"]): void;
  /** Called exactly once, unless the Bridge stops first. `body` is the same outcome as a callback, if it was already built. */
  ended(outcome: ExecutionOutcome, body?: CallbackBody): void;
  /** Creates the hooks that report rounds and judge tool calls. Absent when there is no receiver. */
  readonly turn?: (signal: AbortSignal) => TurnHooks;
}

/** One dispatch that an adapter is working on. */
export class OpenDispatch {
  readonly request: AdapterRequest;
  readonly adapter: Adapter;
  readonly report: ExecutionReport;
  readonly startedAt: number;
  /** Callers that wait for the result. They receive undefined when the Bridge stops first. */
  readonly waiting: ((body: CallbackBody | undefined) => void)[] = [];
  readonly #clock: Clock;
  readonly #redactor: Redactor | undefined;
  readonly #controller = new AbortController();
  readonly #batcher: PartialBatcher;
  readonly #texts: ReturnType<Redactor["stream"]> | undefined;
  readonly #logs = new LogBook();
  #abortedFor: "timeout" | "cancelled" | null = null;
  #abortReason = "";
  #stopTimer: Stop | null = null;

  constructor(
    request: AdapterRequest,
    adapter: Adapter,
    report: ExecutionReport,
    clock: Clock,
    redactor: Redactor | undefined,
  ) {
    this.request = request;
    this.adapter = adapter;
    this.report = report;
    this.startedAt = clock.now();
    this.#clock = clock;
    this.#redactor = redactor;
    this.#texts = redactor?.stream();
    this.#batcher = createPartialBatcher(clock, (deltas) => report.stream(deltas));
  }

  get isAborted(): boolean {
    return this.#abortedFor !== null;
  }

  hooks(): AdapterHooks {
    const redact = (text: string): string => this.#redactor?.text(text) ?? text;
    return {
      signal: this.#controller.signal,
      onPartial: (part) => this.#onPart(part),
      onLog: (line) => this.#logs.add(line, this.#clock.now(), redact),
      ...(this.report.turn === undefined
        ? {}
        : redactedTurn(this.report.turn(this.#controller.signal), this.#redactor)),
    };
  }

  /** Starts a timer, which replaces the previous one. */
  after(delayMs: number, fire: () => void): void {
    this.#stopTimer?.();
    this.#stopTimer = this.#clock.after(delayMs, fire);
  }

  abort(why: "timeout" | "cancelled", reason: string): void {
    this.#abortedFor = why;
    this.#abortReason = reason;
    if (why === "timeout") this.#flush();
    this.abortAdapter(why);
  }

  /** Aborts the adapter's work. `stopped`: this Bridge stops, and another execution may continue the work. */
  abortAdapter(why: AbortReason): void {
    this.#stopTimer?.();
    this.#batcher.close();
    this.#controller.abort(why);
    try {
      this.adapter.cancel(this.request.dispatchId).catch(() => undefined);
    } catch {
      // An adapter that fails to cancel is given up after the grace time.
    }
  }

  /** Returns the outcome. `answer` is null when the adapter did not answer in time after the abort. */
  outcome(answer: AdapterResult | null): ExecutionOutcome {
    this.#stopTimer?.();
    this.#flush();
    const result = this.#judge(answer);
    return {
      request: this.request,
      result: redactResult(result, this.#redactor),
      startedAt: this.startedAt,
      completedAt: Math.max(this.startedAt, this.#clock.now()),
      logs: this.#logs.lines(),
      times: 1 + (isFinal(result) ? (result.duplicates ?? 0) : 0),
    };
  }

  #onPart(part: StreamPart): void {
    if ("text" in part && typeof part.text === "string") {
      const text = this.#texts === undefined ? part.text : this.#texts.push(part.text);
      if (text !== "") this.#batcher.add({ text });
    } else if ("media" in part && typeof part.media?.url === "string" && typeof part.media.mime === "string") {
      // Text that the redactor holds back came before the media, so it is sent first.
      this.#flushRedactor();
      const { url, mime } = part.media;
      this.#batcher.add({ media: { url: this.#redactor?.text(url) ?? url, mime } });
    }
  }

  #flushRedactor(): void {
    const rest = this.#texts?.flush() ?? "";
    if (rest !== "") this.#batcher.add({ text: rest });
  }

  #flush(): void {
    this.#flushRedactor();
    this.#batcher.flush();
  }

  /**
   * Returns the final result. After an abort, an answer still counts for its cost; a completed one counts fully, except after a timeout.
   */
  #judge(answer: AdapterResult | null): AdapterResult {
    if (this.#abortedFor === null && answer !== null) return answer;
    if (this.#abortedFor === "cancelled" && answer?.status === "completed") return answer;
    return {
      status: "failed",
      failure: this.#abortedFor ?? "timeout",
      message: this.#abortReason,
      ...(answer === null || !isFinal(answer) ? {} : usageOf(answer)),
    };
  }
}

function isFinal(result: AdapterResult): result is FinalResult {
  return result.status === "completed" || result.status === "failed";
}

function usageOf(answer: FinalResult): Partial<FinalResult> {
  const { model, inputTokens, outputTokens, thinkingTokens, cachedTokens, costUsd, priceId, extraCalls } = answer;
  const { sessionId, messages } = answer;
  const tokens = { inputTokens, outputTokens, thinkingTokens, cachedTokens };
  return { model, ...tokens, costUsd, priceId, extraCalls, sessionId, messages };
}

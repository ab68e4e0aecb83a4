import type { Adapter, AdapterRequest, LogLine, StreamPart } from "./adapter.ts";
import type { TurnHooks } from "./agent-turn.ts";
import { reasonOf } from "./conformance-report.ts";

/** The outcome of one adapter call, with its streamed parts and log lines. */
export interface Call {
  readonly outcome: TrialOutcome;
  readonly parts: readonly StreamPart[];
  readonly lines: readonly LogLine[];
  /** Returns the numbers of streamed pieces and of log lines that arrived after the result. The Bridge drops both. */
  readonly late: () => { readonly parts: number; readonly lines: number };
}

export type TrialOutcome =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "rejected"; readonly reason: string }
  | { readonly kind: "pending" };

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly withinMs: number;
  /** The hooks of a turn. Absent when its calls are not judged. */
  readonly turn?: TurnHooks;
}

export async function callAdapter(adapter: Adapter, request: AdapterRequest, options: CallOptions): Promise<Call> {
  const parts: StreamPart[] = [];
  const lines: LogLine[] = [];
  const late = { parts: 0, lines: 0 };
  let isOver = false;
  const work = async (): Promise<unknown> => {
    try {
      return await adapter.execute(request, {
        signal: options.signal ?? new AbortController().signal,
        onPartial: (part) => {
          if (isOver) late.parts += 1;
          else parts.push(part);
        },
        onLog: (line) => {
          if (isOver) late.lines += 1;
          else lines.push(line);
        },
        ...options.turn,
      });
    } finally {
      isOver = true;
    }
  };
  const outcome = await within(work(), options.withinMs);
  return { outcome, parts, lines, late: () => late };
}

/** Waits for the promise, at most `limitMs`. Never rejects. */
export function within(promise: Promise<unknown>, limitMs: number): Promise<TrialOutcome> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ kind: "pending" }), limitMs);
    promise.then(
      (result) => {
        clearTimeout(timer);
        resolve({ kind: "result", result });
      },
      (thrown: unknown) => {
        clearTimeout(timer);
        resolve({ kind: "rejected", reason: reasonOf(thrown) });
      },
    );
  });
}

export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

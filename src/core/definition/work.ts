import type { JsonObject } from "../base/index.ts";

/** Work of a step without an agent. Values filled in at run time are in `with`: the fields, `reason`, `message`, `until`, `match`. */
export type Work =
  | { readonly kind: "set" }
  | { readonly kind: "cancel"; readonly as: "cancelled" | "completed" }
  | { readonly kind: "fail"; readonly code: string }
  | { readonly kind: "script"; readonly language: "js"; readonly code: string }
  | FunctionCall
  | { readonly kind: "wait"; readonly wait: Wait }
  | { readonly kind: "emit"; readonly emit: Emit };

/** A function that a worker runs. The schemas come from its registered entry and are null when it is not registered. */
export interface FunctionCall {
  readonly kind: "function";
  readonly name: string;
  readonly input: JsonObject | null;
  readonly output: JsonObject | null;
}

export const ON_TIMEOUT = ["fail", "skip", "continue"] as const;
export type OnTimeout = (typeof ON_TIMEOUT)[number];

/** The thing a step waits for. Values filled in when the step runs are in `with`: `until` or `match`. */
export type Wait =
  | { readonly kind: "delay"; readonly ms: number }
  | { readonly kind: "until" }
  | ({ readonly kind: "event"; readonly type: string } & WaitEnd)
  | ({ readonly kind: "signal"; readonly name: string } & WaitEnd);

interface WaitEnd {
  /** Null when the wait has no time limit. */
  readonly timeoutMs: number | null;
  readonly onTimeout: OnTimeout;
}

/** An event that a step emits. Its `key` and `data` are in `with`. */
export interface Emit {
  readonly type: string;
  readonly keepMs: number;
}

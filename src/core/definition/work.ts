import type { JsonObject } from "../base/index.ts";

/** Work that is done without an agent. What is filled in stands in `with`: the fields, `reason`, `message`, `until`, `match`. */
export type Work =
  | { readonly kind: "set" }
  | { readonly kind: "cancel"; readonly as: "cancelled" | "completed" }
  | { readonly kind: "fail"; readonly code: string }
  | { readonly kind: "script"; readonly language: "js"; readonly code: string }
  | FunctionCall
  | { readonly kind: "wait"; readonly wait: Wait }
  | { readonly kind: "emit"; readonly emit: Emit };

/** A function that a worker runs; the schemas are those of its entry, null: it is not registered. */
export interface FunctionCall {
  readonly kind: "function";
  readonly name: string;
  readonly input: JsonObject | null;
  readonly output: JsonObject | null;
}

export const ON_TIMEOUT = ["fail", "skip", "continue"] as const;
export type OnTimeout = (typeof ON_TIMEOUT)[number];

/** What a step waits for; what is filled in when its turn has come stands in `with`: `until`, or `match`. */
export type Wait =
  | { readonly kind: "delay"; readonly ms: number }
  | { readonly kind: "until" }
  | ({ readonly kind: "event"; readonly type: string } & WaitEnd)
  | ({ readonly kind: "signal"; readonly name: string } & WaitEnd);

interface WaitEnd {
  /** Null: as long as it takes. */
  readonly timeoutMs: number | null;
  readonly onTimeout: OnTimeout;
}

/** An event a step emits; its `key` and `data` stand in `with`. */
export interface Emit {
  readonly type: string;
  readonly keepMs: number;
}

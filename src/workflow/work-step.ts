/** Functions for steps without an agent: values, waits, events, ends. */
import { addStep } from "./add-step.ts";
import { expressionTextOf, textOf } from "./operand.ts";
import { type Plain, type Reference, sourceOf } from "./reference.ts";
import type { OutputOf, Schema } from "./schema.ts";
import type { Duration, StepOptions, StepRef, Text } from "./step-options.ts";
import { namedValuesOf, objectOf, valueOf } from "./value.ts";
import type { NoSchema } from "./agent-step.ts";

type Values = Readonly<Record<string, unknown>>;

/** Adds a step that calculates values. The values are its outputs. */
export function set<V extends Values>(values: V, options?: StepOptions): StepRef<Plain<V>>;
export function set<V extends Values>(id: string, values: V, options?: StepOptions): StepRef<Plain<V>>;
export function set<V extends Values>(
  first: string | V,
  second?: V | StepOptions,
  third?: StepOptions,
): StepRef<Plain<V>> {
  const [id, values, options = {}] =
    typeof first === "string" ? [first, second as V, third] : [null, first, second as StepOptions | undefined];
  return addStep("set", id, options, { set: namedValuesOf(values, `${id ?? "set"}.set`) });
}

interface WaitEnd {
  readonly timeout?: Duration;
  readonly on_timeout?: "fail" | "skip" | "continue";
}

/** The end of a wait: after a duration, at a moment, on an event, or on a signal to the run. */
export type WaitFor =
  | Duration
  | { readonly until: string | Reference<string> }
  | ({ readonly event: string; readonly match?: Values } & WaitEnd)
  | ({ readonly signal: string } & WaitEnd);

export interface WaitOptions<S extends Schema> extends StepOptions {
  /** Schema of the data in the event or signal. */
  readonly outputs?: S;
}

type WaitOutputs<S extends Schema> = OutputOf<S> & { timed_out?: boolean };

/** Adds a step that waits. Waiting costs nothing, however long it takes. */
export function wait<S extends Schema = NoSchema>(
  until: Exclude<WaitFor, string>,
  options?: WaitOptions<S>,
): StepRef<WaitOutputs<S>>;
export function wait<S extends Schema = NoSchema>(
  id: string,
  until: WaitFor,
  options?: WaitOptions<S>,
): StepRef<WaitOutputs<S>>;
export function wait<S extends Schema>(
  first: WaitFor,
  second?: WaitFor | WaitOptions<S>,
  third?: WaitOptions<S>,
): StepRef<WaitOutputs<S>> {
  const [id, until, options = {}] =
    typeof first === "string" ? [first, second as WaitFor, third] : [null, first, second as WaitOptions<S> | undefined];
  return addStep("wait", id, options, { wait: typeof until === "object" ? waitFields(until) : until });
}

function waitFields(until: Exclude<WaitFor, Duration>) {
  if (!("until" in until)) return objectOf(until, "wait");
  return { until: typeof until.until === "string" ? until.until : expressionTextOf(until.until) };
}

export interface Emitted {
  readonly type: string;
  readonly key?: Values;
  readonly data?: unknown;
  readonly keep?: Duration;
}

/** Adds a step that emits an event. */
export function emit(event: Emitted, options?: StepOptions): StepRef<{ id: string; type: string }>;
export function emit(id: string, event: Emitted, options?: StepOptions): StepRef<{ id: string; type: string }>;
export function emit(
  first: string | Emitted,
  second?: Emitted | StepOptions,
  third?: StepOptions,
): StepRef<{ id: string; type: string }> {
  const [id, event, options = {}] =
    typeof first === "string" ? [first, second as Emitted, third] : [null, first, second as StepOptions | undefined];
  return addStep("emit", id, options, { emit: valueOf(event, "emit") });
}

/** Adds a step that ends the run as cancelled or as completed, with a reason. */
export function cancel(
  id: string,
  why: Text | { readonly as?: "cancelled" | "completed"; readonly reason?: Text },
  options: StepOptions = {},
): StepRef<{ reason: string }> {
  return addStep("cancel", id, options, { cancel: endOf(why) });
}

/** Adds a step that ends the run as failed. */
export function fail(
  id: string,
  why: Text | { readonly code?: string; readonly message: Text },
  options: StepOptions = {},
): StepRef<object> {
  return addStep("fail", id, options, { fail: endOf(why) });
}

function endOf(why: Text | object) {
  const isText = typeof why === "string" || sourceOf(why) !== undefined;
  return isText ? textOf(why) : objectOf(why, "end");
}

/** Adds a step from the step library. Fields given here replace those of the library. */
export function library<Outputs = object>(
  id: string,
  name: string,
  options: Readonly<Record<string, unknown>> = {},
): StepRef<Outputs> {
  return addStep("library", id, options, { library_step: name });
}

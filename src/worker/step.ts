import type { InputOf, OutputOf, Schema } from "./schema.ts";

/** What a function gets beside its input. */
export interface StepContext {
  /** The same for every attempt of the step: hand it to services that take one, so that a repetition changes nothing. */
  readonly idempotencyKey: string;
  /** Aborted when the result is not wanted any more: the run was cancelled, the time is over, the worker stops. */
  readonly signal: AbortSignal;
  /** A line in the log of the attempt. */
  readonly log: (message: string, level?: "debug" | "info" | "warning" | "error") => void;
  /** Shows now that the function is alive, as the worker does every few seconds; rejects when its result is not wanted. */
  readonly heartbeat: () => Promise<void>;
  readonly runId: string;
  readonly nodeId: string;
  readonly attempt: number;
}

interface StepOptions<I extends Schema, O extends Schema> {
  /** A schema of an object: what the step hands over under `inputs`. */
  readonly input: I;
  /** A schema of an object: what the function returns. */
  readonly output: O;
  /** What kind of act it is; of what the workflow says and this, the stricter holds. Default: execute. */
  readonly action?: "read" | "execute" | "write" | "financial";
  /** `at_most_once`: work of a worker that died is never given to another. Default: at_least_once. */
  readonly effects?: "at_least_once" | "at_most_once";
  readonly description?: string;
  readonly run: (input: OutputOf<I>, context: StepContext) => InputOf<O> | Promise<InputOf<O>>;
}

/** A function that workflows call as a step: `function: NAME`. */
export interface StepFunction {
  readonly input: Schema;
  readonly output: Schema;
  readonly action: "read" | "execute" | "write" | "financial";
  readonly effects: "at_least_once" | "at_most_once";
  readonly description: string | null;
  readonly run: (input: unknown, context: StepContext) => unknown;
}

export function step<I extends Schema, O extends Schema>(options: StepOptions<I, O>): StepFunction {
  const { input, output, action = "execute", effects = "at_least_once", description = null, run } = options;
  // What `run` is given has been read by its own schema.
  return { input, output, action, effects, description, run: run as StepFunction["run"] };
}

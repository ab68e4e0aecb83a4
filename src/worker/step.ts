import type { InputOf, OutputOf, Schema } from "./schema.ts";

/** Context that a function receives besides its input. */
export interface StepContext {
  /** The same for every attempt of the step. Pass it to services that accept such a key, so that a repetition changes nothing. */
  readonly idempotencyKey: string;
  /** Aborted when the result is no longer wanted: the run was cancelled, the time has passed, or the worker stops. */
  readonly signal: AbortSignal;
  /** Writes a line to the log of the attempt. */
  readonly log: (message: string, level?: "debug" | "info" | "warning" | "error") => void;
  /** Reports at once that the function is alive, as the worker does every few seconds. Rejects when the result is not wanted. */
  readonly heartbeat: () => Promise<void>;
  readonly runId: string;
  readonly nodeId: string;
  readonly attempt: number;
}

interface StepOptions<I extends Schema, O extends Schema> {
  /** Schema of an object: the values that the step passes under `inputs`. */
  readonly input: I;
  /** Schema of an object: the return value of the function. */
  readonly output: O;
  /** The action class of the function. Between this and the one in the workflow, the stricter applies. Default: execute. */
  readonly action?: "read" | "execute" | "write" | "financial";
  /** `at_most_once`: work of a dead worker is never given to another. Default: at_least_once. */
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
  // The input of `run` has been validated by its own schema.
  return { input, output, action, effects, description, run: run as StepFunction["run"] };
}

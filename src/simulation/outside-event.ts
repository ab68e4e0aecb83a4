import type { Json, JsonObject } from "../core/base/index.ts";

/** An event from outside that is sent to a simulation. */
export interface OutsideEvent {
  readonly type: string;
  /** The name of a signal to the run; null for an event to all runs. */
  readonly signal: string | null;
  readonly key: JsonObject;
  readonly data: Json;
  /** Delay from the start of the run. */
  readonly afterMs: number;
}

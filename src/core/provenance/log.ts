import { getOwn, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import type { EventOf, RunEvent } from "../event/index.ts";

/** What is known of a run: its log, and what its verdicts looked at. */
export interface RunLog {
  readonly runId: string;
  readonly workflow: string;
  readonly events: readonly RunEvent[];
  /** Policies with their versions by the id of the verdict that looked at them. */
  readonly policies?: ReadonlyMap<string, readonly string[]>;
}

/** An output of another run that an arg was taken from. */
export interface ArgOrigin {
  readonly runId: string;
  readonly nodeId: string;
  readonly output: string;
}

/** `inputsFrom` of a run's first event, by arg. Logs of runs that took nothing have no such field. */
export function argOriginsOf({ payload }: EventOf<"run.started">): ReadonlyMap<string, ArgOrigin> {
  const written = getOwn(payload as unknown as JsonObject, "inputsFrom");
  const found = new Map<string, ArgOrigin>();
  if (!isJsonObject(written)) return found;
  for (const [arg, origin] of Object.entries(written)) {
    const read = isJsonObject(origin) ? readOrigin(origin) : undefined;
    if (read !== undefined) found.set(arg, read);
  }
  return found;
}

function readOrigin(origin: JsonObject): ArgOrigin | undefined {
  const [runId, nodeId, output] = ["runId", "nodeId", "output"].map((name) => getOwn<Json>(origin, name));
  if (typeof runId !== "string" || typeof nodeId !== "string" || typeof output !== "string") return undefined;
  return { runId, nodeId, output };
}

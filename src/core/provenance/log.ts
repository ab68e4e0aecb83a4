import { getOwn, isJsonObject, type Json, type JsonObject } from "../base/index.ts";
import type { EventOf, RunEvent } from "../event/index.ts";

/** The recorded data of a run: its log, and the policies that its verdicts evaluated. */
export interface RunLog {
  readonly runId: string;
  readonly workflow: string;
  readonly events: readonly RunEvent[];
  /** Policies, with versions, by the id of the verdict that evaluated them. */
  readonly policies?: ReadonlyMap<string, readonly string[]>;
}

/** The output of another run from which an arg was taken. */
export interface ArgOrigin {
  readonly runId: string;
  readonly nodeId: string;
  readonly output: string;
}

/** Reads `inputsFrom` of the first event of a run, by arg. The field is absent when no arg was taken from another run. */
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

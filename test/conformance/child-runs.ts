import { type Advance, NO_TOKENS, type StartChild } from "../../src/core/engine/index.ts";
import type { RunStatus } from "../../src/core/event/index.ts";
import type { Rig } from "./rig.ts";

/** The child runs that a run has asked for, oldest first. */
export function startedChildren(rig: Rig): readonly StartChild[] {
  return rig.effects.filter((effect): effect is StartChild => effect.type === "start-child");
}

export function newestChild(rig: Rig): StartChild {
  const child = startedChildren(rig).at(-1);
  if (child === undefined) throw new Error("no child was started");
  return child;
}

/** Reports the end of a child run, by default of the newest one, to its parent. */
export function endChild(rig: Rig, status: RunStatus, more: object = {}, child = newestChild(rig)): Advance {
  const { nodeId, attempt, childRunId } = child;
  const nothing = { outputs: {}, costMicros: 0, tokens: NO_TOKENS };
  return rig.submit({ type: "child_finished", nodeId, attempt, childRunId, status, ...nothing, ...more });
}

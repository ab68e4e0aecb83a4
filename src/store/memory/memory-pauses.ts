import { compareCodeUnits } from "../../core/base/index.ts";
import { isTerminal, type WorkflowStatus } from "../../core/event/index.ts";
import { type PauseStore, WHOLE_ORGANISATION } from "../pause-store.ts";
import { memoryAudit } from "./memory-audit.ts";
import { raiseConfig } from "./memory-config.ts";
import { keyOf, type MemoryWorld } from "./memory-world.ts";

export function memoryPauses(world: MemoryWorld): PauseStore {
  /** Returns false when the workflow does not exist. */
  const setStatus = (orgId: string, name: string | null, status: WorkflowStatus): boolean => {
    const workflow = name === null ? undefined : world.workflows.get(keyOf(orgId, name));
    if (name !== null && workflow === undefined) return false;
    if (workflow !== undefined) workflow.status = status;
    raiseConfig(world, orgId);
    return true;
  };
  const pausesOf = (orgId: string) => {
    const known = world.pauses.get(orgId) ?? new Map();
    world.pauses.set(orgId, known);
    return known;
  };
  return {
    pausesOf: async (orgId) => new Map(pausesOf(orgId)),
    pause: async (orgId, workflow, pause, audit = []) => {
      if (!setStatus(orgId, workflow, "paused")) return false;
      const name = workflow ?? WHOLE_ORGANISATION;
      const known = pausesOf(orgId);
      if (!known.has(name)) known.set(name, pause);
      await memoryAudit(world).appendAudit(orgId, audit);
      return true;
    },
    resume: async (orgId, workflow, audit = []) => {
      if (!setStatus(orgId, workflow, "active")) return false;
      pausesOf(orgId).delete(workflow ?? WHOLE_ORGANISATION);
      await memoryAudit(world).appendAudit(orgId, audit);
      return true;
    },
    openRunsOf: async (orgId, workflow, after, limit) =>
      [...world.runs.values()]
        .filter(({ head, pinned, orgId: owner }) => {
          const isMeant = owner === orgId && (workflow === null || pinned.workflow === workflow);
          return isMeant && !isTerminal(head.status) && compareCodeUnits(head.runId, after) > 0;
        })
        .map(({ head }) => head.runId)
        .sort(compareCodeUnits)
        .slice(0, limit),
  };
}

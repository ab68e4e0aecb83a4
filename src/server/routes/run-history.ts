import { auditEntry } from "../../core/audit/index.ts";
import type { DeletedFamily, Deletion } from "../../store/index.ts";
import { Refused } from "../problem.ts";
import { defineRoute, type Route } from "../route.ts";
import { unknownRun } from "./runs.ts";

/** Letting go of runs. */
export const runHistoryRoutes: readonly Route[] = [
  defineRoute({
    method: "DELETE",
    path: "/runs/{runId}",
    operation: "runs.delete",
    summary:
      "Deletes a run that has ended, its child runs and everything that is kept of them. The audit keeps its records, and notes the deletion.",
    permission: "run:delete",
    replies: { 204: { description: "It is gone", schema: null } },
    handle: async ({ services: { store, config }, principal: { orgId, keyId }, params: { runId = "" } }) => {
      const note = ({ workflow, runIds }: DeletedFamily) =>
        auditEntry({
          at: config.now(),
          type: "run.deleted",
          actor: keyId,
          resource: `run/${runId}`,
          run: runId,
          detail: { workflow, runs: runIds.length, cause: "request" },
        });
      const refused = refusedDeletion(runId, await store.deleteFamily(orgId, runId, note));
      if (refused !== null) throw refused;
      return new Response(null, { status: 204 });
    },
  }),
];

function refusedDeletion(runId: string, deletion: Deletion): Refused | null {
  switch (deletion.kind) {
    case "deleted":
      return null;
    case "unknown":
      return unknownRun(runId);
    case "child":
      return new Refused(
        "run_has_parent",
        `The run "${runId}" is part of "${deletion.rootRunId}" and is deleted together with it: delete that one.`,
      );
    case "open": {
      const which = deletion.runId === runId ? "It" : `Its child run "${deletion.runId}"`;
      return new Refused("run_not_finished", `${which} has not ended: cancel the run, or wait for its end.`);
    }
    case "in_use":
      return new Refused(
        "run_in_use",
        `The run "${deletion.by}", which has not ended, was started from it: cancel that one, or wait for its end.`,
      );
  }
}

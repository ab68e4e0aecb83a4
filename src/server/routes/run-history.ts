import { runSchema } from "../../contract/index.ts";
import { auditEntry } from "../../core/audit/index.ts";
import { PacketRefused, PacketTooLarge } from "../../history/index.ts";
import type { DeletedFamily, Deletion } from "../../store/index.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { runOnWire } from "../wire.ts";
import { unknownRun } from "./runs.ts";

const GZIP = "application/gzip";

/** Deletion of runs, and import of archived ones. */
export const runHistoryRoutes: readonly Route[] = [
  defineRoute({
    method: "DELETE",
    path: "/runs/{runId}",
    operation: "runs.delete",
    summary:
      "Deletes an ended run, its child runs and all their data. The audit keeps its records, and records the deletion.",
    permission: "run:delete",
    replies: { 204: { description: "The run is deleted", schema: null } },
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
  defineRoute({
    method: "POST",
    path: "/runs/import",
    operation: "runs.import",
    summary:
      "Imports a run and its child runs from the packet that was written before they were deleted. The packet must be complete and signed by this installation.",
    permission: "run:delete",
    content: GZIP,
    replies: { 201: { description: "The run", schema: runSchema } },
    handle: importRun,
  }),
];

async function importRun({ services, principal, request }: Call<undefined, undefined>): Promise<Response> {
  const content = (request.body ?? new Blob([]).stream()) as unknown as AsyncIterable<Uint8Array>;
  try {
    const { run } = await services.history.importer.import(principal.orgId, principal.keyId, content);
    return json(runOnWire(run), 201);
  } catch (thrown) {
    if (thrown instanceof PacketRefused) throw new Refused(thrown.code, thrown.message);
    if (thrown instanceof PacketTooLarge) {
      throw new Refused("body_too_large", `A packet has at most ${thrown.bytesMax} bytes.`);
    }
    throw thrown;
  }
}

function refusedDeletion(runId: string, deletion: Deletion): Refused | null {
  switch (deletion.kind) {
    case "deleted":
      return null;
    case "changed":
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

import { z } from "zod";
import {
  cellSchema,
  cellVerificationSchema,
  listOf,
  moveBody,
  moveSchema,
  type MoveView,
} from "../../contract/index.ts";
import type { CellMove } from "../../store/index.ts";
import { noteChange } from "../audit-note.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import type { CellOperations } from "../cell-operations.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";

const body = { schema: moveBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false };
/** Named `of`, because browsers use `organisation` to choose the organisation of a request. */
const verifyQuery = z.object({ of: z.string().min(1).max(200).optional() });

/** For operators of the installation: callers who manage the keys of its first organisation. */
export const cellRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/cells",
    operation: "cells.list",
    summary: "Lists the cells of the installation, with their organisations.",
    permission: "keys:manage",
    replies: { 200: { description: "All cells", schema: listOf(cellSchema) } },
    handle: async (call) => json({ data: await operationsOf(call).list() }),
  }),
  defineRoute({
    method: "GET",
    path: "/cells/moves",
    operation: "cells.moves",
    summary: "Lists the newest moves of organisations between cells.",
    permission: "keys:manage",
    replies: { 200: { description: "Moves, newest first", schema: listOf(moveSchema) } },
    handle: async (call) => json({ data: (await operationsOf(call).listMoves()).map(onWire) }),
  }),
  defineRoute({
    method: "POST",
    path: "/cells/moves",
    operation: "cells.move",
    summary: "Starts the move of an organisation to another cell. The move continues after a crash of the server.",
    permission: "keys:manage",
    body,
    replies: { 202: { description: "The move", schema: moveSchema } },
    handle: move,
  }),
  defineRoute({
    method: "GET",
    path: "/cells/moves/{moveId}",
    operation: "cells.getMove",
    summary: "Shows the progress of a move.",
    permission: "keys:manage",
    replies: { 200: { description: "The move", schema: moveSchema } },
    handle: async (call) => {
      const { moveId = "" } = call.params;
      const isKnown = call.services.cells !== null;
      const found = isKnown ? await operationsOf(call).getMove(moveId) : undefined;
      if (found === undefined) throw new Refused("unknown_move", `There is no move "${moveId}".`);
      return json(onWire(found));
    },
  }),
  defineRoute({
    method: "GET",
    path: "/cells/verification",
    operation: "cells.verify",
    summary: "Compares the directory with the cells. With an organisation, counts its rows in each cell.",
    permission: "keys:manage",
    query: verifyQuery,
    replies: { 200: { description: "Result of the comparison", schema: cellVerificationSchema } },
    handle: async (call) => {
      const asked = call.query.of ?? null;
      const { problems, organisations } = await operationsOf(call).verify(asked);
      return json({
        isGood: problems.length === 0 && organisations.length <= 1,
        problems,
        organisation: organisations,
      });
    },
  }),
];

function operationsOf({ services, principal }: Pick<Call<unknown, unknown>, "services" | "principal">): CellOperations {
  const { cells } = services;
  if (cells === null)
    throw new Refused("no_cells", "It has one database; start its servers with --cells to have more.");
  if (principal.orgId !== cells.operators) {
    throw new Refused("forbidden", `Cells are looked after with a key of the organisation "${cells.operators}".`);
  }
  return cells;
}

async function move(call: Call<z.output<typeof moveBody>, undefined>): Promise<Response> {
  const { services, principal, body: asked } = call;
  const begun = await operationsOf(call).move(asked.organisation, asked.to, principal.keyId);
  const { id, orgId, source, target } = begun;
  const about = { move: id, organisation: orgId, from: source, to: target };
  await noteChange(services, principal, "organisation.changed", `organisation/${orgId}`, about);
  return json(onWire(begun), 202);
}

function onWire({ orgId, source, target, createdAt, updatedAt, frozenAt, switchedAt, ...rest }: CellMove): MoveView {
  return {
    ...rest,
    tables: rest.tables === null ? null : [...rest.tables],
    organisation: orgId,
    from: source,
    to: target,
    createdAt: iso(createdAt),
    updatedAt: iso(updatedAt),
    frozenAt: frozenAt === null ? null : iso(frozenAt),
    switchedAt: switchedAt === null ? null : iso(switchedAt),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

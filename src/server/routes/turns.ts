import { turnSchema, type TurnView } from "../../contract/index.ts";
import { findNode } from "../../core/engine/index.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { TurnLog } from "../turn-log.ts";
import { eventsAfter } from "./run-views.ts";
import { unknownRun } from "./runs.ts";

export const turnRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/runs/{runId}/nodes/{nodeId}/turn",
    operation: "runs.turn",
    summary: "Shows the turn of a node: its rounds, and each tool call with verdict and result.",
    permission: "run:read",
    replies: { 200: { description: "The turn; without rounds when the node has none", schema: turnSchema } },
    handle: showTurn,
  }),
];

async function showTurn({ services, principal, params }: Call<undefined, undefined>): Promise<Response> {
  const { runId = "", nodeId = "" } = params;
  const view = await services.runtime.stateOf(principal.orgId, runId);
  if (view === undefined) throw unknownRun(runId);
  const node = findNode(view.state, nodeId);
  if (node === undefined) throw new Refused("unknown_node", `Run "${runId}" has no node "${nodeId}".`);
  const log = new TurnLog(runId, node);
  if (node.turn !== null) {
    const { lastEventId } = view.state;
    for await (const event of eventsAfter(services.store, { ...view.run, lastEventId }, 0)) log.take(event);
  }
  const rounds = log.rounds();
  const costMicros = rounds.reduce((sum, round) => sum + round.costMicros, 0);
  const turn: TurnView = { runId, nodeId, status: node.now.status, costMicros, rounds };
  return json(turn);
}

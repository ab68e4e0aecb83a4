import type { z } from "zod";
import {
  type Checkpoint,
  checkpointSchema,
  checkpointStateSchema,
  eventSchema,
  eventsQuery,
  listOf,
  type NodeDetail,
  nodeDetailSchema,
  type State,
  stateSchema,
} from "../../contract/index.ts";
import { isSettling, type RunEvent } from "../../core/event/index.ts";
import { findNode, waitingForOf } from "../../core/engine/index.ts";
import { isoFromEpochMs, projectRun } from "../../core/view/index.ts";
import type { RunSnapshot } from "../../driver/index.ts";
import type { RunRecord, Store } from "../../store/index.ts";
import { frameOf } from "../frame-text.ts";
import { resultWithReferences, withReferences } from "../large-values.ts";
import { readEventId } from "../listing.ts";
import { NodeLog } from "../node-history.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { waitingOf } from "../run-waiting.ts";
import { verdictOnWire } from "../verdict-on-wire.ts";
import { requireRun, type RunCall, unknownRun } from "./runs.ts";

const SCAN_PAGE = 1_000;
type EventsCall = Call<undefined, z.output<typeof eventsQuery>>;

export const runViewRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/runs/{runId}/state",
    operation: "runs.state",
    summary: "Shows the complete state of a run: its counts and all nodes in plan order.",
    permission: "run:read",
    replies: { 200: { description: "The state", schema: stateSchema } },
    handle: async ({ services, principal, params: { runId = "" } }) => {
      const view = await services.runtime.stateOf(principal.orgId, runId);
      if (view === undefined) throw unknownRun(runId);
      const run = { ...view.run, status: view.state.status, waitingFor: waitingForOf(view.state) };
      return json({ ...stateOf(view), waitingFor: (await waitingOf(services.store, [run]))(run) });
    },
  }),
  defineRoute({
    method: "GET",
    path: "/runs/{runId}/at/{eventId}",
    operation: "runs.at",
    summary: "Shows the state of a run after an event.",
    permission: "run:read",
    replies: { 200: { description: "The state after the event", schema: stateSchema } },
    handle: async (call) => json(await stateAt(call)),
  }),
  defineRoute({
    method: "GET",
    path: "/runs/{runId}/events",
    operation: "runs.events",
    summary: "Lists the events of a run in order.",
    permission: "run:read",
    query: eventsQuery,
    replies: { 200: { description: "Events after the cursor", schema: listOf(eventSchema) } },
    handle: listEvents,
  }),
  defineRoute({
    method: "GET",
    path: "/runs/{runId}/checkpoints",
    operation: "runs.checkpoints",
    summary: "Lists the events that settled a node. A run can be rewound to them or branched from them.",
    permission: "run:read",
    query: eventsQuery,
    replies: { 200: { description: "Checkpoints after the cursor", schema: listOf(checkpointSchema) } },
    handle: listCheckpoints,
  }),
  defineRoute({
    method: "GET",
    path: "/runs/{runId}/checkpoints/{eventId}",
    operation: "runs.checkpoint",
    summary: "Shows an event of a run and the state after it. Any event is a checkpoint.",
    permission: "run:read",
    replies: { 200: { description: "The checkpoint", schema: checkpointStateSchema } },
    handle: async (call) => {
      const state = await stateAt(call);
      const run = await requireRun(call);
      const [event] = await call.services.store.readEvents(run.orgId, run.runId, state.lastEventId - 1, 1);
      if (event === undefined) throw unknownEvent(run.runId, String(state.lastEventId));
      return json({ ...checkpointOf(event), state });
    },
  }),
  defineRoute({
    method: "GET",
    path: "/runs/{runId}/nodes/{nodeId}",
    operation: "runs.node",
    summary: "Shows the attempts of a node: route, verdict, result, cost and logs.",
    permission: "run:read",
    replies: { 200: { description: "The node", schema: nodeDetailSchema } },
    handle: showNode,
  }),
];

async function stateAt({ services, principal, params }: RunCall): Promise<State> {
  const { runId = "", eventId: written = "" } = params;
  const eventId = readEventId(written);
  const view = await services.runtime.stateAt(principal.orgId, runId, eventId);
  if (view === undefined) throw unknownRun(runId);
  if (view === null) throw unknownEvent(runId, written);
  return stateOf(view);
}

function stateOf({ run, state }: RunSnapshot): State {
  const own = waitingForOf(state);
  const projection = projectRun(state, { workflowId: run.workflow });
  return { ...withReferences(projection), waitingFor: own === "child" ? null : own };
}

function unknownEvent(runId: string, eventId: string): Refused {
  return new Refused("unknown_event", `Run "${runId}" has no event ${eventId}.`);
}

function cursorOf({ afterEventId, cursor }: EventsCall["query"]): number {
  return readEventId(afterEventId ?? cursor ?? "0");
}

async function listEvents(call: EventsCall): Promise<Response> {
  const after = cursorOf(call.query);
  const run = await requireRun(call);
  const events = await call.services.store.readEvents(run.orgId, run.runId, after, call.query.limit);
  const last = events.at(-1)?.eventId ?? after;
  const more = last < run.lastEventId && events.length > 0 ? { nextCursor: String(last) } : {};
  return json({ data: events.map((event) => frameOf(event, run)), ...more });
}

async function listCheckpoints(call: EventsCall): Promise<Response> {
  const { limit } = call.query;
  const after = cursorOf(call.query);
  const run = await requireRun(call);
  const found: RunEvent[] = [];
  for await (const event of eventsAfter(call.services.store, run, after)) {
    if (!isSettling(event)) continue;
    found.push(event);
    if (found.length > limit) break;
  }
  const data = found.slice(0, limit).map(checkpointOf);
  const last = data.at(-1);
  const more = found.length > limit && last !== undefined ? { nextCursor: String(last.eventId) } : {};
  return json({ data, ...more });
}

/** Yields the log page by page, so that a long log is never in memory as a whole. */
export async function* eventsAfter(
  store: Pick<Store, "readEvents">,
  run: RunRecord,
  after: number,
): AsyncGenerator<RunEvent> {
  for (let cursor = after; cursor < run.lastEventId;) {
    const page = await store.readEvents(run.orgId, run.runId, cursor, SCAN_PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    cursor = last.eventId;
  }
}

function checkpointOf({ eventId, type, at, payload }: RunEvent): Checkpoint {
  const node = "nodeId" in payload ? { nodeId: payload.nodeId } : {};
  const attempt = "nodeId" in payload && payload.attempt !== undefined ? { attempt: payload.attempt } : {};
  return { eventId, type, ...node, ...attempt, timestamp: isoFromEpochMs(at) };
}

async function showNode(call: Call<undefined, undefined>): Promise<Response> {
  const { services, principal, params } = call;
  const { runId = "", nodeId = "" } = params;
  const view = await services.runtime.stateOf(principal.orgId, runId);
  if (view === undefined) throw unknownRun(runId);
  const unknown = new Refused("unknown_node", `Run "${runId}" has no node "${nodeId}".`);
  if (findNode(view.state, nodeId) === undefined) throw unknown;
  const { nodeResults, lastEventId } = projectRun(view.state, { workflowId: view.run.workflow });
  const result = nodeResults.find((one) => one.nodeId === nodeId);
  if (result === undefined) throw unknown;
  const log = new NodeLog(nodeId);
  for await (const event of eventsAfter(services.store, { ...view.run, lastEventId }, 0)) log.take(event);
  for (const report of await services.store.reportsOf(principal.orgId, runId, nodeId)) log.addReport(report);
  for (const verdict of await services.store.verdictsOf(principal.orgId, runId)) {
    if (verdict.nodeId === nodeId) log.explain(verdictOnWire(verdict));
  }
  const requests = await services.runtime.requestsOf(principal.orgId, runId, nodeId);
  for (const [attempt, request] of requests) log.addRequest(attempt, request);
  const detail: NodeDetail = {
    runId,
    node: resultWithReferences(result),
    request: log.newestRequest,
    ...log.history(),
  };
  return json(detail);
}

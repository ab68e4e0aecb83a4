import { randomUUID } from "node:crypto";
import type { z } from "zod";
import {
  type eventBody,
  eventsBody,
  keptEventSchema,
  keptEventsQuery,
  type KeptEvent as SentEvent,
  listOf,
  receivedEventSchema,
  receivedEventsSchema,
  signalBody,
} from "../../contract/index.ts";
import { type Json, type JsonObject, LIMITS, required, utf8Length } from "../../core/base/index.ts";
import { EVENT_TYPE, parseDuration } from "../../core/definition/index.ts";
import { keyDigest, signalTo } from "../../core/engine/index.ts";
import { isTerminal } from "../../core/event/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import type { KeptEventRecord, NewEvent, RunRecord } from "../../store/index.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { pageOf } from "../listing.ts";
import { Refused } from "../problem.ts";
import { defineRoute, json, type Route } from "../route.ts";
import { listOnWire } from "../wire.ts";
import { requireRun, type RunCall } from "./runs.ts";

const body = { bytesMax: BODY_BYTES_MAX.definition, types: [JSON_TYPE] };

export const eventRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/events",
    operation: "events.send",
    summary:
      "Sends one event, or up to 500. Steps that wait for them continue. The events are stored for steps that begin to wait later.",
    permission: "workflow:execute",
    body: { schema: eventsBody, ...body, isOptional: false },
    replies: {
      202: { description: "The stored events, in the order in which they were sent", schema: receivedEventsSchema },
    },
    handle: async ({ services, principal, body: sent }) => {
      const events = (Array.isArray(sent) ? sent : [sent]).map((one) => newEvent(one, principal.keyId));
      requireOneEach(events);
      const kept = await services.runtime.receive(principal.orgId, events);
      return json({ data: kept.map(({ event, isNew }) => ({ ...eventOnWire(event), isNew })) }, 202);
    },
  }),
  defineRoute({
    method: "GET",
    path: "/events",
    operation: "events.list",
    summary: "Lists the stored events, newest first.",
    permission: "run:read",
    query: keptEventsQuery,
    replies: { 200: { description: "One page", schema: listOf(keptEventSchema) } },
    handle: async ({ services, principal, query }) => {
      const filter = query.type === undefined ? {} : { type: query.type };
      return json(listOnWire(await services.store.listEvents(principal.orgId, filter, pageOf(query)), eventOnWire));
    },
  }),
  defineRoute({
    method: "POST",
    path: "/runs/{runId}/signals/{name}",
    operation: "runs.signal",
    summary: "Sends a signal to a run: an event that only steps of this run and of its child runs receive.",
    permission: "workflow:execute",
    body: { schema: signalBody, ...body, isOptional: true },
    replies: { 202: { description: "The stored signal", schema: receivedEventSchema } },
    handle: async (call) => {
      const { services, principal, params } = call;
      const { name = "" } = params;
      if (!EVENT_TYPE.test(name)) throw new Refused("invalid_request", "The name of a signal is one such as go_on.");
      const run = await rootOf(call, await requireRun(call));
      if (isTerminal(run.status)) throw new Refused("run_finished", `The run ${run.runId} is ${run.status}.`);
      const { id } = call.body;
      const made = newEvent({ ...call.body, ...signalOf(run, name) }, principal.keyId);
      // A slash is in no id of a sender, so a signal can have the id of another run's signal, or of an event.
      const event = id === undefined ? made : { ...made, id: `${run.runId}/${name}/signal/${id}` };
      const [kept] = await services.runtime.receive(principal.orgId, [event]);
      const { event: signal, isNew } = required(kept, "every event is answered");
      return json({ ...eventOnWire(signal), ...(id === undefined ? {} : { id }), isNew }, 202);
    },
  }),
];

function newEvent(
  { type, key = {}, data = {}, id, keep }: z.output<typeof eventBody>,
  sentBy: string | null,
): NewEvent {
  const size = utf8Length(JSON.stringify({ key, data }));
  if (size > LIMITS.eventBytesMax) {
    const detail = `The event ${id ?? type} has ${size} bytes; the limit is ${LIMITS.eventBytesMax}.`;
    throw new Refused("event_too_large", detail);
  }
  const keepMs = keep === undefined ? LIMITS.eventKeepMsDefault : required(parseDuration(keep), "it was checked");
  const made: JsonObject = { ...key };
  return {
    id: id ?? `evt_${randomUUID()}`,
    type,
    key: made,
    keyDigest: keyDigest(made),
    data,
    keepMs,
    hops: 0,
    sentBy,
  };
}

function signalOf({ runId }: RunRecord, name: string): Pick<NewEvent, "type" | "key"> & { key: Record<string, Json> } {
  const { type, key } = signalTo(runId, name);
  return { type, key: { ...key } };
}

/** Refuses two events with one id: otherwise it would be random which one is stored. */
function requireOneEach(events: readonly NewEvent[]): void {
  const seen = new Set<string>();
  for (const { id } of events) {
    if (seen.has(id)) throw new Refused("invalid_request", `The id "${id}" is given twice.`);
    seen.add(id);
  }
}

/** Returns the topmost parent: a signal to a child run is a signal to the whole family. */
async function rootOf({ services, principal }: RunCall, run: RunRecord): Promise<RunRecord> {
  let root = run;
  while (root.parentRunId !== null) {
    const parent = await services.store.getRun(principal.orgId, root.parentRunId);
    if (parent === undefined) return root;
    root = parent;
  }
  return root;
}

function eventOnWire({ id, type, key, data, sentBy, receivedAt, expiresAt }: KeptEventRecord): SentEvent {
  return { id, type, key, data, sentBy, receivedAt: isoFromEpochMs(receivedAt), keptUntil: isoFromEpochMs(expiresAt) };
}

import type { z } from "zod";
import { streamQuery } from "../../contract/index.ts";
import { isTerminal } from "../../core/event/index.ts";
import { isKeyId } from "../auth.ts";
import { readEventId } from "../listing.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, type Route } from "../route.ts";
import { requireRun } from "./runs.ts";

const STREAM_HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  connection: "keep-alive",
  "x-accel-buffering": "no",
} as const;

function streamRoute(path: string, operation: string): Route {
  return defineRoute({
    method: "GET",
    path,
    operation,
    summary:
      "Streams a run: first its stored events, then new ones, without gaps or repetitions, until the run has ended.",
    permission: "run:read",
    query: streamQuery,
    answersHead: false,
    replies: {
      200: { description: "Server-sent events", schema: null, type: "text/event-stream" },
      204: { description: "The run has ended and the cursor is at its last event", schema: null },
    },
    handle: openStream,
  });
}

export const streamRoutes: readonly Route[] = [streamRoute("/runs/{runId}/events/stream", "runs.stream")];
/** The same stream under the path of older clients, outside of the base path. */
export const legacyStreamRoutes: readonly Route[] = [
  streamRoute("/execute/workflows/{runId}/events", "runs.legacyStream"),
];

async function openStream(call: Call<undefined, z.output<typeof streamQuery>>): Promise<Response> {
  const { services, request, query } = call;
  const afterEventId = readEventId(query.afterEventId ?? request.headers.get("last-event-id") ?? "0");
  const run = await requireRun(call);
  if (afterEventId > run.lastEventId) {
    throw new Refused("cursor_ahead", `The log ends at event ${run.lastEventId}; ${afterEventId} is not there yet.`);
  }
  if (isTerminal(run.status) && afterEventId === run.lastEventId) return new Response(null, { status: 204 });
  return streamed(services.streams.open({ run, afterEventId, ...readerOf(call) }));
}

export function streamed(body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: STREAM_HEADERS });
}

type ReadCall = Pick<Call<unknown, unknown>, "principal" | "request" | "closeConnection" | "reauthenticate">;

/** Returns the reader of a stream: its principal, the signal of its disconnection, and the check of its permission. */
export function readerOf({ principal, request, closeConnection, reauthenticate }: ReadCall) {
  // The permissions of a key never change, and one that ends loses its streams by itself.
  const isStillAllowed = async (): Promise<boolean> =>
    isKeyId(principal.keyId) ||
    reauthenticate().then((now) => now?.keyId === principal.keyId && now.permissions.has("run:read"));
  return { principal, signal: request.signal, closeConnection, isStillAllowed };
}

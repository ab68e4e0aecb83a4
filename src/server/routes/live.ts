import type { z } from "zod";
import { liveQuery } from "../../contract/index.ts";
import { readEventId } from "../listing.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, type Route } from "../route.ts";
import { readerOf, streamed } from "./event-stream.ts";

const RUNS_MAX = 50;

export const liveRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/live",
    operation: "live.stream",
    summary:
      "Streams changes of the organisation: `run` when the head of a run changes, `approval` when the waiting approvals change, " +
      "and `event` for every event of the given runs, without gaps or repetitions.",
    permission: "run:read",
    query: liveQuery,
    answersHead: false,
    replies: { 200: { description: "Server-sent events", schema: null, type: "text/event-stream" } },
    handle: openLive,
  }),
];

async function openLive(call: Call<undefined, z.output<typeof liveQuery>>): Promise<Response> {
  const { services, principal, query } = call;
  const named = namedRuns(query.runs ?? "");
  const found = await Promise.all(named.map(({ runId }) => services.store.getRun(principal.orgId, runId)));
  // One connection serves many pages, so a request for a missing run must not end it for the others.
  const runs = named.flatMap(({ afterEventId }, index) => {
    const run = found[index];
    return run === undefined || afterEventId > run.lastEventId ? [] : [{ run, afterEventId }];
  });
  const hasApprovals = principal.permissions.has("governance:read");
  return streamed(services.streams.openLive({ orgId: principal.orgId, runs, hasApprovals, ...readerOf(call) }));
}

function namedRuns(text: string): readonly { readonly runId: string; readonly afterEventId: number }[] {
  const parts = text === "" ? [] : text.split(",");
  if (parts.length > RUNS_MAX) {
    throw new Refused(
      "invalid_request",
      `At most ${RUNS_MAX} runs can be followed at once; these are ${parts.length}.`,
    );
  }
  return parts.map((part) => {
    const at = part.lastIndexOf(":");
    return at === -1
      ? { runId: part, afterEventId: 0 }
      : { runId: part.slice(0, at), afterEventId: readEventId(part.slice(at + 1)) };
  });
}

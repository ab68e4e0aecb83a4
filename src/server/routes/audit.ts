import {
  auditQuery,
  type AuditRow,
  auditRecordSchema,
  type ChainState,
  chainStateSchema,
  listOf,
  packetSchema,
} from "../../contract/index.ts";
import { pageOf } from "../listing.ts";
import { auditReasons } from "../audit-reasons.ts";
import { packetOf } from "../packet.ts";
import { type Call, defineRoute, json, type Route, type Services } from "../route.ts";
import { textStream } from "../text-stream.ts";
import { listOnWire } from "../wire.ts";
import { requireRun } from "./runs.ts";

const NDJSON = "application/x-ndjson";

export const auditRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/audit",
    operation: "audit.list",
    summary: "Lists audit records, newest first.",
    permission: "audit:read",
    query: auditQuery,
    replies: { 200: { description: "One page", schema: listOf(auditRecordSchema) } },
    handle: async ({ services, principal, query }) => {
      const { type, category, run } = query;
      const filter = {
        ...(type === undefined ? {} : { type }),
        ...(category === undefined ? {} : { category }),
        ...(run === undefined ? {} : { run }),
      };
      await services.audit.catchUp(principal.orgId);
      const page = await services.store.listAudit(principal.orgId, filter, pageOf(query));
      const withText = await auditReasons(services.store, principal.orgId, page.data);
      return json(listOnWire(page, (record): AuditRow => withText(record)));
    },
  }),
  defineRoute({
    method: "GET",
    path: "/audit/export",
    operation: "audit.export",
    summary: "Exports the whole audit log with checkpoints and public key, for verification elsewhere.",
    permission: "audit:read",
    answersHead: false,
    replies: { 200: { description: "One canonical JSON object per line", schema: null, type: NDJSON } },
    handle: async ({ services, principal, request }) => {
      await services.audit.catchUp(principal.orgId);
      const body = download(services, services.audit.export(principal.orgId), request);
      return new Response(body, { headers: downloadHeaders(`${NDJSON}; charset=utf-8`, "audit.ndjson") });
    },
  }),
  defineRoute({
    method: "GET",
    path: "/audit/verify",
    operation: "audit.verify",
    summary: "Verifies the stored audit log, and names the first bad record if there is one.",
    permission: "audit:read",
    replies: { 200: { description: "Result of the verification", schema: chainStateSchema } },
    handle: async ({ services, principal }) => {
      await services.audit.catchUp(principal.orgId);
      const { ok, records, checkpoints, lastSeq, key, firstBad } = await services.audit.verify(principal.orgId);
      const { sealedSeq, checkpointSeq } = await services.audit.state(principal.orgId);
      const bad = firstBad === undefined ? {} : { firstBad };
      const state: ChainState = { ok, records, checkpoints, lastSeq, key, sealedSeq, checkpointSeq, ...bad };
      return json(state);
    },
  }),
  defineRoute({
    method: "GET",
    path: "/runs/{runId}/packet",
    operation: "runs.packet",
    summary: "Exports everything about a run in one file: records, verdicts, approvals, costs and events.",
    permission: "audit:read",
    answersHead: false,
    replies: { 200: { description: "The packet", schema: packetSchema } },
    handle: sendPacket,
  }),
];

async function sendPacket(call: Call<undefined, undefined>): Promise<Response> {
  const { services, request } = call;
  const run = await requireRun(call);
  await services.audit.catchUp(run.orgId);
  const body = download(services, packetOf(services, run), request);
  return new Response(body, { headers: downloadHeaders("application/json; charset=utf-8", `${run.runId}.json`) });
}

function download(
  { config }: Services,
  texts: AsyncGenerator<string, void>,
  { signal, url }: Request,
): ReadableStream<Uint8Array> {
  return textStream(texts, signal, (error) =>
    config.onTrouble(`GET ${new URL(url).pathname}, answered in part`, error),
  );
}

function downloadHeaders(type: string, name: string): Readonly<Record<string, string>> {
  // A name with characters that are unsafe in a header is left out.
  const isPlain = /^[\w.-]+$/.test(name);
  return {
    "content-type": type,
    "cache-control": "no-store",
    "content-disposition": isPlain ? `attachment; filename="${name}"` : "attachment",
  };
}

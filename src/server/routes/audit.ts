import { z } from "zod";
import { AUDIT_CATEGORIES, AUDIT_TYPES } from "../../core/audit/index.ts";
import { filterText, pageOf, pageQuery } from "../listing.ts";
import { packetOf } from "../packet.ts";
import { type Call, defineRoute, json, type Route, type Services } from "../route.ts";
import { jsonObject, listOf } from "../schemas.ts";
import { textStream } from "../text-stream.ts";
import { listOnWire } from "../wire.ts";
import { requireRun } from "./runs.ts";

const count = z.number().int().nonnegative();
const hash = z.string().describe("SHA-256, hexadecimal");

const recordSchema = z.object({
  seq: count,
  at: z.iso.datetime(),
  org: z.string(),
  category: z.enum(AUDIT_CATEGORIES),
  type: z.enum(AUDIT_TYPES),
  actor: z.string(),
  resource: z.string(),
  run: z.string().optional(),
  node: z.string().optional(),
  detail: jsonObject,
  prevHash: hash,
  hash,
});

const verifySchema = z.object({
  ok: z.boolean(),
  records: count.describe("Records that are there and good"),
  checkpoints: count,
  lastSeq: count,
  key: z.string().nullable().describe("Public half of the key that signs"),
  sealedSeq: count.describe("Number of the last sealed record"),
  checkpointSeq: count.describe("Number of the last record a signed checkpoint covers"),
  firstBad: z
    .object({ what: z.string(), seq: count, line: count.describe("Of the export"), reason: z.string() })
    .optional(),
});

const NDJSON = "application/x-ndjson";

export const auditRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/audit",
    operation: "audit.list",
    summary: "Lists audit records, newest first.",
    permission: "audit:read",
    query: pageQuery.extend({
      type: z.enum(AUDIT_TYPES).optional(),
      category: z.enum(AUDIT_CATEGORIES).optional(),
      run: filterText.optional(),
    }),
    replies: { 200: { description: "One page", schema: listOf(recordSchema) } },
    handle: async ({ services, principal, query }) => {
      const { type, category, run } = query;
      const filter = {
        ...(type === undefined ? {} : { type }),
        ...(category === undefined ? {} : { category }),
        ...(run === undefined ? {} : { run }),
      };
      await services.audit.catchUp(principal.orgId);
      const page = await services.store.listAudit(principal.orgId, filter, pageOf(query));
      return json(listOnWire(page, (record) => record));
    },
  }),
  defineRoute({
    method: "GET",
    path: "/audit/export",
    operation: "audit.export",
    summary: "Exports the whole audit log with checkpoints and public key, for verifying it elsewhere.",
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
    summary: "Verifies the audit log as it is kept, and names the first bad record if there is one.",
    permission: "audit:read",
    replies: { 200: { description: "What was found", schema: verifySchema } },
    handle: async ({ services, principal }) => {
      await services.audit.catchUp(principal.orgId);
      const { ok, records, checkpoints, lastSeq, key, firstBad } = await services.audit.verify(principal.orgId);
      const { sealedSeq, checkpointSeq } = await services.audit.state(principal.orgId);
      const bad = firstBad === undefined ? {} : { firstBad };
      return json({ ok, records, checkpoints, lastSeq, key, sealedSeq, checkpointSeq, ...bad });
    },
  }),
  defineRoute({
    method: "GET",
    path: "/runs/{runId}/packet",
    operation: "runs.packet",
    summary: "Everything there is to know of a run in one file: records, verdicts, approvals, costs and events.",
    permission: "audit:read",
    answersHead: false,
    replies: { 200: { description: "The packet", schema: z.looseObject({ format: z.string() }) } },
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
  // A name that a header cannot hold is left out of it.
  const isPlain = /^[\w.-]+$/.test(name);
  return {
    "content-type": type,
    "cache-control": "no-store",
    "content-disposition": isPlain ? `attachment; filename="${name}"` : "attachment",
  };
}

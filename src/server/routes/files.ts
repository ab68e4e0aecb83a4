import type { z } from "zod";
import {
  downloadQuery,
  fileQuery,
  fileSchema,
  filesQuery,
  listOf,
  partSchema,
  storedFileSchema,
  type StoredFile,
  uploadBody,
  uploadSchema,
} from "../../contract/index.ts";
import { LIMITS } from "../../core/base/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import type { FileRecord } from "../../store/index.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { asProblem, contentOf, fileReply } from "../file-reply.ts";
import { openUpload, sentPart, uploadOnWire } from "../file-uploads.ts";
import { pageOf } from "../listing.ts";
import { Refused } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { listOnWire } from "../wire.ts";

const OCTETS = "application/octet-stream";
const ANY_TYPE = "*/*";

export const fileRoutes: readonly Route[] = [
  defineRoute({
    method: "POST",
    path: "/files/uploads",
    operation: "files.upload",
    summary:
      "Begins to send a file in parts of 8 MiB, or continues to: with its sha256, an unfinished upload is found again.",
    permission: "workflow:execute",
    body: { schema: uploadBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false },
    replies: {
      200: { description: "Content that is there already, or an upload begun before", schema: uploadSchema },
      201: { description: "The new upload", schema: uploadSchema },
    },
    handle: async ({ services, principal, body }) => {
      await services.governance.use.requireStorage(principal.orgId, body.size);
      const { upload, isNew } = await openUpload(services, principal.orgId, principal.keyId, body);
      return json(upload, isNew ? 201 : 200);
    },
  }),
  defineRoute({
    method: "GET",
    path: "/files/uploads/{uploadId}",
    operation: "files.getUpload",
    summary: "Shows which parts of an upload are there.",
    permission: "workflow:execute",
    replies: { 200: { description: "The upload", schema: uploadSchema } },
    handle: async ({ services, principal, params: { uploadId = "" } }) =>
      json(uploadOnWire(await asProblem(services.files.getUpload(principal.orgId, uploadId)))),
  }),
  defineRoute({
    method: "PUT",
    path: "/files/uploads/{uploadId}/parts/{part}",
    operation: "files.putPart",
    summary: "Sends one part, counted from 1; in any order, and again whenever it is not certain that it arrived.",
    permission: "workflow:execute",
    content: OCTETS,
    replies: { 200: { description: "What was received", schema: partSchema } },
    handle: async ({ services, principal, params: { uploadId = "", part = "" }, request }) =>
      json(await sentPart(services, principal.orgId, uploadId, part, request)),
  }),
  defineRoute({
    method: "POST",
    path: "/files/uploads/{uploadId}/complete",
    operation: "files.complete",
    summary: "Makes a file of the parts, once all of them are there and have the size and the sha256 that was said.",
    permission: "workflow:execute",
    replies: { 200: { description: "The file, as an arg or an output refers to it", schema: fileSchema } },
    handle: async ({ services, principal, params: { uploadId = "" } }) =>
      json(await asProblem(services.files.complete(principal.orgId, uploadId))),
  }),
  defineRoute({
    method: "DELETE",
    path: "/files/uploads/{uploadId}",
    operation: "files.dropUpload",
    summary: "Gives up an upload and deletes what was sent.",
    permission: "workflow:execute",
    replies: { 204: { description: "It is gone", schema: null } },
    handle: async ({ services, principal, params: { uploadId = "" } }) => {
      await asProblem(services.files.drop(principal.orgId, uploadId));
      return new Response(null, { status: 204 });
    },
  }),
  defineRoute({
    method: "POST",
    path: "/files",
    operation: "files.create",
    summary: "Sends a small file (up to 8 MiB) in one request; its Content-Type is its media type.",
    permission: "workflow:execute",
    query: fileQuery,
    content: ANY_TYPE,
    replies: { 201: { description: "The file, as an arg or an output refers to it", schema: fileSchema } },
    handle: createFile,
  }),
  defineRoute({
    method: "GET",
    path: "/files",
    operation: "files.list",
    summary: "Lists the files that are kept, newest first.",
    permission: "run:read",
    query: filesQuery,
    replies: { 200: { description: "One page", schema: listOf(storedFileSchema) } },
    handle: async ({ services, principal, query }) =>
      json(listOnWire(await services.store.listFiles(principal.orgId, pageOf(query)), fileOnWire)),
  }),
  defineRoute({
    method: "GET",
    path: "/files/{sha256}",
    operation: "files.get",
    summary: "Gives the content of a file, or a range of it.",
    permission: "run:read",
    query: downloadQuery,
    replies: {
      200: { description: "The content", schema: null, type: ANY_TYPE },
      206: { description: "The range that was asked for", schema: null, type: ANY_TYPE },
      304: { description: "It is what the client has", schema: null },
    },
    handle: async ({ services, principal, params: { sha256 = "" }, query, request }) => {
      const file = await services.store.getFile(principal.orgId, sha256);
      if (file === undefined) throw new Refused("unknown_file", `There is no file "${sha256}".`);
      return asProblem(fileReply(services, request, file, { name: query.name ?? null, mime: query.mime ?? null }));
    },
  }),
];

/** Requires the size in advance, so that nothing of a file that is too large is written. */
async function createFile(call: Call<undefined, z.output<typeof fileQuery>>): Promise<Response> {
  const { services, principal, request, query } = call;
  const declared = request.headers.get("content-length");
  if (declared === null) throw new Refused("length_required", "A Content-Length is needed; without one, send parts.");
  const size = Number(declared);
  if (size > LIMITS.filePartBytes) {
    const hint = "send it in parts: POST /files/uploads.";
    throw new Refused("file_too_large", `One request takes at most ${LIMITS.filePartBytes} bytes; ${hint}`, {
      headers: { connection: "close" },
    });
  }
  const mime = request.headers.get("content-type") ?? OCTETS;
  const file = { name: query.name, mime, size };
  return json(await asProblem(services.files.put(principal.orgId, principal.keyId, file, contentOf(request))), 201);
}

function fileOnWire({ name, mime, size, sha256, createdAt }: FileRecord): StoredFile {
  return { name, mime, size, sha256, createdAt: isoFromEpochMs(createdAt) };
}

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
      "Starts or continues the upload of a file in parts of 8 MiB. An unfinished upload is found by the sha256 of the file.",
    permission: "workflow:execute",
    body: { schema: uploadBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false },
    replies: {
      200: {
        description: "Content that is already stored, or an upload that was started before",
        schema: uploadSchema,
      },
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
    summary: "Shows which parts of an upload have arrived.",
    permission: "workflow:execute",
    replies: { 200: { description: "The upload", schema: uploadSchema } },
    handle: async ({ services, principal, params: { uploadId = "" } }) =>
      json(uploadOnWire(await asProblem(services.files.getUpload(principal.orgId, uploadId)))),
  }),
  defineRoute({
    method: "PUT",
    path: "/files/uploads/{uploadId}/parts/{part}",
    operation: "files.putPart",
    summary: "Uploads one part, counted from 1. Parts may be sent in any order and repeated.",
    permission: "workflow:execute",
    content: OCTETS,
    replies: { 200: { description: "The received part", schema: partSchema } },
    handle: async ({ services, principal, params: { uploadId = "", part = "" }, request }) =>
      json(await sentPart(services, principal.orgId, uploadId, part, request)),
  }),
  defineRoute({
    method: "POST",
    path: "/files/uploads/{uploadId}/complete",
    operation: "files.complete",
    summary: "Completes an upload when all parts have arrived and the size and sha256 are as announced.",
    permission: "workflow:execute",
    replies: { 200: { description: "The file, as the value of an arg or output", schema: fileSchema } },
    handle: async ({ services, principal, params: { uploadId = "" } }) =>
      json(await asProblem(services.files.complete(principal.orgId, uploadId))),
  }),
  defineRoute({
    method: "DELETE",
    path: "/files/uploads/{uploadId}",
    operation: "files.dropUpload",
    summary: "Cancels an upload and deletes its parts.",
    permission: "workflow:execute",
    replies: { 204: { description: "The upload is deleted", schema: null } },
    handle: async ({ services, principal, params: { uploadId = "" } }) => {
      await asProblem(services.files.drop(principal.orgId, uploadId));
      return new Response(null, { status: 204 });
    },
  }),
  defineRoute({
    method: "POST",
    path: "/files",
    operation: "files.create",
    summary: "Uploads a small file (up to 8 MiB) in one request. Its Content-Type is the media type of the file.",
    permission: "workflow:execute",
    query: fileQuery,
    content: ANY_TYPE,
    replies: { 201: { description: "The file, as the value of an arg or output", schema: fileSchema } },
    handle: createFile,
  }),
  defineRoute({
    method: "GET",
    path: "/files",
    operation: "files.list",
    summary: "Lists the stored files, newest first.",
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
    summary: "Returns the content of a file, or a range of it.",
    permission: "run:read",
    query: downloadQuery,
    replies: {
      200: { description: "The content", schema: null, type: ANY_TYPE },
      206: { description: "The requested range", schema: null, type: ANY_TYPE },
      304: { description: "The content is the one that the client already has", schema: null },
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

import { uploadBody } from "../contract/index.ts";
import type { AttemptAddress } from "../core/event/index.ts";
import { findRunFile } from "../files/index.ts";
import { BODY_BYTES_MAX, JSON_TYPE, parseJson, readBody } from "./body.ts";
import { asProblem, fileReply } from "./file-reply.ts";
import { openUpload, sentPart } from "./file-uploads.ts";
import type { OpenRoute } from "./open-routes.ts";
import { Refused } from "./problem.ts";
import { json, type Services } from "./route.ts";
import { readShape } from "./shape.ts";

export const ATTEMPT_FILES_PATH = "/api/v1/attempt-files";

/** Routes for the files of one attempt. The Bridge of the attempt uses a signed address, valid while the attempt is open. */
export const ATTEMPT_FILE_ROUTES: readonly OpenRoute[] = [
  { method: "GET", path: `${ATTEMPT_FILES_PATH}/{token}/{sha256}`, handle: readFile },
  { method: "POST", path: `${ATTEMPT_FILES_PATH}/{token}/uploads`, handle: beginUpload },
  { method: "PUT", path: `${ATTEMPT_FILES_PATH}/{token}/uploads/{uploadId}/parts/{part}`, handle: putPart },
  { method: "POST", path: `${ATTEMPT_FILES_PATH}/{token}/uploads/{uploadId}/complete`, handle: completeUpload },
];

async function readFile(services: Services, request: Request): Promise<Response> {
  const { orgId, runId, rest } = await attemptOf(services, request);
  const file = await asProblem(findRunFile(services.store, orgId, runId, rest[0] ?? ""));
  return asProblem(fileReply(services, request, file, { name: null, mime: null }));
}

async function beginUpload(services: Services, request: Request): Promise<Response> {
  const { orgId, runId } = await attemptOf(services, request);
  const rule = { bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false };
  const body = readShape(uploadBody, parseJson((await readBody(request, rule)).bytes));
  const { upload, isNew } = await openUpload(services, orgId, runId, body);
  return json(upload, isNew ? 201 : 200);
}

async function putPart(services: Services, request: Request): Promise<Response> {
  const { orgId, runId, rest } = await attemptOf(services, request);
  const [, uploadId = "", , part = ""] = rest;
  await requireOwn(services, orgId, runId, uploadId);
  return json(await sentPart(services, orgId, uploadId, part, request));
}

async function completeUpload(services: Services, request: Request): Promise<Response> {
  const { orgId, runId, rest } = await attemptOf(services, request);
  const [, uploadId = ""] = rest;
  await requireOwn(services, orgId, runId, uploadId);
  return json(await asProblem(services.files.complete(orgId, uploadId)));
}

/** An upload of another run is reported as unknown. */
async function requireOwn({ files }: Services, orgId: string, runId: string, uploadId: string): Promise<void> {
  const { createdBy } = await asProblem(files.getUpload(orgId, uploadId));
  if (createdBy !== runId) throw new Refused("unknown_upload", `There is no upload "${uploadId}".`);
}

interface Attempt extends AttemptAddress {
  readonly orgId: string;
  /** The path segments after the token. */
  readonly rest: readonly string[];
}

async function attemptOf({ gateways, runtime, config }: Services, request: Request): Promise<Attempt> {
  const [token = "", ...rest] = new URL(request.url).pathname.slice(ATTEMPT_FILES_PATH.length + 1).split("/");
  const reading = gateways.tickets.read(token, config.now(), "files");
  if (reading.kind === "bad") throw new Refused("bad_ticket", "This address was not given out by this server.");
  const ended = new Refused("ticket_expired", "The attempt this address was given out for has ended.");
  if (reading.kind === "expired") throw ended;
  const { orgId, runId, nodeId, attempt } = reading.ticket;
  const address = { runId, nodeId, attempt };
  if ((await runtime.stream({ orgId }, address, [])) !== "received") throw ended;
  return { orgId, ...address, rest };
}

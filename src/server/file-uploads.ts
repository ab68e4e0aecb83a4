import type { z } from "zod";
import type { Part, Upload, uploadBody } from "../contract/index.ts";
import { filePartCount, type FileValue, LIMITS } from "../core/base/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import { UNUSED_FILE_MS, type UploadRecord } from "../store/index.ts";
import { asProblem, contentOf } from "./file-reply.ts";
import type { Services } from "./route.ts";

/** Begins an upload, or returns the one already begun, or reports that the content is already stored. */
export async function openUpload(
  { files }: Pick<Services, "files">,
  orgId: string,
  by: string,
  { name, mime, size, sha256 }: z.output<typeof uploadBody>,
): Promise<{ readonly upload: Upload; readonly isNew: boolean }> {
  const begun = await asProblem(files.begin(orgId, by, { name, mime, size, sha256: sha256 ?? null }));
  if (!("parts" in begun)) return { upload: completeOnWire(begun), isNew: false };
  return { upload: uploadOnWire(begun), isNew: begun.parts.length === 0 };
}

export async function sentPart(
  { files }: Pick<Services, "files">,
  orgId: string,
  uploadId: string,
  part: string,
  request: Request,
): Promise<Part> {
  const number = /^[1-9]\d{0,5}$/.test(part) ? Number(part) : 0;
  const sent = await asProblem(files.putPart(orgId, uploadId, number, contentOf(request)));
  return { part: sent.part, size: sent.size, sha256: sent.sha256 };
}

export function uploadOnWire({ id, size, parts, createdAt, completed, name, mime }: UploadRecord): Upload {
  if (completed !== null) return { ...completeOnWire({ name, mime, size, sha256: completed }), id };
  return {
    id,
    partSize: LIMITS.filePartBytes,
    partCount: filePartCount(size),
    received: parts.map(({ part }) => part),
    expiresAt: isoFromEpochMs(createdAt + UNUSED_FILE_MS),
    file: null,
  };
}

function completeOnWire(file: FileValue): Upload {
  const partCount = filePartCount(file.size);
  const received = Array.from({ length: partCount }, (_, index) => index + 1);
  return { id: null, partSize: LIMITS.filePartBytes, partCount, received, expiresAt: null, file };
}

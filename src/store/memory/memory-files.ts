import { compareCodeUnits, type FileValue } from "../../core/base/index.ts";
import { type FileRecord, type FileStore, UNUSED_FILE_MS, type UploadRecord } from "../file-store.ts";
import type { RunCommit } from "../store.ts";
import { newestFirst } from "./memory-runs.ts";
import { copy, keyOf, type MemoryWorld } from "./memory-world.ts";

/** File data of a memory store. */
export interface MemoryFiles {
  readonly files: Map<string, FileRecord & { claimedAt: number }>;
  readonly uploads: Map<string, UploadRecord>;
  /** By organisation, hash, run and name. */
  readonly references: Map<string, FileValue & { readonly orgId: string; readonly runId: string }>;
  readonly garbage: Set<string>;
}

export function createMemoryFiles(): MemoryFiles {
  return { files: new Map(), uploads: new Map(), references: new Map(), garbage: new Set() };
}

export function memoryFiles(world: MemoryWorld): FileStore {
  return { ...memoryUploads(world), ...memoryKeptFiles(world) };
}

type UploadOperation = "openUpload" | "getUpload" | "putPart" | "completeUpload" | "dropUpload";

function memoryUploads(world: MemoryWorld): Pick<FileStore, UploadOperation> {
  const { files, uploads, garbage } = world.files;
  const uploadOf = (orgId: string, id: string): UploadRecord | undefined => {
    const upload = uploads.get(id);
    return upload?.orgId === orgId ? upload : undefined;
  };
  return {
    openUpload: async (upload) => {
      for (const open of uploads.values()) if (isSameContent(open, upload)) return copy(open);
      const made: UploadRecord = { ...upload, parts: [], completed: null };
      uploads.set(upload.id, made);
      return copy(made);
    },
    getUpload: async (orgId, uploadId) => {
      const upload = uploadOf(orgId, uploadId);
      return upload === undefined ? undefined : copy(upload);
    },
    putPart: async (orgId, uploadId, part) => {
      const upload = uploadOf(orgId, uploadId);
      if (upload === undefined || upload.completed !== null) return undefined;
      const others = upload.parts.filter((one) => one.part !== part.part);
      uploads.set(uploadId, { ...upload, parts: [...others, { ...part }].sort((a, b) => a.part - b.part) });
      return { replaced: upload.parts.find((one) => one.part === part.part)?.object ?? null };
    },
    completeUpload: async (orgId, uploadId, { sha256, parts }) => {
      const upload = uploadOf(orgId, uploadId);
      const made = upload?.completed === sha256 ? files.get(keyOf(orgId, sha256)) : undefined;
      if (made !== undefined) return fileOf(made);
      if (upload === undefined || upload.completed !== null) return undefined;
      if (JSON.stringify(upload.parts.map(({ object }) => object)) !== JSON.stringify(parts)) {
        return undefined;
      }
      const key = keyOf(orgId, sha256);
      const { name, mime, size, place } = upload;
      const before = files.get(key);
      const now = world.now();
      if (before === undefined) {
        files.set(key, { orgId, sha256, size, name, mime, place, parts: [...parts], createdAt: now, claimedAt: now });
      } else {
        before.claimedAt = now;
        if (before.place !== place) garbage.add(place);
      }
      uploads.set(uploadId, { ...upload, completed: sha256 });
      const file = files.get(key);
      return file === undefined ? undefined : fileOf(file);
    },
    dropUpload: async (orgId, uploadId) => {
      const upload = uploadOf(orgId, uploadId);
      if (upload === undefined || upload.completed !== null) return false;
      uploads.delete(uploadId);
      garbage.add(upload.place);
      return true;
    },
  };
}

function memoryKeptFiles(world: MemoryWorld): Omit<FileStore, UploadOperation> {
  const { files, references, garbage } = world.files;
  return {
    getFile: async (orgId, sha256) => {
      const file = files.get(keyOf(orgId, sha256));
      return file === undefined ? undefined : fileOf(file);
    },
    claimFiles: async (orgId, hashes) =>
      [...new Set(hashes)].sort(compareCodeUnits).flatMap((sha256) => {
        const file = files.get(keyOf(orgId, sha256));
        if (file === undefined) return [];
        file.claimedAt = world.now();
        return [fileOf(file)];
      }),
    listFiles: async (orgId, page) =>
      newestFirst(
        [...files.values()].filter((file) => file.orgId === orgId).map(fileOf),
        page,
        ({ createdAt, sha256 }) => ({ at: createdAt, id: sha256 }),
      ),
    listRunFiles: async (orgId, runId) =>
      [...references.values()]
        .filter((one) => one.orgId === orgId && one.runId === runId)
        .map(({ name, mime, size, sha256 }) => ({ name, mime, size, sha256 }))
        .sort((left, right) => compareCodeUnits(left.name, right.name) || compareCodeUnits(left.sha256, right.sha256)),
    sweepFiles: async (limit) => sweep(world, limit),
    listFileGarbage: async (limit) => [...garbage].sort(compareCodeUnits).slice(0, limit),
    clearFileGarbage: async (places) => {
      for (const place of places) garbage.delete(place);
    },
  };
}

function fileOf({ claimedAt: _claimedAt, ...file }: FileRecord & { claimedAt: number }): FileRecord {
  return copy(file);
}

function isSameContent(
  open: UploadRecord,
  { orgId, sha256, size, name, mime, createdBy }: Omit<UploadRecord, "parts" | "completed">,
): boolean {
  if (sha256 === null || open.completed !== null || open.orgId !== orgId) return false;
  return (
    open.sha256 === sha256 &&
    open.size === size &&
    open.name === name &&
    open.mime === mime &&
    open.createdBy === createdBy
  );
}

function sweep({ files: { files, uploads, references, garbage }, runs, now }: MemoryWorld, limit: number): number {
  const before = now() - UNUSED_FILE_MS;
  for (const [key, { runId }] of references) if (!runs.has(runId)) references.delete(key);
  const used = new Set([...references.values()].map(({ orgId, sha256 }) => keyOf(orgId, sha256)));
  const unused = [...files].filter(([key, { claimedAt }]) => claimedAt < before && !used.has(key)).slice(0, limit);
  for (const [key, { place }] of unused) {
    files.delete(key);
    garbage.add(place);
  }
  const expired = [...uploads.values()].filter(({ createdAt }) => createdAt < before).slice(0, limit);
  for (const { id, place, completed } of expired) {
    uploads.delete(id);
    if (completed === null) garbage.add(place);
  }
  return unused.length + expired.length;
}

/** Writes references to files. Only existing content can be referred to. */
export function writeFileReferences({ files: { files, references } }: MemoryWorld, commit: RunCommit): void {
  const { runId, orgId } = commit;
  for (const { name, mime, size, sha256 } of commit.files) {
    if (!files.has(keyOf(orgId, sha256))) continue;
    const key = keyOf(orgId, sha256, runId, name);
    if (!references.has(key)) references.set(key, { orgId, runId, name, mime, size, sha256 });
  }
}

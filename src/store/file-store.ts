import type { FileValue } from "../core/base/index.ts";
import type { Listed, Page } from "./store.ts";

/** What is known of files. Their content is kept elsewhere, in parts, at a place that the rows name. */
export interface FileStore {
  /** A new upload; or the one that is open already for the same content by the same caller. */
  openUpload(upload: NewUpload): Promise<UploadRecord>;
  getUpload(orgId: string, uploadId: string): Promise<UploadRecord | undefined>;
  /**
   * Replaces what was sent before as the same part, and returns the object that held it, if there was one. Undefined:
   * there is no such upload, or it is complete.
   */
  putPart(orgId: string, uploadId: string, part: UploadPart): Promise<{ readonly replaced: string | null } | undefined>;
  /**
   * Makes a file of the parts of an upload, once, if these objects are its parts still. Content that is there already is kept
   * once, and the new copy is garbage. Undefined: there is no such upload, or a part of it has changed since.
   */
  completeUpload(
    orgId: string,
    uploadId: string,
    done: { readonly sha256: string; readonly parts: readonly string[] },
  ): Promise<FileRecord | undefined>;
  /** Its parts become garbage. A completed one stays. */
  dropUpload(orgId: string, uploadId: string): Promise<boolean>;
  getFile(orgId: string, sha256: string): Promise<FileRecord | undefined>;
  /** Those of them that there are, which are not garbage for a day from now on, also without a run. */
  claimFiles(orgId: string, hashes: readonly string[]): Promise<readonly FileRecord[]>;
  /** Newest first. */
  listFiles(orgId: string, page: Page): Promise<Listed<FileRecord>>;
  /** Under which names a run refers to files. */
  listRunFiles(orgId: string, runId: string): Promise<readonly FileValue[]>;
  /**
   * Moves to the garbage, at most so many each: files that no run refers to and that were not claimed for a day, and
   * uploads that have expired. Returns how many. Runs that are gone refer to nothing.
   */
  sweepFiles(limit: number): Promise<number>;
  /** Places whose content can be deleted; each stays listed until it is said to be deleted. */
  listFileGarbage(limit: number): Promise<readonly string[]>;
  clearFileGarbage(places: readonly string[]): Promise<void>;
}

/** How long a file without a run, and an upload without an end, is kept. */
export const UNUSED_FILE_MS = 24 * 3_600_000;

export interface FileRecord extends FileValue {
  readonly orgId: string;
  /** Where its parts are. */
  readonly place: string;
  /** The objects that hold its parts, in order. */
  readonly parts: readonly string[];
  readonly createdAt: number;
}

export interface NewUpload {
  readonly id: string;
  readonly orgId: string;
  readonly name: string;
  readonly mime: string;
  readonly size: number;
  /** What the content is said to hash to; null: it is not said. */
  readonly sha256: string | null;
  readonly place: string;
  readonly createdBy: string;
  readonly createdAt: number;
}

export interface UploadRecord extends NewUpload {
  /** In order of their numbers. */
  readonly parts: readonly UploadPart[];
  /** The hash of the file it became; null: it is open. */
  readonly completed: string | null;
}

export interface UploadPart {
  /** From 1. */
  readonly part: number;
  readonly size: number;
  readonly sha256: string;
  /** What holds it, at the place of the upload; another one each time it is sent. */
  readonly object: string;
}

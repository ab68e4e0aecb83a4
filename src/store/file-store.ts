import type { FileValue } from "../core/base/index.ts";
import type { Listed, Page } from "./store.ts";

/** Metadata of files. The content is kept elsewhere, in parts, at a place that the rows name. */
export interface FileStore {
  /** Opens an upload, or returns the one already open for the same content by the same caller. */
  openUpload(upload: NewUpload): Promise<UploadRecord>;
  getUpload(orgId: string, uploadId: string): Promise<UploadRecord | undefined>;
  /**
   * Stores a part and replaces an earlier one with the same number. Returns the object that held the earlier part, if
   * any. Undefined when the upload does not exist or is complete.
   */
  putPart(orgId: string, uploadId: string, part: UploadPart): Promise<{ readonly replaced: string | null } | undefined>;
  /**
   * Makes a file of the parts of an upload, once, if these objects are still its parts. Content that exists already is
   * kept once, and the new copy becomes garbage. Undefined when the upload does not exist or a part has changed.
   */
  completeUpload(
    orgId: string,
    uploadId: string,
    done: { readonly sha256: string; readonly parts: readonly string[] },
  ): Promise<FileRecord | undefined>;
  /** Deletes an upload; its parts become garbage. A completed upload stays. */
  dropUpload(orgId: string, uploadId: string): Promise<boolean>;
  getFile(orgId: string, sha256: string): Promise<FileRecord | undefined>;
  /** Returns the existing files of these hashes, and protects them from the sweep for a day, even without a run. */
  claimFiles(orgId: string, hashes: readonly string[]): Promise<readonly FileRecord[]>;
  /** Newest first. */
  listFiles(orgId: string, page: Page): Promise<Listed<FileRecord>>;
  /** Returns the files a run refers to, each with its name. */
  listRunFiles(orgId: string, runId: string): Promise<readonly FileValue[]>;
  /**
   * Moves unused content to the garbage: files that no run refers to and that were not claimed for a day, and expired
   * uploads, at most `limit` of each. Returns how many. Deleted runs refer to nothing.
   */
  sweepFiles(limit: number): Promise<number>;
  /** Returns places whose content can be deleted. Each stays listed until it is reported as deleted. */
  listFileGarbage(limit: number): Promise<readonly string[]>;
  clearFileGarbage(places: readonly string[]): Promise<void>;
}

/** Time for which a file without a run, or an incomplete upload, is kept. */
export const UNUSED_FILE_MS = 24 * 3_600_000;

export interface FileRecord extends FileValue {
  readonly orgId: string;
  /** Location of its parts. */
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
  /** Hash of the content as declared by the sender; null when none was declared. */
  readonly sha256: string | null;
  readonly place: string;
  readonly createdBy: string;
  readonly createdAt: number;
}

export interface UploadRecord extends NewUpload {
  /** Parts, ordered by number. */
  readonly parts: readonly UploadPart[];
  /** Hash of the file made from the upload; null while the upload is open. */
  readonly completed: string | null;
}

export interface UploadPart {
  /** Part number, counted from 1. */
  readonly part: number;
  readonly size: number;
  readonly sha256: string;
  /** The object that holds the part, at the place of the upload. Each time the part is sent, the object is a new one. */
  readonly object: string;
}

import { createHash, randomBytes } from "node:crypto";
import {
  fileMimeProblem,
  fileNameProblem,
  filePartCount,
  filePartSize,
  fileSizeProblem,
  type FileValue,
  isFileHash,
  LIMITS,
} from "../core/base/index.ts";
import type { FileRecord, FileStore, UploadPart, UploadRecord } from "../store/index.ts";
import { FileRefusal, refusalOf } from "./file-refusal.ts";
import { type ObjectStore, ObjectsUnavailable } from "./object-store.ts";
import { counted, hashed } from "./part-content.ts";
import { PartedContent } from "./pieces.ts";
import { SealedObjects } from "./sealed-objects.ts";

export interface FilesOptions {
  readonly store: FileStore;
  readonly objects: ObjectStore;
  /** Encrypts stored content; null when content is stored unencrypted. */
  readonly secretKey: string | null;
  /** Earlier keys, which still decrypt content encrypted with them. */
  readonly formerKeys?: readonly string[];
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** A file about to be uploaded. */
export type NewFile = Pick<FileValue, "name" | "mime" | "size"> & { readonly sha256: string | null };

/** Interval between searches for unused files. Files already found are deleted in every round. */
const SWEEP_MS = 600_000;
const SEALED = "sealed";
const PLAIN = "plain";

/**
 * Files of organisations: rows in the store, content as parts in the object store. An invalid file throws `FileRefusal`
 * before any of it takes effect. Files are streamed and never held in memory whole.
 */
export class Files {
  readonly #options: FilesOptions;
  readonly #sealed: SealedObjects | null;
  #sweptAt = 0;

  constructor(options: FilesOptions) {
    this.#options = options;
    const { objects, secretKey, formerKeys = [] } = options;
    this.#sealed = secretKey === null ? null : new SealedObjects(objects, secretKey, formerKeys);
  }

  /** The same content, with rows in another store. */
  withStore(store: FileStore): Files {
    return new Files({ ...this.#options, store });
  }

  /** Returns the file when its content is stored already. Otherwise returns a new upload, or one the same caller has begun for it. */
  async begin(orgId: string, createdBy: string, file: NewFile): Promise<FileValue | UploadRecord> {
    requireFile(file);
    const { name, mime, size, sha256 } = file;
    const [known] = sha256 === null ? [] : await this.#options.store.claimFiles(orgId, [sha256]);
    if (sha256 === null || known === undefined) return this.#open(orgId, createdBy, file);
    if (known.size === size) return { name, mime, size, sha256 };
    throw new FileRefusal("size_mismatch", `The content with this sha256 has ${known.size} bytes, not ${size}.`);
  }

  #open(orgId: string, createdBy: string, { name, mime, size, sha256 }: NewFile): Promise<UploadRecord> {
    const id = `up_${randomBytes(12).toString("hex")}`;
    const place = `${this.#sealed === null ? PLAIN : SEALED}/${randomBytes(16).toString("hex")}`;
    const createdAt = this.#options.now();
    return this.#options.store.openUpload({ id, orgId, name, mime, size, sha256, place, createdBy, createdAt });
  }

  async getUpload(orgId: string, uploadId: string): Promise<UploadRecord> {
    const upload = await this.#options.store.getUpload(orgId, uploadId);
    if (upload === undefined) throw unknownUpload(uploadId);
    return upload;
  }

  /** Stores a part. A part that is sent again replaces the earlier one. */
  async putPart(
    orgId: string,
    uploadId: string,
    part: number,
    content: AsyncIterable<Uint8Array>,
  ): Promise<UploadPart> {
    const upload = await this.getUpload(orgId, uploadId);
    if (upload.completed !== null) throw completedUpload(uploadId);
    const size = filePartSize(upload.size, part);
    if (size === undefined) {
      const count = filePartCount(upload.size);
      throw new FileRefusal("unknown_part", `The upload has the parts 1 to ${count}, not ${part}.`);
    }
    const { objects, store } = this.#options;
    const object = `${part}-${randomBytes(8).toString("hex")}`;
    const hash = createHash("sha256");
    await this.#put(upload.place, object, size, counted(content, part, size, hash));
    const sent = { part, size, sha256: hash.digest("hex"), object };
    const written = await store.putPart(orgId, uploadId, sent);
    const unneeded = written === undefined ? object : written.replaced;
    // A repeated write replaces the part with itself. The object must then not be removed.
    const isOwn = written !== undefined && unneeded === object;
    if (unneeded !== null && !isOwn) await objects.remove(`${upload.place}/${unneeded}`);
    if (written === undefined) throw completedUpload(uploadId);
    return sent;
  }

  /** Turns an upload into a file once all parts are present and match the declared hash. A repeated call returns the same file. */
  async complete(orgId: string, uploadId: string): Promise<FileValue> {
    const upload = await this.getUpload(orgId, uploadId);
    const { completed, parts } = upload;
    if (completed !== null) return this.#requireFile(upload, completed);
    const sent = new Set(parts.map(({ part }) => part));
    const missing = Array.from({ length: filePartCount(upload.size) }, (_, at) => at + 1).filter((n) => !sent.has(n));
    if (missing.length > 0) {
      const listed = `${missing.slice(0, 10).join(", ")}${missing.length > 10 ? ", …" : ""}`;
      throw new FileRefusal(
        "upload_incomplete",
        `Of ${filePartCount(upload.size)} parts these are missing: ${listed}.`,
      );
    }
    const [only] = parts;
    const sha256 = only !== undefined && parts.length === 1 ? only.sha256 : await this.#hashOf(upload);
    return this.#finish(upload, sha256);
  }

  async drop(orgId: string, uploadId: string): Promise<void> {
    const { completed } = await this.getUpload(orgId, uploadId);
    if (completed !== null) throw completedUpload(uploadId);
    await this.#options.store.dropUpload(orgId, uploadId);
  }

  /** Uploads a whole file from a stream. */
  async put(
    orgId: string,
    createdBy: string,
    file: Pick<FileValue, "name" | "mime" | "size">,
    content: AsyncIterable<Uint8Array>,
  ): Promise<FileValue> {
    const made = { ...file, sha256: null };
    requireFile(made);
    const upload = await this.#open(orgId, createdBy, made);
    const parted = new PartedContent(content);
    const hash = createHash("sha256");
    try {
      for (let part = 1; part <= filePartCount(file.size); part += 1) {
        const piece = hashed(parted.take(LIMITS.filePartBytes), hash);
        await this.putPart(orgId, upload.id, part, piece);
      }
      if (await parted.hasMore()) throw new FileRefusal("size_mismatch", `The file has more than ${file.size} bytes.`);
      return await this.#finish(await this.getUpload(orgId, upload.id), hash.digest("hex"));
    } catch (thrown) {
      await this.#options.store.dropUpload(orgId, upload.id).catch(() => undefined);
      throw thrown;
    } finally {
      await parted.close().catch(() => undefined);
    }
  }

  /** Reads `length` bytes of a file, starting at an offset. */
  async *read(
    file: Pick<FileRecord, "size" | "place" | "parts">,
    from = 0,
    length = file.size,
  ): AsyncIterable<Uint8Array> {
    const end = Math.min(file.size, from + length);
    for (let at = from; at < end;) {
      const index = Math.floor(at / LIMITS.filePartBytes);
      const within = at - index * LIMITS.filePartBytes;
      const size = filePartSize(file.size, index + 1) ?? 0;
      const wanted = Math.min(size - within, end - at);
      yield* this.#read(`${file.place}/${file.parts[index] ?? ""}`, size, within, wanted);
      at += wanted;
    }
  }

  /** Deletes files that no run needs any more. Safe on any number of replicas. */
  async sweep(limit: number): Promise<void> {
    const { store, objects, now } = this.#options;
    if (now() - this.#sweptAt >= SWEEP_MS) {
      // The search also reads the files of runs, so it must not run too often.
      if ((await store.sweepFiles(limit)) < limit) this.#sweptAt = now();
    }
    const places = await store.listFileGarbage(limit);
    for (const place of places) await objects.remove(place);
    if (places.length > 0) await store.clearFileGarbage(places);
  }

  async #finish(upload: UploadRecord, sha256: string): Promise<FileValue> {
    if (upload.sha256 !== null && upload.sha256 !== sha256) {
      const said = `The content has the sha256 ${sha256}, not ${upload.sha256} as was said.`;
      throw new FileRefusal("hash_mismatch", `${said} Send the parts again, or begin another upload.`);
    }
    const parts = upload.parts.map(({ object }) => object);
    const file = await this.#options.store.completeUpload(upload.orgId, upload.id, { sha256, parts });
    if (file !== undefined) return valueOf(upload, sha256);
    await this.getUpload(upload.orgId, upload.id);
    throw new FileRefusal(
      "upload_incomplete",
      "A part was sent again while the upload was completed; complete it again.",
    );
  }

  async #hashOf(upload: UploadRecord): Promise<string> {
    const hash = createHash("sha256");
    const { size, place, parts } = upload;
    for await (const piece of this.read({ size, place, parts: parts.map(({ object }) => object) })) hash.update(piece);
    return hash.digest("hex");
  }

  async #requireFile(upload: UploadRecord, sha256: string): Promise<FileValue> {
    const file = await this.#options.store.getFile(upload.orgId, sha256);
    if (file === undefined) throw unknownUpload(upload.id);
    return valueOf(upload, sha256);
  }

  async #put(place: string, object: string, size: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    const key = `${place}/${object}`;
    const sealed = this.#sealing(place);
    await available(() =>
      sealed === null ? this.#options.objects.put(key, size, content) : sealed.put(key, size, content),
    );
  }

  async *#read(key: string, size: number, from: number, length: number): AsyncIterable<Uint8Array> {
    const sealed = this.#sealing(key);
    const content =
      sealed === null ? this.#options.objects.read(key, from, length) : sealed.read(key, size, from, length);
    const pieces = content[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await available(() => pieces.next());
        if (done === true) return;
        yield value;
      }
    } finally {
      await pieces.return?.();
    }
  }

  /** Whether content is sealed is recorded in its place, and does not change with later settings. */
  #sealing(place: string): SealedObjects | null {
    if (!place.startsWith(`${SEALED}/`)) return null;
    if (this.#sealed !== null) return this.#sealed;
    throw new FileRefusal("file_store_unavailable", "The content is encrypted, and SLUICE_SECRET_KEY is not set here.");
  }
}

function requireFile({ name, mime, size, sha256 }: NewFile): void {
  const problem = fileNameProblem(name) ?? fileMimeProblem(mime) ?? fileSizeProblem(size);
  if (problem !== null) throw refusalOf(problem);
  if (sha256 === null || isFileHash(sha256)) return;
  throw new FileRefusal("bad_hash", "The sha256 of the file must be 64 hexadecimal digits in lower case.");
}

/** Equal content is stored once, but each caller keeps its own name for the file. */
function valueOf({ name, mime, size }: UploadRecord, sha256: string): FileValue {
  return { name, mime, size, sha256 };
}

function unknownUpload(uploadId: string): FileRefusal {
  return new FileRefusal("unknown_upload", `There is no upload "${uploadId}"; unfinished ones are kept for a day.`);
}

function completedUpload(uploadId: string): FileRefusal {
  return new FileRefusal(
    "upload_completed",
    `The upload "${uploadId}" is complete, or was dropped; begin another one.`,
  );
}

async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof ObjectsUnavailable)) throw thrown;
    throw new FileRefusal("file_store_unavailable", `The file store does not answer: ${thrown.message}.`, {
      cause: thrown,
    });
  }
}

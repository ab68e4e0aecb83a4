import type {
  FileReference,
  ListPage,
  PageOptions,
  Part,
  StoredFile,
  Upload,
  UploadRequest,
} from "../contract/index.ts";
import { ApiError, brokenAnswer } from "./api-error.ts";
import type { Requests, Needs } from "./caller.ts";
import { encode } from "./query.ts";

const UPLOAD: Needs = ["id", "partSize", "partCount", "received", "file"];
const PART: Needs = ["part", "size", "sha256"];
const FILE: Needs = ["name", "mime", "size", "sha256"];

/** A file to upload. Any part of it can be read at any time. */
export interface FileSource extends UploadRequest {
  /** Returns the bytes between two offsets, without the byte at the end offset. */
  read(from: number, to: number): Promise<Uint8Array<ArrayBuffer>>;
}

export interface UploadOptions {
  /** Called when bytes have arrived. Counts the bytes of earlier tries too. */
  readonly onProgress?: (sentBytes: number) => void;
  readonly signal?: AbortSignal;
}

/** Milliseconds before each repeated try of a part. After the last one the upload fails, and can be continued later. */
const PAUSES_MS = [200, 500, 1_000, 2_000, 4_000, 8_000, 15_000] as const;

/** Part of the API for files. */
export class FileClient {
  readonly #requests: Requests;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  /** Lists the stored files, newest first. */
  list(page: PageOptions = {}): Promise<ListPage<StoredFile>> {
    return this.#requests.list("/files", { query: { ...page } });
  }

  /** Streams the content of a file. The caller checks by its hash that the content is complete. */
  download(sha256: string): Promise<ReadableStream<Uint8Array>> {
    return this.#requests.read(`/files/${encode(sha256)}?mime=application%2Foctet-stream`, {
      take: () => undefined,
      isWhole: () => true,
    });
  }

  begin(request: UploadRequest): Promise<Upload> {
    return this.#requests.ask("POST", "/files/uploads", { body: request }, UPLOAD);
  }

  putPart(uploadId: string, part: number, bytes: Uint8Array<ArrayBuffer>): Promise<Part> {
    return this.#requests.ask("PUT", `/files/uploads/${encode(uploadId)}/parts/${part}`, { bytes }, PART);
  }

  complete(uploadId: string): Promise<FileReference> {
    return this.#requests.ask("POST", `/files/uploads/${encode(uploadId)}/complete`, {}, FILE);
  }

  /** Uploads a file part by part. Skips parts that arrived earlier, and repeats parts that did not arrive. */
  async upload(source: FileSource, { onProgress, signal }: UploadOptions = {}): Promise<FileReference> {
    const { name, mime, size, sha256 } = source;
    const request = {
      name,
      size,
      ...(mime === undefined ? {} : { mime }),
      ...(sha256 === undefined ? {} : { sha256 }),
    };
    // The first request is not repeated, so an unreachable server fails at once. Later requests wait for the server to return.
    const { id, partSize, partCount, received, file } = await this.begin(request);
    if (file !== null) {
      onProgress?.(size);
      return file;
    }
    if (id === null) throw brokenAnswer("", "answered with neither an upload nor a stored file", { status: 200 });
    const bytesOf = (part: number): number => Math.min(size, part * partSize) - (part - 1) * partSize;
    let sent = received.reduce((sum, part) => sum + bytesOf(part), 0);
    onProgress?.(sent);
    for (let part = 1; part <= partCount; part += 1) {
      if (received.includes(part)) continue;
      const from = (part - 1) * partSize;
      const bytes = await source.read(from, from + bytesOf(part));
      await retryUntilDone(() => this.putPart(id, part, bytes), signal);
      sent += bytes.byteLength;
      onProgress?.(sent);
    }
    return retryUntilDone(() => this.complete(id), signal);
  }
}

/** Repeats a request until it succeeds or the pauses are used up. The server accepts the same part or completion any number of times. */
async function retryUntilDone<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (const pause of PAUSES_MS) {
    signal?.throwIfAborted();
    try {
      return await work();
    } catch (thrown) {
      const isPassing =
        thrown instanceof ApiError && (thrown.status === 0 || thrown.status === 429 || thrown.status >= 500);
      if (!isPassing) throw thrown;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, pause);
    });
  }
  return work();
}

import type { AdapterFiles } from "../adapter/index.ts";
import type { Clock } from "../clock/index.ts";
import { filePartCount, filePartSize, type FileValue, isFileValue, type Json } from "../core/base/index.ts";
import { openPeerStream, type PeerAgent, type PeerFailure, type PeerReply, requestPeer } from "../outbound/index.ts";
import { pause } from "./pause.ts";

const TIMEOUT_MS = 60_000;
const REPLY_BYTES_MAX = 65_536;
/** Delays between tries of a request, which can always be repeated. The last one is used for all later tries. */
const PAUSES_MS = [200, 1_000, 4_000, 5_000] as const;
/** Maximum number of tries when the server answers with an error that may be temporary. */
const TRIES_MAX = 4;

/** An error of the server about a file, or a missing answer. */
class FileError extends Error {
  override readonly name = "FileError";
  readonly code: string;
  /** True when the server answers, but the content of the file is not available. */
  readonly isOfContent: boolean;

  constructor(code: string, message: string, isOfContent = false) {
    super(message);
    this.code = code;
    this.isOfContent = isOfContent;
  }
}

interface RemoteContext {
  readonly agent: PeerAgent;
  readonly clock: Pick<Clock, "after">;
  /** The signal of the dispatch. */
  readonly signal: AbortSignal;
}

/**
 * Reads and writes the files of an attempt on a remote server, at the URL that it issued for this attempt. While the
 * server or its database is unavailable, requests are repeated until the dispatch ends.
 */
export function remoteFiles(url: string, context: RemoteContext): AdapterFiles {
  const ask = (method: string, path: string, body?: Uint8Array | string): Promise<Json> =>
    askAgain(() => requestPeer(`${url}/${path}`, requestOf(method, body, context)), context);
  return {
    read: (file) => readFile(`${url}/${file.sha256}`, file, context),
    write: async ({ name, mime, size }, content) => {
      const { id } = (await ask("POST", "uploads", JSON.stringify({ name, mime, size }))) as { readonly id: string };
      let part = 0;
      for await (const bytes of partsOf(content, size)) {
        part += 1;
        await ask("PUT", `uploads/${id}/parts/${part}`, bytes);
      }
      const file = await ask("POST", `uploads/${id}/complete`);
      if (isFileValue(file)) return file;
      throw new FileError("file_store_unavailable", "The server did not say what became of the file.");
    },
  };
}

function requestOf(method: string, body: Uint8Array | string | undefined, { agent, signal }: RemoteContext) {
  const type = typeof body === "string" ? "application/json" : "application/octet-stream";
  const sent = body === undefined ? {} : { body, headers: { "content-type": type } };
  return { method, ...sent, agent, signal, timeoutMs: TIMEOUT_MS, bytesMax: REPLY_BYTES_MAX };
}

async function* readFile(url: string, { size }: FileValue, context: RemoteContext): AsyncIterable<Uint8Array> {
  const { agent, signal } = context;
  const tries = new Tries(context);
  // An interrupted download continues from the same position.
  for (let at = 0; at < size;) {
    const headers = at === 0 ? {} : { range: `bytes=${at}-` };
    const reply = await openPeerStream(url, { method: "GET", headers, agent, signal, timeoutMs: TIMEOUT_MS });
    if (!reply.ok || reply.status >= 300) {
      const error = reply.ok ? await refusedStream(reply.status, reply.body) : unavailable(reply);
      await tries.after(error, reply);
      continue;
    }
    const from = at;
    try {
      for await (const piece of reply.body) {
        at += piece.byteLength;
        yield piece;
      }
    } catch (thrown) {
      if (signal.aborted) throw thrown;
    }
    if (at > from) tries.begin();
    if (at < size)
      await tries.after(new FileError("file_store_unavailable", "The file broke off."), { ok: true, status: 500 });
  }
}

async function askAgain(send: () => Promise<PeerReply | PeerFailure>, context: RemoteContext): Promise<Json> {
  for (const tries = new Tries(context); ;) {
    const reply = await send();
    if (reply.ok && reply.status < 300) return JSON.parse(reply.text) as Json;
    await tries.after(reply.ok ? refused(reply.status, reply.text) : unavailable(reply), reply);
  }
}

type Answer = Pick<PeerReply, "ok" | "status"> | Pick<PeerFailure, "ok" | "reason">;

/** Waits after a failure that may be temporary. Throws any other failure. */
class Tries {
  readonly #context: RemoteContext;
  #count = 0;

  constructor(context: RemoteContext) {
    this.#context = context;
  }

  /** Resets the count after progress. */
  begin(): void {
    this.#count = 0;
  }

  async after(error: FileError, answer: Answer): Promise<void> {
    this.#count += 1;
    const isAway = answer.ok ? AWAY.has(answer.status) && !error.isOfContent : !LASTING.has(answer.reason);
    const mayPass = isAway || (answer.ok && answer.status >= 500 && this.#count < TRIES_MAX);
    if (this.#context.signal.aborted || !mayPass) throw error;
    await pause(this.#context.clock, PAUSES_MS[Math.min(this.#count, PAUSES_MS.length) - 1] ?? 0, this.#context.signal);
  }
}

/** Statuses of a server or proxy that is starting, overloaded or without its database. */
const AWAY: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const LASTING: ReadonlySet<PeerFailure["reason"]> = new Set(["aborted", "too_large", "outbound_refused"]);

/** Splits content into parts. Only one part is in memory at a time, so that it can be sent again. */
async function* partsOf(content: AsyncIterable<Uint8Array>, size: number): AsyncIterable<Uint8Array> {
  let part = 1;
  let bytes = Buffer.alloc(filePartSize(size, part) ?? 0);
  let at = 0;
  for await (const piece of content) {
    for (let from = 0; from < piece.byteLength;) {
      if (part > filePartCount(size)) {
        throw new FileError("size_mismatch", `The file has more than ${size} bytes.`);
      }
      const taken = Math.min(bytes.byteLength - at, piece.byteLength - from);
      bytes.set(piece.subarray(from, from + taken), at);
      at += taken;
      from += taken;
      if (at < bytes.byteLength) continue;
      yield bytes;
      part += 1;
      at = 0;
      bytes = Buffer.alloc(filePartSize(size, part) ?? 0);
    }
  }
  if (part <= filePartCount(size)) throw new FileError("size_mismatch", `The file has fewer than ${size} bytes.`);
}

function unavailable({ message }: PeerFailure): FileError {
  return new FileError("file_store_unavailable", message);
}

async function refusedStream(status: number, body: AsyncIterable<Uint8Array>): Promise<FileError> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return refused(status, Buffer.concat(pieces).toString("utf8"));
}

function refused(status: number, text: string): FileError {
  try {
    const { code, detail } = JSON.parse(text) as { readonly code?: unknown; readonly detail?: unknown };
    if (typeof code === "string" && typeof detail === "string")
      return new FileError(code, detail, code === "file_store_unavailable");
  } catch {
    // The text is not an answer of the server, so it contains no reason.
  }
  return new FileError("file_store_unavailable", `The server answered ${status} for a file.`);
}

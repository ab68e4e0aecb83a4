import type { AdapterFiles } from "../adapter/index.ts";
import { filePartCount, filePartSize, type FileValue, isFileValue, type Json } from "../core/base/index.ts";
import { openPeerStream, type PeerAgent, type PeerFailure, type PeerReply, requestPeer } from "../outbound/index.ts";

const TIMEOUT_MS = 60_000;
const REPLY_BYTES_MAX = 65_536;
/** Between tries of the same request; each of them can be made again. */
const PAUSES_MS = [200, 1_000, 4_000] as const;

/** What a server says about a file, or that it says nothing. */
class FileTrouble extends Error {
  override readonly name = "FileTrouble";
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** The files of an attempt that a server elsewhere keeps, by the address it gave out for this attempt. */
export function remoteFiles(url: string, agent: PeerAgent, signal: AbortSignal): AdapterFiles {
  const ask = (method: string, path: string, body?: Uint8Array | string): Promise<Json> =>
    askAgain(() => requestPeer(`${url}/${path}`, requestOf(method, body, agent, signal)));
  return {
    read: (file) => readFile(`${url}/${file.sha256}`, file, agent, signal),
    write: async ({ name, mime, size }, content) => {
      const { id } = (await ask("POST", "uploads", JSON.stringify({ name, mime, size }))) as { readonly id: string };
      let part = 0;
      for await (const bytes of partsOf(content, size)) {
        part += 1;
        await ask("PUT", `uploads/${id}/parts/${part}`, bytes);
      }
      const file = await ask("POST", `uploads/${id}/complete`);
      if (isFileValue(file)) return file;
      throw new FileTrouble("file_store_unavailable", "The server did not say what became of the file.");
    },
  };
}

function requestOf(method: string, body: Uint8Array | string | undefined, agent: PeerAgent, signal: AbortSignal) {
  const type = typeof body === "string" ? "application/json" : "application/octet-stream";
  const sent = body === undefined ? {} : { body, headers: { "content-type": type } };
  return { method, ...sent, agent, signal, timeoutMs: TIMEOUT_MS, bytesMax: REPLY_BYTES_MAX };
}

async function* readFile(
  url: string,
  { size }: FileValue,
  agent: PeerAgent,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  // What broke off is continued where it broke off.
  for (let at = 0, tried = 0; at < size; tried += 1) {
    const headers = at === 0 ? {} : { range: `bytes=${at}-` };
    const reply = await openPeerStream(url, { method: "GET", headers, agent, signal, timeoutMs: TIMEOUT_MS });
    const isPassing = reply.ok ? reply.status >= 500 : reply.reason !== "aborted";
    if (!reply.ok || reply.status >= 300) {
      if (isPassing && tried < PAUSES_MS.length) {
        await pause(PAUSES_MS[tried] ?? 0);
        continue;
      }
      throw reply.ok ? await refusedStream(reply.status, reply.body) : unavailable(reply);
    }
    try {
      for await (const piece of reply.body) {
        at += piece.byteLength;
        yield piece;
      }
    } catch (thrown) {
      if (tried >= PAUSES_MS.length || signal.aborted) throw thrown;
    }
    if (at < size && tried >= PAUSES_MS.length) throw new FileTrouble("file_store_unavailable", "The file broke off.");
  }
}

async function askAgain(send: () => Promise<PeerReply | PeerFailure>): Promise<Json> {
  for (let tried = 0; ; tried += 1) {
    const reply = await send();
    if (reply.ok && reply.status < 300) return JSON.parse(reply.text) as Json;
    const isPassing = reply.ok ? reply.status >= 500 || reply.status === 429 : reply.reason !== "aborted";
    if (!isPassing || tried >= PAUSES_MS.length)
      throw reply.ok ? refused(reply.status, reply.text) : unavailable(reply);
    await pause(PAUSES_MS[tried] ?? 0);
  }
}

/** One part is in memory at a time, so that it can be sent again. */
async function* partsOf(content: AsyncIterable<Uint8Array>, size: number): AsyncIterable<Uint8Array> {
  let part = 1;
  let bytes = Buffer.alloc(filePartSize(size, part) ?? 0);
  let at = 0;
  for await (const piece of content) {
    for (let from = 0; from < piece.byteLength;) {
      const taken = Math.min(bytes.byteLength - at, piece.byteLength - from);
      bytes.set(piece.subarray(from, from + taken), at);
      at += taken;
      from += taken;
      if (at < bytes.byteLength) continue;
      yield bytes;
      part += 1;
      at = 0;
      bytes = Buffer.alloc(filePartSize(size, part) ?? 0);
      if (part > filePartCount(size) && from < piece.byteLength) {
        throw new FileTrouble("size_mismatch", `The file has more than ${size} bytes.`);
      }
    }
  }
  if (part <= filePartCount(size)) throw new FileTrouble("size_mismatch", `The file has fewer than ${size} bytes.`);
}

function unavailable({ message }: PeerFailure): FileTrouble {
  return new FileTrouble("file_store_unavailable", message);
}

async function refusedStream(status: number, body: AsyncIterable<Uint8Array>): Promise<FileTrouble> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return refused(status, Buffer.concat(pieces).toString("utf8"));
}

function refused(status: number, text: string): FileTrouble {
  try {
    const { code, detail } = JSON.parse(text) as { readonly code?: unknown; readonly detail?: unknown };
    if (typeof code === "string" && typeof detail === "string") return new FileTrouble(code, detail);
  } catch {
    // What is no answer of a server is no reason either.
  }
  return new FileTrouble("file_store_unavailable", `The server answered ${status} for a file.`);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import { createAllowList, openPeerStream, OutboundGuard, PeerAgent, type PeerStream } from "../outbound/index.ts";
import { type ObjectStore, ObjectsUnavailable } from "./object-store.ts";

/** Settings of a service with the S3 API, from the operator. */
export interface S3Options {
  /** For example https://s3.eu-central-1.amazonaws.com or http://minio:9000. */
  readonly url: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

interface S3Request {
  readonly method: "GET" | "PUT" | "DELETE";
  /** Key within the bucket; empty for the bucket itself. */
  readonly key: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

const TIMEOUT_MS = 30_000;
const TRIES = 3;
/** Maximum parallel uploads. Each part is held in memory, because otherwise a signed request cannot be repeated. */
const PUTS_MAX = 3;
const LIST_BYTES_MAX = 4 * 1_048_576;

/** Stores objects in a bucket. Requests go only to the host of the URL, and redirects are not followed. */
export function createS3Objects(options: S3Options): ObjectStore {
  const agent = new PeerAgent(guardFor(options.url));
  const puts = new Semaphore(PUTS_MAX);
  const send = (request: S3Request): Promise<PeerStream> => sendSigned(options, agent, request);
  return {
    put: (key, size, content) =>
      puts.take(async () => {
        const body = await readAll(content, size);
        await drained(await send({ method: "PUT", key, body }), key, [200]);
      }),
    async *read(key, from, length) {
      const range = `bytes=${from}-${from + length - 1}`;
      const { status, body } = await send({ method: "GET", key, headers: { range } });
      if (status !== 206 && status !== 200) {
        await discardBody(body);
        throw new ObjectsUnavailable(status === 404 ? `${key} is not there` : `${key}: status ${status}`);
      }
      yield* exactly(body, key, length);
    },
    remove: async (keyOrPlace) => {
      await drained(await send({ method: "DELETE", key: keyOrPlace }), keyOrPlace, [200, 204, 404]);
      for (;;) {
        const keys = await list(send, `${keyOrPlace}/`);
        for (const key of keys) await drained(await send({ method: "DELETE", key }), key, [200, 204, 404]);
        if (keys.length === 0) return;
      }
    },
    close: () => agent.close(),
  };
}

/** Allows the host chosen by the operator even at a private address, and no other private address. */
function guardFor(url: string): OutboundGuard {
  const { hostname, port, protocol } = new URL(url);
  const allow = createAllowList([`${hostname}:${port === "" ? (protocol === "https:" ? "443" : "80") : port}`]);
  return new OutboundGuard(allow.ok ? { allow: allow.value } : {});
}

async function sendSigned(options: S3Options, agent: PeerAgent, request: S3Request): Promise<PeerStream> {
  const { url, bucket, region, accessKeyId, secretAccessKey } = options;
  const { method, key, query = {}, body, headers = {} } = request;
  const target = new URL(`${url.replace(/\/+$/, "")}/${bucket}${key === "" ? "" : `/${key}`}`);
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
  const sha256 = createHash("sha256")
    .update(body ?? new Uint8Array())
    .digest("hex");
  for (let tried = 1; ; tried += 1) {
    const signed = await new AwsV4Signer({
      method,
      url: target.href,
      headers: { ...headers, "x-amz-content-sha256": sha256 },
      service: "s3",
      region,
      accessKeyId,
      secretAccessKey,
    }).sign();
    const reply = await openPeerStream(signed.url.href, {
      method,
      headers: {
        ...Object.fromEntries(signed.headers),
        ...(body === undefined ? {} : { "content-type": "application/octet-stream" }),
      },
      ...(body === undefined ? {} : { body }),
      timeoutMs: TIMEOUT_MS,
      agent,
    });
    const isPassing = reply.ok ? reply.status >= 500 || reply.status === 429 : reply.reason !== "outbound_refused";
    if (reply.ok && !isPassing) return reply;
    if (reply.ok) await discardBody(reply.body);
    if (tried === TRIES || !isPassing) {
      throw new ObjectsUnavailable(reply.ok ? `${new URL(url).host} answered ${reply.status}` : reply.message);
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 100 * 4 ** (tried - 1));
    });
  }
}

async function list(send: (request: S3Request) => Promise<PeerStream>, prefix: string): Promise<readonly string[]> {
  const { status, body } = await send({ method: "GET", key: "", query: { "list-type": "2", prefix } });
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.byteLength;
    if (bytes > LIST_BYTES_MAX) throw new ObjectsUnavailable("the list of objects is too long");
    pieces.push(piece);
  }
  if (status !== 200) throw new ObjectsUnavailable(`${prefix}: status ${status}`);
  // Our keys contain no characters that XML escapes.
  const keys = [
    ...Buffer.concat(pieces)
      .toString("utf8")
      .matchAll(/<Key>([a-z0-9/-]+)<\/Key>/g),
  ];
  return keys.map(([, key = ""]) => key).filter((key) => key.startsWith(prefix));
}

async function readAll(content: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  for await (const piece of content) {
    if (at + piece.byteLength > size) throw new ObjectsUnavailable(`more than ${size} bytes came`);
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  if (at !== size) throw new ObjectsUnavailable(`${at} bytes came where ${size} were to be written`);
  return bytes;
}

async function drained({ status, body }: PeerStream, key: string, expected: readonly number[]): Promise<void> {
  await discardBody(body);
  if (!expected.includes(status)) throw new ObjectsUnavailable(`${key}: status ${status}`);
}

async function discardBody(body: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    const pieces = body[Symbol.asyncIterator]();
    while ((await pieces.next()).done !== true);
  } catch {
    // The body was not wanted, so errors are ignored.
  }
}

/** Throws when the service ends the connection before sending all bytes. */
async function* exactly(body: AsyncIterable<Uint8Array>, key: string, length: number): AsyncIterable<Uint8Array> {
  let left = length;
  try {
    for await (const piece of body) {
      left -= piece.byteLength;
      if (left < 0) break;
      yield piece;
    }
  } catch (thrown) {
    throw new ObjectsUnavailable(`${key} broke off`, { cause: thrown });
  }
  if (left !== 0) throw new ObjectsUnavailable(`${key} is not as long as it was when it was written`);
}

/** Limits how many operations run at a time; the others wait in order. */
class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free === 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#free -= 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

import { fileMimeProblem, fileNameProblem } from "../core/base/index.ts";
import { FileRefusal } from "../files/index.ts";
import type { FileRecord } from "../store/index.ts";
import { readRange } from "./byte-range.ts";
import { Refused } from "./problem.ts";
import type { Services } from "./route.ts";

/** Name and type of the file in the response; null for those of its upload. */
export interface Shown {
  readonly name: string | null;
  readonly mime: string | null;
}

/** Returns the content of a file, or a range of it. A browser never shows it as a page of this server. */
export async function fileReply(
  { files }: Pick<Services, "files">,
  request: Request,
  file: FileRecord,
  shown: Shown,
): Promise<Response> {
  const headers = headersOf(file, shown);
  const { etag } = headers;
  if (matches(request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
  const condition = request.headers.get("if-range");
  const asked = condition === null || condition.trim() === etag ? request.headers.get("range") : null;
  const range = readRange(asked, file.size);
  if (range.kind === "none") {
    throw new Refused("range_not_satisfiable", `The file has ${file.size} bytes, and none of them is in the range.`, {
      headers: { "content-range": `bytes */${file.size}` },
    });
  }
  const [from, to] = range.kind === "all" ? [0, file.size - 1] : [range.from, range.to];
  const length = to - from + 1;
  const sized = { ...headers, "content-length": String(length) };
  const body = request.method === "HEAD" ? null : await streamAfterFirstPiece(files.read(file, from, length));
  if (range.kind === "all") return new Response(body, { headers: sized });
  return new Response(body, {
    status: 206,
    headers: { ...sized, "content-range": `bytes ${from}-${to}/${file.size}` },
  });
}

function headersOf({ name, mime, sha256 }: FileRecord, shown: Shown) {
  const problem = fileNameProblem(shown.name ?? name) ?? fileMimeProblem(shown.mime ?? mime);
  if (problem !== null) throw new Refused(problem.code, `The ${problem.field} ${problem.message}.`);
  return {
    "content-type": shown.mime ?? mime,
    "content-disposition": dispositionOf(shown.name ?? name),
    "accept-ranges": "bytes",
    etag: `"${sha256}"`,
    "cache-control": "private, max-age=31536000, immutable",
    // If a browser opens it anyway, it cannot run a script with the origin of this server.
    "content-security-policy": "default-src 'none'; sandbox",
  } as const;
}

/** The name in two forms: plain ASCII for old clients, and encoded in full (RFC 6266). */
function dispositionOf(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

function matches(header: string | null, etag: string): boolean {
  return (header ?? "").split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
}

/** Reads the first piece before responding, so that unreadable content is reported as a problem and not as a truncated response. */
async function streamAfterFirstPiece(content: AsyncIterable<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  const pieces = content[Symbol.asyncIterator]();
  let first: IteratorResult<Uint8Array> | null = await pieces.next();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = first ?? (await pieces.next());
        first = null;
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: async () => void (await pieces.return?.()),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 1 }),
  );
}

/** Converts a refusal of the files into a problem of the API. */
export async function asProblem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    if (!(thrown instanceof FileRefusal)) throw thrown;
    const headers = thrown.code === "file_store_unavailable" ? { headers: { "retry-after": "5" } } : {};
    throw new Refused(thrown.code, thrown.message, headers);
  }
}

/** Yields the content of a request as it arrives. */
export async function* contentOf(request: Request): AsyncIterable<Uint8Array> {
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding.trim().toLowerCase() !== "identity") {
    throw new Refused(
      "unsupported_media_type",
      `Content-Encoding ${encoding} is not read here; send the file as it is.`,
    );
  }
  const reader = request.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

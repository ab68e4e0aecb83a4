import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename, extname, resolve } from "node:path";
import type { FileSource } from "../client/index.ts";
import { fileNameProblem, fileSizeProblem, type FileValue } from "../core/base/index.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";
import { reasonOf } from "./source-file.ts";
import { printable } from "./terminal-text.ts";

/** The most common file types. Every other file is sent as plain bytes. */
const TYPES: Readonly<Record<string, string>> = {
  ".avif": "image/avif",
  ".csv": "text/csv",
  ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  ".gif": "image/gif",
  ".gz": "application/gzip",
  ".htm": "text/html",
  ".html": "text/html",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".json": "application/json",
  ".md": "text/markdown",
  ".mp3": "audio/mpeg",
  ".mp4": "video/mp4",
  ".ndjson": "application/x-ndjson",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  ".svg": "image/svg+xml",
  ".tar": "application/x-tar",
  ".txt": "text/plain",
  ".wav": "audio/wav",
  ".webp": "image/webp",
  ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  ".xml": "application/xml",
  ".yaml": "application/yaml",
  ".yml": "application/yaml",
  ".zip": "application/zip",
};
const OCTETS = "application/octet-stream";

export interface FileWords {
  readonly name?: string;
  readonly mime?: string;
}

/** Describes a local file as a file value: name, type, size and hash. */
export async function describeFile(io: Pick<Io, "cwd">, written: string, words: FileWords = {}): Promise<FileValue> {
  const path = resolve(io.cwd, written);
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new Refusal(`${printable(written)} is not a file`);
    const name = words.name ?? basename(path);
    const problem = fileNameProblem(name) ?? fileSizeProblem(found.size);
    if (problem !== null)
      throw new Refusal(`${printable(written)}: ${problem.code}: its ${problem.field} ${problem.message}`);
    const hash = createHash("sha256");
    for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
    const mime = words.mime ?? TYPES[extname(name).toLowerCase()] ?? OCTETS;
    return { name, mime, size: found.size, sha256: hash.digest("hex") };
  } catch (thrown) {
    throw thrown instanceof Refusal ? thrown : new Refusal(`cannot read ${printable(written)}: ${reasonOf(thrown)}`);
  }
}

/** Returns the file as a source for an upload. Any part of it can be read at any time. */
export function sourceOf(io: Pick<Io, "cwd">, written: string, file: FileValue): FileSource {
  return {
    ...file,
    read: async (from, to) => {
      const handle = await open(resolve(io.cwd, written), "r");
      try {
        const bytes = Buffer.from(new ArrayBuffer(to - from));
        const { bytesRead } = await handle.read(bytes, 0, to - from, from);
        if (bytesRead === to - from) return bytes;
        throw new Refusal(`${printable(written)} has become shorter while it was sent`);
      } finally {
        await handle.close();
      }
    },
  };
}

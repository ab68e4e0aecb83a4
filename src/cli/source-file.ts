import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { LIMITS, type Place } from "../core/base/index.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";
import { printable } from "./terminal-text.ts";

export interface SourceFile {
  /** As the person wrote it. */
  readonly name: string;
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Set when code made the bytes. */
  readonly code?: CodeOrigin;
}

/** Of a definition that was written in code: what people wrote, and where. */
export interface CodeOrigin {
  readonly workflow: string;
  /** The default export of its module. */
  readonly isDefault: boolean;
  /** By the path of a part of the definition: `steps[0]`. */
  readonly places: Readonly<Record<string, Place & { readonly file: string }>>;
  /** Definitions of the workflows it starts. */
  readonly children: readonly SourceFile[];
}

const STDIN = "-";

/** Reads no more than the reader would accept, so that no file is too big to be refused quickly. */
export async function readSourceFile(io: Pick<Io, "cwd" | "readInput">, name: string): Promise<SourceFile> {
  if (name === STDIN) return { name: "<stdin>", path: resolve(io.cwd, "stdin"), bytes: await io.readInput() };
  const path = resolve(io.cwd, name);
  try {
    return { name, path, bytes: await readStart(path) };
  } catch (thrown) {
    throw new Refusal(`cannot read ${printable(name)}: ${reasonOf(thrown)}`);
  }
}

async function readStart(path: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  // The last byte read is the one too many by which the reader knows.
  for await (const chunk of createReadStream(path, { end: LIMITS.jsonBytesMax })) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

const REASONS: ReadonlyMap<unknown, string> = new Map([
  ["ENOENT", "there is no such file"],
  ["ENOTDIR", "there is no such file"],
  ["EISDIR", "it is a directory, and a file is needed"],
  ["EACCES", "permission denied"],
  ["ENAMETOOLONG", "the name is too long"],
]);

export function reasonOf(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  return REASONS.get(code) ?? (thrown instanceof Error ? thrown.message : String(thrown));
}

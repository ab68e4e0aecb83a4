import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { LIMITS, type Place } from "../core/base/index.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";
import { printable } from "./terminal-text.ts";

export interface SourceFile {
  /** Name as the person wrote it. */
  readonly name: string;
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Set when the bytes were generated from a workflow in code. */
  readonly code?: CodeOrigin;
}

/** Origin of a definition that was written in code. */
export interface CodeOrigin {
  readonly workflow: string;
  /** True when the workflow is the default export of its module. */
  readonly isDefault: boolean;
  /** Places in the code, by the path of a part of the definition such as `steps[0]`. */
  readonly places: Readonly<Record<string, Place & { readonly file: string }>>;
  /** Definitions of the workflows that this workflow starts. */
  readonly children: readonly SourceFile[];
}

const STDIN = "-";

/** Reads a file up to one byte beyond the allowed size, so that even a huge file is refused quickly. */
export async function readSourceFile(io: Pick<Io, "cwd" | "readInput">, name: string): Promise<SourceFile> {
  if (name === STDIN) return { name: "<stdin>", path: resolve(io.cwd, "stdin"), bytes: await io.readInput() };
  const path = resolve(io.cwd, name);
  try {
    return { name, path, bytes: await readStart(path) };
  } catch (thrown) {
    throw new Refusal(`cannot read ${printable(name)}: ${reasonOf(thrown)}`);
  }
}

/** Returns the value of an option: the text as written, or the content of the file for `@FILE`. */
export async function readOptionText({ cwd }: Pick<Io, "cwd">, written: string): Promise<string> {
  if (!written.startsWith("@")) return written;
  const name = written.slice(1);
  try {
    return await readFile(resolve(cwd, name), "utf8");
  } catch (thrown) {
    throw new Refusal(`cannot read ${printable(name)}: ${reasonOf(thrown)}`);
  }
}

async function readStart(path: string): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  // `end` is inclusive: the one extra byte shows the reader that the file is too large.
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

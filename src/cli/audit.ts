import { createReadStream } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isPublicKey, readAnchors, verifyAudit } from "../audit/index.ts";
import type { VerifyResult } from "../core/audit/index.ts";
import { ApiError } from "../client/index.ts";
import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printJson } from "./listing.ts";
import { Refusal } from "./refusal.ts";
import { reasonOf } from "./source-file.ts";
import { createPaint, printable } from "./terminal-text.ts";

export interface VerifyAuditOptions {
  readonly key?: string;
  readonly checkpoints?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Verifies an export with only the file itself, without a server or database. */
export async function verifyAuditFile(io: Io, file: string, options: VerifyAuditOptions): Promise<number> {
  const { key, checkpoints, json } = options;
  if (key !== undefined && !isPublicKey(key)) {
    throw new Refusal(`--key ${printable(key)}: this is no public key; it looks like ed25519:… and is in every export`);
  }
  const anchors = checkpoints === undefined ? {} : { anchors: await anchorsOf(io, checkpoints) };
  const result = await reading(file, () =>
    verifyAudit(chunksOf(io, file), { ...(key === undefined ? {} : { key }), ...anchors }),
  );
  if (json === true) printJson(io, { file, ...result });
  else printResult(io, file, result, options);
  return result.ok ? EXIT.fine : EXIT.runFailed;
}

function printResult(io: Io, file: string, result: VerifyResult, { key, quiet }: VerifyAuditOptions): void {
  const { ok, org, records, checkpoints, lastSeq, firstBad } = result;
  if (firstBad !== undefined) {
    const { line, what, seq, reason } = firstBad;
    const place = what === "record" ? `record ${seq}` : what === "header" ? "header" : `${what} after record ${seq}`;
    const paint = createPaint(io.err, io.env);
    io.err.write(`${printable(file)}:${line}: ${paint("red", place)}: ${printable(reason)}\n`);
    io.err.write(`  ${counted(records, "record")} before it ${records === 1 ? "is" : "are"} good\n`);
  }
  if (!ok || quiet === true) return;
  const upTo = lastSeq === records ? "" : `, numbered up to ${lastSeq}`;
  io.out.write(
    `ok: ${counted(records, "record")} of ${printable(org ?? "")}${upTo}, ${counted(checkpoints, "checkpoint")}\n`,
  );
  if (key === undefined) {
    io.err.write(`signed with ${printable(result.key ?? "")}\n`);
    io.err.write("  hint: compare it with the key of the installation, or give that one as --key\n");
  }
}

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}

async function* chunksOf(io: Io, file: string): AsyncGenerator<Uint8Array> {
  if (file === "-") yield await io.readInput();
  else yield* createReadStream(resolve(io.cwd, file)) as AsyncIterable<Uint8Array>;
}

function anchorsOf(io: Io, file: string): ReturnType<typeof readAnchors> {
  return reading(file, () => readAnchors(resolve(io.cwd, file)));
}

async function reading<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    throw new Refusal(`cannot read ${printable(file)}: ${reasonOf(thrown)}`);
  }
}

export interface DownloadOptions {
  readonly output?: string;
  readonly quiet?: boolean;
}

export async function exportAuditFile(io: Io, api: Api, options: DownloadOptions): Promise<number> {
  return download(io, await api.exportAudit(), options);
}

export async function savePacket(io: Io, api: Api, id: string, options: DownloadOptions): Promise<number> {
  return download(io, await api.getPacket(id), options);
}

type Body = ReadableStream<Uint8Array>;

async function download(io: Io, body: Body, { output, quiet }: DownloadOptions): Promise<number> {
  if (output === undefined || output === "-") {
    const decoder = new TextDecoder();
    for await (const chunk of body as AsyncIterable<Uint8Array>) io.out.write(decoder.decode(chunk, { stream: true }));
    return EXIT.fine;
  }
  const path = resolve(io.cwd, output);
  // The file gets its final name only after it is complete.
  const part = `${path}.part`;
  try {
    await writeFile(part, body as AsyncIterable<Uint8Array>);
    await rename(part, path);
  } catch (thrown) {
    await rm(part, { force: true });
    if (thrown instanceof ApiError) throw thrown;
    throw new Refusal(`cannot write ${printable(output)}: ${reasonOf(thrown)}`);
  }
  if (quiet !== true) io.err.write(`written to ${printable(output)}\n`);
  return EXIT.fine;
}

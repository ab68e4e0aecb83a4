import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { isPublicKey, verifySignature } from "../audit/index.ts";
import { PacketRefused, verifyPacket } from "../history/index.ts";
import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { printJson } from "./listing.ts";
import { Refusal } from "./refusal.ts";
import { reasonOf } from "./source-file.ts";
import { printable } from "./terminal-text.ts";

/** Deletes runs in the given order. Stops at the first run that is refused. */
export async function deleteRuns(
  io: Io,
  api: Api,
  ids: readonly string[],
  options: { readonly quiet?: boolean },
): Promise<number> {
  for (const id of ids) {
    await api.history.deleteRun(id);
    if (options.quiet !== true) io.err.write(`${printable(id)} is deleted\n`);
  }
  return EXIT.fine;
}

export interface ImportOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Imports runs in the given order. Stops at the first file that is refused. */
export async function importRuns(io: Io, api: Api, files: readonly string[], options: ImportOptions): Promise<number> {
  for (const file of files) {
    const packet = await reading(file, () => readFile(resolve(io.cwd, file)));
    const run = await api.history.importRun(Uint8Array.from(packet));
    if (options.json === true) printJson(io, run);
    else if (options.quiet !== true) io.err.write(`${printable(run.id)} of ${printable(run.workflow)} is imported\n`);
    if (options.json !== true) io.out.write(`${run.id}\n`);
  }
  return EXIT.fine;
}

export interface VerifyPacketOptions {
  readonly key?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Verifies a packet file. It needs only the file, like the verification of the audit. */
export async function verifyPacketFile(io: Io, file: string, options: VerifyPacketOptions): Promise<number> {
  const { key, json, quiet } = options;
  if (key !== undefined && !isPublicKey(key)) {
    throw new Refusal(`--key ${printable(key)}: this is no public key; it looks like ed25519:… and ends every packet`);
  }
  const isSigned = (text: string, signer: string, signature: string): boolean =>
    (key === undefined || key === signer) && verifySignature(signer, text, signature);
  try {
    const content = createReadStream(resolve(io.cwd, file)) as AsyncIterable<Uint8Array>;
    const { header, lines, sha256, key: signer } = await reading(file, () => verifyPacket(content, isSigned));
    if (json === true) printJson(io, { file, ok: true, lines, sha256, key: signer, ...header });
    else if (quiet !== true) {
      const { run, workflow, runs, archivedAt, erased = [] } = header;
      io.out.write(
        `ok: ${printable(run)} of ${printable(workflow)}, ${runs} ${runs === 1 ? "run" : "runs"}, archived ${printable(archivedAt)}\n`,
      );
      for (const { run: id, at, by } of erased) {
        io.out.write(`  ${printable(id)} was erased ${printable(at)} by ${printable(by)}\n`);
      }
      if (key === undefined) io.err.write(`signed with ${printable(signer)}\n`);
    }
    return EXIT.fine;
  } catch (thrown) {
    if (!(thrown instanceof PacketRefused)) throw thrown;
    if (json === true) printJson(io, { file, ok: false, code: thrown.code, detail: thrown.message });
    io.err.write(`${printable(file)}: ${thrown.code}: ${printable(thrown.message)}\n`);
    return EXIT.runFailed;
  }
}

async function reading<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof PacketRefused) throw thrown;
    throw new Refusal(`cannot read ${printable(file)}: ${reasonOf(thrown)}`);
  }
}

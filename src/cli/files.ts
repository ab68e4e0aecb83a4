import { createHash } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import type { Command } from "commander";
import { type FileValue, isFileHash } from "../core/base/index.ts";
import type { Api } from "./api.ts";
import { addLinkOptions, addListOptions, addNoun, onServer, example, type Workbench } from "./command-words.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { formatWhen, type ListOptions, pageOf, printJson, printList } from "./listing.ts";
import { describeFile, type FileWords, sourceOf } from "./local-file.ts";
import { Refusal } from "./refusal.ts";
import { reasonOf } from "./source-file.ts";
import { oneLine, printable } from "./terminal-text.ts";

interface PutOptions extends FileWords {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

interface GetOptions {
  readonly output: string;
  readonly quiet?: boolean;
}

export function addFileCommands(program: Command, bench: Workbench): void {
  const files = addNoun(program, "files", "send files to the server, and get them back");
  addLinkOptions(files.command("put").description("send a file; a partly sent file is continued"))
    .argument("<file>", "path of the file")
    .option("--name <name>", "its name on the server; default: its name here")
    .option("--mime <type>", "its media type; default: by its name")
    .option("--json", "print the file as JSON, as an arg refers to it")
    .option("--quiet", "print only its hash")
    .addHelpText("after", example("sluice files put report.pdf"))
    .action(onServer(bench, putFile));
  addLinkOptions(files.command("get").description("save the content of a file"))
    .argument("<sha256>", "its hash")
    .requiredOption("--output <file>", "the file to write")
    .option("--quiet", "print nothing")
    .addHelpText("after", example("sluice files get 9f86d081… --output report.pdf"))
    .action(onServer(bench, getFile));
  addListOptions(files.command("list").description("list the files that are kept, newest first"))
    .addHelpText("after", example("sluice files list"))
    .action(onServer(bench, listFiles));
}

/** Uploads a file unless the server already has it. Shows the progress at a terminal. */
export async function sendFile(
  io: Io,
  api: Api,
  path: string,
  { quiet, json, ...words }: FileWords & { readonly quiet?: boolean; readonly json?: boolean },
): Promise<FileValue> {
  const file = await describeFile(io, path, words);
  const isShown = io.err.isTty && quiet !== true && json !== true;
  const onProgress = (sent: number): void => {
    const share = Math.floor((sent / file.size) * 100);
    io.err.write(`\r${oneLine(file.name)}: ${share} % of ${sizeText(file.size)}`);
  };
  try {
    return await api.files.upload(sourceOf(io, path, file), isShown ? { onProgress } : {});
  } finally {
    if (isShown) io.err.write("\n");
  }
}

async function putFile(io: Io, api: Api, path: string, { json, quiet, name, mime }: PutOptions): Promise<number> {
  const words = { ...(name === undefined ? {} : { name }), ...(mime === undefined ? {} : { mime }) };
  const file = await sendFile(io, api, path, { ...words, quiet: quiet === true || json === true });
  if (json === true) printJson(io, file);
  else io.out.write(`${file.sha256}\n`);
  if (json !== true && quiet !== true) io.err.write(`${oneLine(file.name)}, ${file.mime}, ${sizeText(file.size)}\n`);
  return EXIT.fine;
}

/** Downloads a file. It gets its final name only when it is complete and has the requested hash. */
async function getFile(io: Io, api: Api, sha256: string, { output, quiet }: GetOptions): Promise<number> {
  if (!isFileHash(sha256)) throw new Refusal(`${printable(sha256)} is no sha256: 64 hexadecimal digits in lower case`);
  const content = await api.files.download(sha256);
  const path = resolve(io.cwd, output);
  const partial = `${path}.part`;
  try {
    const { hash, size } = await write(partial, content);
    if (hash !== sha256) throw new Refusal("the received content does not have this hash", EXIT.unreachable);
    await rename(partial, path);
    if (quiet !== true) io.err.write(`${printable(output)}, ${sizeText(size)}\n`);
    return EXIT.fine;
  } catch (thrown) {
    await rm(partial, { force: true });
    const isOfSystem = thrown instanceof Error && "syscall" in thrown;
    throw isOfSystem ? new Refusal(`cannot write ${printable(output)}: ${reasonOf(thrown)}`) : thrown;
  }
}

async function write(path: string, content: ReadableStream<Uint8Array>) {
  const hash = createHash("sha256");
  const handle = await open(path, "w");
  let size = 0;
  try {
    const reader = content.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      hash.update(value);
      size += value.byteLength;
      await handle.writeFile(value);
    }
  } finally {
    await handle.close();
  }
  return { hash: hash.digest("hex"), size };
}

async function listFiles(io: Io, api: Api, options: ListOptions): Promise<number> {
  const now = io.clock.now();
  printList(io, await api.files.list(pageOf(options)), options, {
    none: "there are no files",
    head: ["SHA256", "NAME", "TYPE", "SIZE", "SENT"],
    row: ({ sha256, name, mime, size, createdAt }) => [
      sha256,
      oneLine(name),
      oneLine(mime),
      sizeText(size),
      formatWhen(createdAt, now),
    ],
  });
  return EXIT.fine;
}

const UNITS = ["B", "KiB", "MiB", "GiB"] as const;

function sizeText(bytes: number): string {
  const unit = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const number = bytes / 1_024 ** unit;
  return `${unit === 0 ? number : number.toFixed(1)} ${UNITS[unit] ?? "B"}`;
}

import { mkdir, readdir, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { packageSpec } from "./package-spec.ts";
import { Refusal } from "./refusal.ts";
import { reasonOf } from "./source-file.ts";
import { firstCommands, starterFiles, type StarterFile, type Template } from "./starter/files.ts";
import { TYPESCRIPT_COMMANDS, typescriptFiles } from "./starter/typescript.ts";
import { printable } from "./terminal-text.ts";

export interface InitOptions {
  /** Template made of files only. Without it the project is written in TypeScript. */
  readonly template?: Template;
  /** Use the smallest template that is made of files only. */
  readonly yaml?: boolean;
  readonly force?: boolean;
  readonly quiet?: boolean;
}

/** Entries that may exist in a folder that still counts as empty. */
const HARMLESS: ReadonlySet<string> = new Set([".git", ".DS_Store"]);

/** Writes a starter project. Never overwrites an existing file. */
export async function init(io: Io, folder: string, options: InitOptions): Promise<number> {
  const target = resolve(io.cwd, folder);
  const present = await listFolder(target, folder);
  if (options.force !== true && present.some((name) => !HARMLESS.has(name))) {
    throw new Refusal(
      `${printable(folder)} is not empty: name another folder, or add --force to write the missing files there`,
    );
  }
  const template = options.template ?? (options.yaml === true ? "minimal" : null);
  const files = template === null ? typescriptFiles(basename(target), packageSpec(target)) : starterFiles(template);
  const kept: string[] = [];
  for (const file of files) {
    const isWritten = await writeNew(target, file);
    if (!isWritten) kept.push(file.path);
    else if (options.quiet !== true) io.out.write(`${file.path}\n`);
  }
  for (const path of kept) io.err.write(`sluice: ${path} already exists and was not changed\n`);
  if (options.quiet !== true)
    printNextCommands(io, target, template === null ? TYPESCRIPT_COMMANDS : firstCommands(template));
  return EXIT.fine;
}

async function listFolder(target: string, shown: string): Promise<readonly string[]> {
  try {
    return await readdir(target);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === "ENOENT") return [];
    if (code === "ENOTDIR") throw new Refusal(`${printable(shown)} is a file: name a folder`);
    throw new Refusal(`${printable(shown)} cannot be read: ${printable(reasonOf(thrown))}`);
  }
}

/** Returns false when a file or folder of that name already exists. */
async function writeNew(target: string, { path, text }: StarterFile): Promise<boolean> {
  const place = join(target, path);
  const refuse = (thrown: unknown): never => {
    throw new Refusal(`${printable(path)} cannot be written: ${printable(reasonOf(thrown))}`);
  };
  await mkdir(dirname(place), { recursive: true }).catch(refuse);
  try {
    await writeFile(place, text, { flag: "wx" });
    return true;
  } catch (thrown) {
    return codeOf(thrown) === "EEXIST" ? false : refuse(thrown);
  }
}

function printNextCommands(io: Io, target: string, commands: readonly string[]): void {
  const from = relative(io.cwd, target);
  const enter = from === "" ? [] : [`cd ${printable(from)}`];
  io.err.write(`\nNow type:\n${[...enter, ...commands].map((line) => `  ${line}\n`).join("")}`);
}

function codeOf(thrown: unknown): unknown {
  return thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
}

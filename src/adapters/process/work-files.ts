import { constants } from "node:fs";
import { chown, lstat, mkdir, open, readdir } from "node:fs/promises";
import { extname, join } from "node:path";
import type { AdapterFiles, AdapterRequest } from "../../adapter/index.ts";
import {
  compareCodeUnits,
  fileNameProblem,
  filesIn,
  fileSizeProblem,
  type Json,
  type JsonObject,
} from "../../core/base/index.ts";
import { type FileOutput, fileOutputs } from "../../core/outputs/index.ts";
import type { CommandConfig } from "./config.ts";

/** Folders in the work directory: input files of the command, and files that it produces. */
export const FILES_FOLDER = "files";
export const OUTPUTS_FOLDER = "outputs";

const OUTPUT_FILES_MAX = 1_000;
const OCTETS = "application/octet-stream";
/** MIME types by extension, for types that later steps can use. All other files get a general type. */
const TYPES: Readonly<Record<string, string>> = {
  ".csv": "text/csv",
  ".gif": "image/gif",
  ".html": "text/html",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".json": "application/json",
  ".md": "text/markdown",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".webp": "image/webp",
  ".xml": "application/xml",
  ".yaml": "application/yaml",
  ".zip": "application/zip",
};

class BadFile extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Writes the input files to `files/` in the work directory, and creates `outputs/` when files are expected. These
 * folders are separate from where the command runs, so that a file name cannot change what a program loads there.
 * Returns the variables with their paths: `SLUICE_FILE_REPORT` is the path of the input `report`.
 */
export async function placeFiles(
  { inputs, outputSchema }: AdapterRequest,
  files: AdapterFiles | undefined,
  workDirectory: string,
  user: CommandConfig["user"],
): Promise<Readonly<Record<string, string>>> {
  const given = filesIn(inputs);
  const wanted = fileOutputs(outputSchema);
  if (given.length === 0 && wanted.length === 0) return {};
  if (files === undefined) throw new BadFile("file_store_unavailable", "no files can be had here.");
  const variables: Record<string, string> = {};
  const make = async (...path: readonly string[]): Promise<string> => {
    const folder = join(workDirectory, ...path);
    await mkdir(folder, { mode: 0o700 });
    if (user !== undefined) await chown(folder, user.uid, user.gid);
    return folder;
  };
  if (wanted.length > 0) variables["SLUICE_OUTPUTS"] = await make(OUTPUTS_FOLDER);
  if (given.length === 0) return variables;
  variables["SLUICE_FILES"] = await make(FILES_FOLDER);
  const names = new Set(given.map(([, { name }]) => name));
  const placed = new Set<string>();
  for (const [index, [input, file]] of given.entries()) {
    // A second file with the same name gets its own folder, which is called like none of the files.
    let own = `${index + 1}`;
    while (names.has(own)) own += "_";
    const folder = placed.has(file.name) ? await make(FILES_FOLDER, own) : join(workDirectory, FILES_FOLDER);
    placed.add(file.name);
    const path = join(folder, file.name);
    await writeContent(path, files.read(file));
    if (user !== undefined) await chown(path, user.uid, user.gid);
    variables[`SLUICE_FILE_${variableOf(input)}`] ??= path;
  }
  return variables;
}

async function writeContent(path: string, content: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(path, "wx", 0o600);
  try {
    for await (const piece of content) await handle.writeFile(piece);
  } finally {
    await handle.close();
  }
}

/**
 * Stores the files in `outputs/`. `NAME` or `NAME.ext` becomes the output NAME. The remaining files become the list
 * output, if one is declared, or a single remaining file becomes the only missing output. Links are not followed.
 */
export async function keepOutputs(
  { outputSchema }: AdapterRequest,
  files: AdapterFiles | undefined,
  workDirectory: string,
  user: CommandConfig["user"],
): Promise<JsonObject> {
  const wanted = fileOutputs(outputSchema);
  if (wanted.length === 0 || files === undefined) return {};
  const folder = join(workDirectory, OUTPUTS_FOLDER);
  if (!(await lstat(folder)).isDirectory())
    throw new BadFile("bad_file_name", `${OUTPUTS_FOLDER}/ is no folder any more.`);
  const names = (await readdir(folder)).sort(compareCodeUnits);
  if (names.length > OUTPUT_FILES_MAX) {
    throw new BadFile("too_many_files", `${names.length} files were left, and at most ${OUTPUT_FILES_MAX} are kept.`);
  }
  const keep = async (name: string): Promise<Json> => ({ ...(await keepFile(files, folder, name, user)) });
  const outputs: Record<string, Json> = {};
  const left = new Set(names);
  for (const { name: output, isList } of wanted) {
    const own = isList
      ? undefined
      : names.find((name) => left.has(name) && (name === output || name.startsWith(`${output}.`)));
    if (own === undefined) continue;
    left.delete(own);
    outputs[output] = await keep(own);
  }
  await takeRest(wanted, [...left], outputs, keep);
  return outputs;
}

async function takeRest(
  wanted: readonly FileOutput[],
  left: readonly string[],
  outputs: Record<string, Json>,
  keep: (name: string) => Promise<Json>,
): Promise<void> {
  const list = wanted.find(({ isList }) => isList);
  if (list !== undefined) {
    const kept: Json[] = [];
    for (const name of left) kept.push(await keep(name));
    outputs[list.name] = kept;
    return;
  }
  const [open, ...others] = wanted.filter(({ name }) => !Object.hasOwn(outputs, name));
  const [only, ...more] = left;
  if (open !== undefined && others.length === 0 && only !== undefined && more.length === 0) {
    outputs[open.name] = await keep(only);
  }
}

/** Stores one file. A Bridge may read more than the command, so only a plain file of the command's own user is accepted. */
async function keepFile(files: AdapterFiles, folder: string, name: string, user: CommandConfig["user"]) {
  const handle = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => null,
  );
  try {
    const found = await handle?.stat();
    if (handle === null || found?.isFile() !== true || (user !== undefined && found.uid !== user.uid)) {
      throw new BadFile("bad_file_name", `"${name}" in ${OUTPUTS_FOLDER}/ is no file of the command.`);
    }
    const problem = fileNameProblem(name) ?? fileSizeProblem(found.size);
    if (problem !== null) throw new BadFile(problem.code, `the ${problem.field} of "${name}" ${problem.message}.`);
    const mime = TYPES[extname(name).toLowerCase()] ?? OCTETS;
    return await files.write({ name, mime, size: found.size }, handle.createReadStream({ autoClose: false }));
  } finally {
    await handle?.close();
  }
}

function variableOf(input: string): string {
  return input.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
}

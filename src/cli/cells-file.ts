import { z } from "zod";
import { readSource } from "../core/text/index.ts";
import { BadDatabaseUrl, readDatabaseHosts } from "../store/index.ts";
import type { Io } from "./io.ts";
import { printProblems } from "./problem-report.ts";
import { Refusal } from "./refusal.ts";
import { readSourceFile } from "./source-file.ts";
import { printable } from "./terminal-text.ts";

/** A cell in the file of `--cells`. */
export interface NamedCell {
  readonly name: string;
  readonly url: string;
  readonly accepts: boolean;
}

export interface CellsFile {
  readonly cells: readonly [NamedCell, ...NamedCell[]];
  /** The database of the directory: one of the cells or a separate one. */
  readonly directory: NamedCell;
}

const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/;
const database = { url: z.string().min(1).optional(), url_env: z.string().min(1).max(200).optional() };
const fileSchema = z.strictObject({
  directory: z.union([z.string().regex(NAME), z.strictObject(database)]).optional(),
  cells: z
    .array(
      z.strictObject({
        name: z.string().regex(NAME, "must be 1 to 32 small letters, digits or -"),
        ...database,
        accepts: z.boolean().default(true),
      }),
    )
    .min(1)
    .max(100),
});

/** Name of a separate directory database in messages. No cell can have this name. */
const DIRECTORY = "(directory)";

/** Reads the file of `--cells`. Its problems are reported before the first connection to a database. */
export async function readCellsFile(io: Io, name: string): Promise<CellsFile> {
  const file = await readSourceFile(io, name);
  const { tree, problems } = readSource(file.bytes);
  if (tree === null || problems.length > 0) {
    printProblems(io, file, problems);
    throw new Refusal(`the file of cells ${printable(name)} cannot be read`);
  }
  const read = fileSchema.safeParse(tree.value);
  if (!read.success) {
    const [issue] = read.error.issues;
    throw wrong(name, `${issue?.path.join(".") ?? ""} ${issue?.message ?? "is not valid"}`);
  }
  const cells = read.data.cells.map((cell) => ({
    name: cell.name,
    accepts: cell.accepts,
    url: urlOf(io, name, `the cell ${cell.name}`, cell),
  }));
  const [first, ...others] = cells;
  if (first === undefined) throw wrong(name, "names no cell");
  requireDistinct(name, cells);
  if (!cells.some(({ accepts }) => accepts)) throw wrong(name, "no cell takes new organisations: set accepts on one");
  return { cells: [first, ...others], directory: directoryOf(io, name, read.data.directory, [first, ...others]) };
}

function directoryOf(
  io: Io,
  file: string,
  given: z.output<typeof fileSchema>["directory"],
  cells: CellsFile["cells"],
): NamedCell {
  if (given === undefined) return cells[0];
  if (typeof given !== "string") {
    const url = urlOf(io, file, "the directory", given);
    // A URL equal to that of a cell means that this cell is the directory.
    return cells.find((cell) => cell.url === url) ?? { name: DIRECTORY, url, accepts: false };
  }
  const named = cells.find((cell) => cell.name === given);
  if (named === undefined) throw wrong(file, `the directory is the cell ${given}, which is not among the cells`);
  return named;
}

function requireDistinct(file: string, cells: readonly NamedCell[]): void {
  for (const [index, { name, url }] of cells.entries()) {
    const before = cells.slice(0, index);
    if (before.some((cell) => cell.name === name)) throw wrong(file, `two cells are called ${name}`);
    const twin = before.find((cell) => cell.url === url);
    if (twin !== undefined)
      throw wrong(file, `the cells ${twin.name} and ${name} have one database: give each its own`);
  }
}

function urlOf(
  { env }: Io,
  file: string,
  whose: string,
  { url, url_env: variable }: { readonly url?: string | undefined; readonly url_env?: string | undefined },
): string {
  if ((url === undefined) === (variable === undefined)) throw wrong(file, `${whose} needs url or url_env, one of both`);
  const text = url ?? env[variable ?? ""] ?? "";
  if (text === "") throw wrong(file, `${whose}: the variable ${variable ?? ""} is not set`);
  try {
    readDatabaseHosts(text);
    return text;
  } catch (thrown) {
    if (thrown instanceof BadDatabaseUrl) throw wrong(file, `the url of ${whose} ${thrown.message}`);
    throw thrown;
  }
}

function wrong(file: string, what: string): Refusal {
  return new Refusal(`the file of cells ${printable(file)}: ${printable(what)}`);
}

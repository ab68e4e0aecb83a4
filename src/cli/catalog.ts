import type { JsonObject } from "../core/base/index.ts";
import { EMPTY_CATALOG, readCatalog, type Catalog } from "../core/definition/index.ts";
import type { Io } from "./io.ts";
import { printProblems } from "./problem-report.ts";
import { Refusal } from "./refusal.ts";
import { readSourceFile } from "./source-file.ts";

/** What `--library FILE` brings; without it nothing outside the file is known. */
export async function loadCatalog(io: Io, library: string | undefined): Promise<Catalog> {
  return (await loadLibrary(io, library)).catalog;
}

/** What a file of library steps and lenses holds. */
export interface Library {
  readonly catalog: Catalog;
  /** The lenses as they were written. */
  readonly lensSpecs: Readonly<Record<string, JsonObject>>;
}

export async function loadLibrary(io: Io, library: string | undefined): Promise<Library> {
  if (library === undefined) return { catalog: EMPTY_CATALOG, lensSpecs: {} };
  const file = await readSourceFile(io, library);
  const { catalog, lensSpecs, problems } = readCatalog(file.bytes);
  if (problems.length === 0) return { catalog, lensSpecs };
  printProblems(io, file, problems);
  throw new Refusal(`the library ${library} is not valid`);
}

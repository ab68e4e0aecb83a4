import type { JsonObject } from "../core/base/index.ts";
import { EMPTY_CATALOG, readCatalog, type Catalog } from "../core/definition/index.ts";
import type { Io } from "./io.ts";
import { printProblems } from "./problem-report.ts";
import { Refusal } from "./refusal.ts";
import { readSourceFile } from "./source-file.ts";

/** Loads the catalog of `--library FILE`. Without it, a workflow can use only what is in its own file. */
export async function loadCatalog(io: Io, library: string | undefined): Promise<Catalog> {
  return (await loadLibrary(io, library)).catalog;
}

/** The content of a file of library steps and lenses. */
export interface Library {
  readonly catalog: Catalog;
  /** The lenses as they are written in the file. */
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

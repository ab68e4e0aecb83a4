import { EMPTY_CATALOG, readCatalog, type Catalog } from "../core/definition/index.ts";
import type { Io } from "./io.ts";
import { printProblems } from "./problem-report.ts";
import { Refusal } from "./refusal.ts";
import { readSourceFile } from "./source-file.ts";

/** What `--library FILE` brings; without it nothing outside the file is known. */
export async function loadCatalog(io: Io, library: string | undefined): Promise<Catalog> {
  if (library === undefined) return EMPTY_CATALOG;
  const file = await readSourceFile(io, library);
  const { catalog, problems } = readCatalog(file.bytes);
  if (problems.length === 0) return catalog;
  printProblems(io, file, problems);
  throw new Refusal(`the library ${library} is not valid`);
}

import { readdir, stat } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { compareCodeUnits } from "../../core/base/index.ts";
import type { Io } from "../io.ts";
import { isForeignFolder } from "../project-folders.ts";
import { Refusal } from "../refusal.ts";
import { reasonOf } from "../source-file.ts";
import { printable } from "../terminal-text.ts";

const CASE_FILE = /\.cases\.(?:yaml|yml|json|ts|mts)$/;

/** Returns the named files and all case files below the named folders. Default: the current folder. */
export async function findCaseFiles(io: Io, names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all((names.length === 0 ? ["."] : names).map((name) => filesAt(io, name)));
  return [...new Set(found.flat())];
}

async function filesAt(io: Io, name: string): Promise<readonly string[]> {
  const path = resolve(io.cwd, name);
  try {
    if (!(await stat(path)).isDirectory()) return [name];
  } catch (thrown) {
    throw new Refusal(`cannot read ${printable(name)}: ${reasonOf(thrown)}`);
  }
  const found = await filesBelow(path);
  if (found.length > 0) return found.map((file) => relative(io.cwd, file)).sort(compareCodeUnits);
  throw new Refusal(`there are no cases in ${printable(name)}: they are files called NAME.cases.yaml or NAME.cases.ts`);
}

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        return isForeignFolder(entry.name) ? [] : filesBelow(path);
      }
      return CASE_FILE.test(entry.name) ? [path] : [];
    }),
  );
  return found.flat();
}

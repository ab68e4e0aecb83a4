import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { REPOSITORY } from "../law/source.ts";

const HOME = join(REPOSITORY, "node_modules", ".cache", "sluice-program");
const UNUSED_MS = 86_400_000;

let prepared: string | null = null;

/**
 * The program as tests start it: the file to give to Node. The sources are bundled when no bundle of them is there, which
 * takes seconds.
 */
export function preparedProgram(): string {
  prepared ??= join(bundleOf(digestOfSources()), "sluice.cjs");
  return prepared;
}

function digestOfSources(): string {
  const hash = createHash("sha256");
  const sources = readdirSync(join(REPOSITORY, "src"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const others = ["package-lock.json", join("test", "program", "bundle.mjs"), join("test", "program", "sluice.cjs")];
  for (const file of [...sources, ...others.map((name) => join(REPOSITORY, name))])
    hash.update(`${file}\0`).update(readFileSync(file));
  return hash.update(process.version).digest("hex").slice(0, 16);
}

/** Appears under its name only when it is whole, also when other processes make it at the same time. */
function bundleOf(digest: string): string {
  const bundle = join(HOME, digest);
  if (existsSync(bundle)) return bundle;
  mkdirSync(HOME, { recursive: true });
  const made = mkdtempSync(`${bundle}.`);
  try {
    const bundler = join(REPOSITORY, "test", "program", "bundle.mjs");
    const { status, stderr } = spawnSync(process.execPath, [bundler, join(made, "bundle")], { encoding: "utf8" });
    if (status !== 0) throw new Error(`the program cannot be bundled: ${stderr}`);
    renameUnlessThere(join(made, "bundle"), bundle);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  clearUnused(dirname(bundle));
  return bundle;
}

function renameUnlessThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
}

function clearUnused(home: string): void {
  for (const name of readdirSync(home)) {
    const old = join(home, name);
    const { mtimeMs = Infinity } = statSync(old, { throwIfNoEntry: false }) ?? {};
    if (Date.now() - mtimeMs > UNUSED_MS) rmSync(old, { recursive: true, force: true });
  }
}

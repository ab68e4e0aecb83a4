import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Programs of others that check what others read of Sluice. Their packages are installed here and nowhere else. */
const DIRECTORY = dirname(fileURLToPath(import.meta.url));

/** Null when they are there now, else why they are not. */
export function installLinters(): string | null {
  if (!isStale()) return null;
  const flags = ["--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--loglevel", "error"];
  const result = spawnSync("npm", ["install", ...flags], { cwd: DIRECTORY, encoding: "utf8" });
  if (result.error !== undefined) return `npm cannot be started (${result.error.message})`;
  if (result.status === 0) return null;
  const [cause = `code ${result.status ?? result.signal}`] = result.stderr.trim().split("\n");
  return `npm install in test/linters failed: ${cause}`;
}

/** npm writes its hidden lock file last, so a broken install never looks finished. */
function isStale(): boolean {
  const installed = join(DIRECTORY, "node_modules", ".package-lock.json");
  const wanted = join(DIRECTORY, "package-lock.json");
  return !existsSync(installed) || statSync(installed).mtimeMs < statSync(wanted).mtimeMs;
}

/** What a linter found: nothing, or its own words. */
export function lint(program: string, args: readonly string[], cwd: string): string {
  const path = join(DIRECTORY, "node_modules", ".bin", program);
  // None of them needs to ask a server whether there is a newer one.
  const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", REDOCLY_TELEMETRY: "off", NO_COLOR: "1" };
  const { status, stdout, stderr, error } = spawnSync(path, args, { cwd, env, encoding: "utf8" });
  if (error !== undefined) return `${program} cannot be started: ${error.message}`;
  return status === 0 ? "" : `${stdout}${stderr}`;
}

/** A file of one of their packages, as a module. */
export function loadLinter(path: string): Promise<unknown> {
  return import(pathToFileURL(join(DIRECTORY, "node_modules", path)).href);
}

/** The same as text. */
export function readLinter(path: string): string {
  return readFileSync(join(DIRECTORY, "node_modules", path), "utf8");
}

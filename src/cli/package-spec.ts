import { readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { readVersion } from "./version.ts";

/** The package folder: two folders above this module, both in the sources and in the built program. */
const PACKAGE = fileURLToPath(new URL("../..", import.meta.url)).replace(/[\\/]$/, "");
const FILE = "file:";

/**
 * Returns the dependency entry for this package in a project in `folder`. It follows the way this package was installed,
 * so a project created from a tarball or a checkout gets the same package and needs no registry.
 */
export function packageSpec(folder: string, home = PACKAGE): string {
  const modules = dirname(home);
  const isInstalled = basename(modules) === "node_modules";
  if (!isInstalled) return fileSpec(folder, home);
  const installer = dirname(modules);
  const { dependencies = {}, devDependencies = {} } = readManifest(installer);
  const written = dependencies[basename(home)] ?? devDependencies[basename(home)] ?? "";
  if (written.startsWith(FILE)) return fileSpec(folder, resolve(installer, written.slice(FILE.length)));
  return /^(?:https?|git[+:])/.test(written) ? written : `^${readVersion()}`;
}

function fileSpec(folder: string, target: string): string {
  return `${FILE}${relative(folder, target).split(sep).join("/")}`;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function readManifest(folder: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  } catch {
    // A global installation has no package.json.
    return {};
  }
}

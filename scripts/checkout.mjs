import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "./lock.mjs";

/**
 * Makes a checkout ready to start: installs packages when they are missing or older than the lock file, builds `dist`
 * when it does not belong to the sources as they are. Plain JavaScript without packages, because it runs before either.
 */
export const CHECKOUT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Installs and builds what is missing; says so on stderr in one line each, and nothing when all is ready. */
export async function prepareCheckout(root = CHECKOUT) {
  await installIfStale(root);
  await buildIfStale(root);
}

export async function installIfStale(root = CHECKOUT) {
  if (!isInstallStale(root)) return;
  await withLock(join(root, ".prepare.lock"), say, () => {
    if (isInstallStale(root)) install(root);
  });
}

export async function buildIfStale(root = CHECKOUT) {
  if (!isBuildStale(root)) return;
  await withLock(join(root, ".prepare.lock"), say, () => {
    if (isBuildStale(root)) build(root);
  });
}

/** npm writes its hidden lock file last, so a broken install never looks finished. */
export function isInstallStale(root) {
  const installed = modifiedAt(join(root, "node_modules", ".package-lock.json"));
  const wanted = modifiedAt(join(root, "package-lock.json"));
  return installed === null || (wanted !== null && wanted > installed);
}

export function isBuildStale(root) {
  const stamp = join(root, "dist", ".built");
  return !existsSync(stamp) || readFileSync(stamp, "utf8") !== signatureOf(root);
}

/** Names, sizes and times of everything a build reads: an edited, added, removed or restored file changes it. */
export function signatureOf(root) {
  const hash = createHash("sha256");
  const files = [
    ...filesUnder(join(root, "src")).filter((file) => !file.endsWith(".test.ts")),
    ...["tsconfig.json", "tsconfig.build.json", "package-lock.json"].map((name) => join(root, name)),
  ];
  for (const file of files.sort((left, right) => (left < right ? -1 : 1))) {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat !== undefined) hash.update(`${file.slice(root.length)}\0${stat.size}\0${stat.mtimeMs}\n`);
  }
  return hash.digest("hex");
}

function install(root) {
  say("installing packages, once");
  // Not `npm ci`: it refuses a lock file that lacks the binaries of other platforms, which not every registry carries.
  // Dev packages are part of a checkout: a production environment needs the compiler too.
  const flags = ["--no-save", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
  const result = spawnSync("npm", ["install", ...flags], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (result.error !== undefined) {
    throw new Error(`cannot start npm (${result.error.message}); install npm, then try again.`);
  }
  if (result.status !== 0) {
    // npm puts the cause first and may follow it with pages of usage.
    process.stderr.write(`${(result.stderr + result.stdout).split("\n").slice(0, 12).join("\n")}\n`);
    throw new Error(
      `npm install failed with code ${result.status ?? result.signal}; mend what it says above, then try again.`,
    );
  }
}

/** Builds beside `dist` and moves file by file, so that whoever reads `dist` meanwhile never finds a file missing. */
function build(root) {
  say("building, once");
  const signature = signatureOf(root);
  const fresh = join(root, `dist.${process.pid}.tmp`);
  const dist = join(root, "dist");
  try {
    compile(root, fresh);
    const files = filesUnder(fresh).map((file) => file.slice(fresh.length + 1));
    for (const file of files) {
      mkdirSync(dirname(join(dist, file)), { recursive: true });
      renameSync(join(fresh, file), join(dist, file));
    }
    const wanted = new Set(files);
    for (const file of filesUnder(dist)) {
      if (!wanted.has(file.slice(dist.length + 1))) rmSync(file);
    }
    writeFileSync(join(dist, ".built"), signature);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function compile(root, outDir) {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const result = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json", "--outDir", outDir], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
  });
  if (result.status !== 0) {
    process.stderr.write(result.stdout + result.stderr);
    throw new Error("the sources do not compile; mend what is listed above, then try again.");
  }
}

function filesUnder(directory) {
  const entries = existsSync(directory) ? readdirSync(directory, { withFileTypes: true, recursive: true }) : [];
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

function say(text) {
  process.stderr.write(`sluice: ${text}\n`);
}

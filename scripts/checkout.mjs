import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { withLock } from "./lock.mjs";

/**
 * Makes a checkout ready to start: installs packages when they are missing or older than the lock file, builds `dist`
 * when it does not belong to the sources as they are. Plain JavaScript without packages, because it runs before either.
 */
export const CHECKOUT = dirname(dirname(fileURLToPath(import.meta.url)));

/** Installs and builds what is missing; prints one line to stderr for each, and nothing when all is ready. */
export async function prepareCheckout(root = CHECKOUT) {
  // A package that was installed comes built and without sources.
  if (!existsSync(join(root, "src"))) return;
  await installIfStale(root);
  await buildIfStale(root);
}

/** The two halves of `dist`: what each is made of, and how. Each is made again only when its own sources changed. */
const PROGRAM = {
  stamp: ".built",
  configs: ["tsconfig.json", "tsconfig.build.json", "package-lock.json"],
  reads: (path) => !path.startsWith("src/console/"),
  owns: (path) => !path.startsWith("console/") && !path.startsWith("."),
  make: compile,
};
const CONSOLE = {
  stamp: ".built-console",
  configs: ["vite.config.ts", "package-lock.json"],
  reads: (path) => /^src\/(?:console|core|client|browser)\//.test(path),
  owns: (path) => path.startsWith("console/"),
  make: bundle,
};

export async function installIfStale(root = CHECKOUT) {
  if (!isInstallStale(root)) return;
  await withLock(join(root, ".prepare.lock"), print, () => {
    if (isInstallStale(root)) install(root);
  });
}

export async function buildIfStale(root = CHECKOUT) {
  for (const half of halvesOf(root)) await makeIfStale(root, half);
}

/** For tests in a browser, which need nothing else of `dist`. */
export async function buildConsoleIfStale(root = CHECKOUT) {
  await makeIfStale(root, CONSOLE);
}

async function makeIfStale(root, half) {
  if (!isStale(root, half)) return;
  await withLock(join(root, ".prepare.lock"), print, () => {
    if (isStale(root, half)) build(root, half);
  });
}

function halvesOf(root) {
  return existsSync(join(root, "src", "console")) ? [PROGRAM, CONSOLE] : [PROGRAM];
}

/** npm writes its hidden lock file last, so a broken install never looks finished. */
export function isInstallStale(root) {
  const installed = modifiedAt(join(root, "node_modules", ".package-lock.json"));
  const wanted = modifiedAt(join(root, "package-lock.json"));
  return installed === null || (wanted !== null && wanted > installed);
}

function isStale(root, half) {
  const stamp = join(root, "dist", half.stamp);
  return !existsSync(stamp) || readFileSync(stamp, "utf8") !== signatureOf(root, half);
}

/** Names, sizes and times of everything a build reads: an edited, added, removed or restored file changes it. */
function signatureOf(root, half) {
  const hash = createHash("sha256");
  const files = [
    ...filesUnder(join(root, "src")).filter(
      (file) => !file.endsWith(".test.ts") && half.reads(relative(root, file).split(sep).join("/")),
    ),
    ...half.configs.map((name) => join(root, name)),
  ];
  for (const file of files.sort((left, right) => (left < right ? -1 : 1))) {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat !== undefined) hash.update(`${file.slice(root.length)}\0${stat.size}\0${stat.mtimeMs}\n`);
  }
  return hash.digest("hex");
}

function install(root) {
  print("installing packages, once");
  // Not `npm ci`: it refuses a lock file that lacks the binaries of other platforms, which not every registry carries.
  // Dev packages are part of a checkout: a production environment needs the compiler too.
  // What packages want to run while they are installed is not needed here.
  const flags = ["--no-save", "--ignore-scripts", "--include=dev", "--no-audit", "--no-fund", "--loglevel=error"];
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
      `npm install failed with code ${result.status ?? result.signal}; fix the errors above, then try again.`,
    );
  }
}

/** Builds beside `dist` and moves file by file, so that a process that reads `dist` meanwhile never misses a file. */
function build(root, half) {
  print(half === CONSOLE ? "building the console, once" : "building, once");
  const signature = signatureOf(root, half);
  const fresh = join(root, `dist.${process.pid}.tmp`);
  const dist = join(root, "dist");
  try {
    half.make(root, fresh);
    const files = filesUnder(fresh).map((file) => relative(fresh, file));
    for (const file of files) {
      mkdirSync(dirname(join(dist, file)), { recursive: true });
      renameSync(join(fresh, file), join(dist, file));
    }
    const wanted = new Set(files);
    for (const file of filesUnder(dist).map((path) => relative(dist, path))) {
      if (half.owns(file.split(sep).join("/")) && !wanted.has(file)) rmSync(join(dist, file));
    }
    writeFileSync(join(dist, half.stamp), signature);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function bundle(root, outDir) {
  const bundler = join(root, "node_modules", "vite", "bin", "vite.js");
  const flags = ["--logLevel", "error", "--outDir", join(outDir, "console")];
  // The page is a production build even if the caller's NODE_ENV is another.
  const result = spawnSync(process.execPath, [bundler, "build", ...flags], {
    cwd: root,
    env: { ...process.env, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
  });
  if (result.status !== 0) {
    process.stderr.write(result.stdout + result.stderr);
    throw new Error("the console cannot be built; fix the errors above, then try again.");
  }
}

function compile(root, outDir) {
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  const problem = "the sources do not compile; fix the errors above, then try again.";
  mustRun(root, [compiler, "-p", "tsconfig.build.json", "--outDir", outDir], problem);
  const bundler = join(root, "scripts", "bundle-program.mjs");
  // A checkout that only holds a program to try the build with has none.
  if (!existsSync(bundler)) return;
  mustRun(root, [bundler, outDir], "the program cannot be bundled; fix the errors above, then try again.");
}

function mustRun(root, args, problem) {
  const result = spawnSync(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });
  if (result.status === 0) return;
  process.stderr.write(result.stdout + result.stderr);
  throw new Error(problem);
}

function filesUnder(directory) {
  const entries = existsSync(directory) ? readdirSync(directory, { withFileTypes: true, recursive: true }) : [];
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

function print(text) {
  process.stderr.write(`sluice: ${text}\n`);
}

/**
 * `npm run sim -- …`: bundles main.ts, which has the options, and starts the bundle. A schedule costs less than half of what it
 * costs through tsx, which names each function again whenever one is made.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const HERE = dirname(fileURLToPath(import.meta.url));
// Beside the packages, so that the bundle finds them.
const HOME = join(HERE, "..", "..", "node_modules", ".cache");
/** Schedules leave much behind that dies young. What else there is to do belongs to other processes. */
const NODE_FLAGS = ["--max-semi-space-size=32", "--single-threaded-gc", "--enable-source-maps"];

mkdirSync(HOME, { recursive: true });
const folder = mkdtempSync(join(HOME, "sluice-simulation."));
try {
  const outfile = join(folder, "main.mjs");
  const entryPoints = [join(HERE, "main.ts")];
  await build({
    entryPoints,
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    sourcemap: true,
  });
  const { status } = spawnSync(process.execPath, [...NODE_FLAGS, outfile, ...process.argv.slice(2)], {
    stdio: "inherit",
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { CHECKOUT, installIfStale } from "./checkout.mjs";
import { CHROMIUM_MISSING, findChromium, installChromium } from "./chromium.mjs";

/**
 * `npm test`: installs what is missing, runs the whole suite, leaves the totals in test-results/vitest.json. With `--watch`
 * (`npm run test:watch`) it stays and runs the tests of each saved file again.
 */
try {
  await installIfStale();
} catch (error) {
  process.stderr.write(`sluice: ${error.message}\n`);
  process.exit(2);
}
const print = (text) => process.stderr.write(`sluice: ${text}\n`);
const words = process.argv.slice(2).filter((word) => word !== "--watch");
const isWatching = process.argv.includes("--watch");
/** The tests of one room need no browser. */
const isBrowserTested = words.every((word) => word.startsWith("-") || /browser|console|^test\/?$/.test(word));
if (isBrowserTested && findChromium() === null && !installChromium(print)) print(CHROMIUM_MISSING);

const report = join(CHECKOUT, "test-results", "vitest.json");
const mode = isWatching ? ["watch"] : ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const result = spawnSync(
  process.execPath,
  [join(CHECKOUT, "node_modules", "vitest", "vitest.mjs"), ...mode, ...words],
  { cwd: CHECKOUT, stdio: "inherit" },
);
process.exitCode = result.status ?? 1;

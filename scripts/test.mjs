import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { CHECKOUT, installIfStale } from "./checkout.mjs";
import { CHROMIUM_MISSING, findChromium, installChromium } from "./chromium.mjs";

/** `npm test`: installs what is missing, runs the whole suite, leaves the totals in test-results/vitest.json. */
try {
  await installIfStale();
} catch (error) {
  process.stderr.write(`sluice: ${error.message}\n`);
  process.exit(2);
}
const print = (text) => process.stderr.write(`sluice: ${text}\n`);
/** The tests of one room need no browser. */
const isBrowserTested = process.argv
  .slice(2)
  .every((word) => word.startsWith("-") || /browser|console|^test\/?$/.test(word));
if (isBrowserTested && findChromium() === null && !installChromium(print)) print(CHROMIUM_MISSING);

const report = join(CHECKOUT, "test-results", "vitest.json");
const result = spawnSync(
  process.execPath,
  [
    join(CHECKOUT, "node_modules", "vitest", "vitest.mjs"),
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
    ...process.argv.slice(2),
  ],
  { cwd: CHECKOUT, stdio: "inherit" },
);
process.exitCode = result.status ?? 1;

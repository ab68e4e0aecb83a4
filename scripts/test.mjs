import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { CHECKOUT, installIfStale } from "./checkout.mjs";

/** `npm test`: installs what is missing, runs the whole suite, leaves the totals in test-results/vitest.json. */
try {
  await installIfStale();
} catch (error) {
  process.stderr.write(`sluice: ${error.message}\n`);
  process.exit(2);
}
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

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT } from "./checkout.mjs";

/**
 * Prints `N passed, N failed` for the newest `npm test`. What the suite cannot count as a test still counts as failed:
 * a file that did not load, a test that was left out, a suite that ended badly all the same, no report at all.
 * Arguments: failed checks beside the suite, exit code of the suite.
 */
const [checks = 0, exitCode = 0] = process.argv.slice(2).map(Number);
const report = read(join(CHECKOUT, "test-results", "vitest.json"));
const failed = checks + (report === null ? 1 : failuresOf(report));
process.stdout.write(`${report?.numPassedTests ?? 0} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

function failuresOf(report) {
  const unloaded = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  const leftOut = report.numPendingTests + report.numTodoTests;
  const counted = report.numFailedTests + unloaded.length + leftOut;
  return counted === 0 && (exitCode !== 0 || !report.success) ? 1 : counted;
}

function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

import { spawn } from "node:child_process";
import { CHECKOUT } from "./checkout.mjs";

/**
 * Runs npm scripts two at a time, since some use one core and some use all: `node scripts/together.mjs check:lint check:types`.
 * Each prints its output when it has ended, and every one runs, whatever the others found.
 */
const AT_A_TIME = 2;
const waiting = process.argv.slice(2);
const failed = [];

await Promise.all(
  Array.from({ length: AT_A_TIME }, async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      if (!(await passes(name))) failed.push(name);
    }
  }),
);
if (failed.length > 0) process.stderr.write(`\nsluice: failed: ${failed.join(", ")}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

function passes(name) {
  const child = spawn("npm", ["run", name], {
    cwd: CHECKOUT,
    stdio: ["ignore", "pipe", "pipe"],
    shell: process.platform === "win32",
  });
  const pieces = [];
  child.stdout.on("data", (piece) => pieces.push(piece));
  child.stderr.on("data", (piece) => pieces.push(piece));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      process.stdout.write(Buffer.concat(pieces));
      resolve(code === 0);
    });
  });
}

#!/usr/bin/env node
import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Entry point of the package. In a checkout, `bin/sluice` builds the program first and then starts it. Nothing else is
 * imported before the version of Node is checked: an old Node could not load it and would print a stack instead of
 * advice.
 */
export async function runProcess(argv: readonly string[]): Promise<void> {
  const [{ main }, { whenDone }] = await Promise.all([import("./command-line.ts"), import("./process-end.ts")]);
  // Ends with the exit code even if something is still open, and never with 0 before the command has finished.
  await whenDone(process, main(argv));
}

function isStarted(program: string | undefined): boolean {
  return program !== undefined && realpathSync(program) === fileURLToPath(import.meta.url);
}

if (isStarted(process.argv[1])) {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) {
    void runProcess(process.argv.slice(2));
  } else {
    process.stderr.write(`sluice: Node ${node} is too old; install Node 20.19 or newer (https://nodejs.org).\n`);
    process.exitCode = 2;
  }
}

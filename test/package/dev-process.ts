import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { expect } from "vitest";

const PATIENCE_MS = 120_000;

/** `sluice dev` in a project, and what it prints. */
export class DevProcess {
  readonly #child: ChildProcess;
  #output = "";

  constructor(folder: string) {
    const program = join(folder, "node_modules", ".bin", "sluice");
    this.#child = spawn(program, ["dev", "--port", "0"], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (chunk: Buffer) => (this.#output += chunk.toString()));
    }
  }

  async printed(pattern: RegExp): Promise<void> {
    await expect.poll(() => this.#output, { timeout: PATIENCE_MS }).toMatch(pattern);
  }

  stop(): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => void this.#child.once("exit", resolve));
    this.#child.kill("SIGTERM");
    return ended;
  }
}

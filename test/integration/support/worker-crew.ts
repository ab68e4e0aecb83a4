import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { REPOSITORY } from "../../law/source.ts";

const PROGRAM = fileURLToPath(new URL("worker-program.ts", import.meta.url));

/** A function that has begun, or was aborted. */
export interface Act {
  readonly name: "count" | "charge" | "fail" | "aborted";
  readonly n: number;
  readonly key: string;
  readonly pid: number;
}

export interface CrewPlan {
  readonly key: string;
  readonly ledger: string;
  readonly concurrency?: number;
}

/** Workers as processes, and the ledger of what their functions did. */
export class WorkerCrew {
  readonly #plan: CrewPlan;
  readonly #alive = new Set<ChildProcess>();

  constructor(plan: CrewPlan) {
    this.#plan = plan;
  }

  get workers(): readonly ChildProcess[] {
    return [...this.#alive];
  }

  /** Resolves when it says that it is ready. */
  start(url: string, env: Readonly<Record<string, string>> = {}): Promise<ChildProcess> {
    const { key, ledger, concurrency = 10 } = this.#plan;
    const child = spawn(process.execPath, ["--import", "tsx", PROGRAM, url, key, ledger, String(concurrency)], {
      cwd: join(REPOSITORY, "test"),
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.#alive.add(child);
    child.once("exit", () => this.#alive.delete(child));
    return new Promise((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`the worker ended with ${code} before it was ready`)));
      child.stdout.on("data", (chunk: Buffer) => {
        if (chunk.toString("utf8").includes("ready as")) resolve(child);
      });
    });
  }

  /** kill −9. */
  async kill(child: ChildProcess): Promise<void> {
    const ended = new Promise((resolve) => void child.once("exit", resolve));
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await ended;
  }

  /** SIGTERM; resolves with the exit code. */
  stop(child: ChildProcess): Promise<number | null> {
    const ended = new Promise<number | null>((resolve) => void child.once("exit", resolve));
    child.kill("SIGTERM");
    return ended;
  }

  async dispose(): Promise<void> {
    for (const child of this.#alive) await this.kill(child);
  }

  acts(): readonly Act[] {
    const { ledger } = this.#plan;
    if (!existsSync(ledger)) return [];
    const lines = readFileSync(ledger, "utf8").split("\n");
    // The last line may be half a line: its worker was killed while it wrote.
    return lines.flatMap((line) => (line.endsWith("}") ? [JSON.parse(line) as Act] : []));
  }
}

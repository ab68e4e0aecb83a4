import { spawn, type ChildProcess } from "node:child_process";
import type { AdapterHooks } from "../../adapter/index.ts";
import { killMarked, signalGroup } from "../process/leftover.ts";
import { createStderrLog } from "../process/stderr-log.ts";
import type { SpawnOrder } from "./sdk.ts";

/** The process of one session and everything it started. */
export class SessionProcess {
  readonly #mark: string;
  readonly #children: ChildProcess[] = [];
  readonly #stderr: ReturnType<typeof createStderrLog>;
  #isOver = false;

  /** `mark`: text in the environment of all its processes. It finds processes that left the process group. */
  constructor(mark: string, onLog: AdapterHooks["onLog"]) {
    this.#mark = mark;
    this.#stderr = createStderrLog(onLog);
  }

  readonly spawn = ({ command, args, cwd, env }: SpawnOrder): ChildProcess => {
    const child = spawn(command, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...env },
      detached: true,
      shell: false,
      stdio: ["pipe", "pipe", "pipe"],
    });
    // The SDK also receives this error. Without a listener here it would end the Bridge.
    child.on("error", () => undefined);
    child.stderr.on("data", (chunk: Buffer) => this.#stderr.add(chunk));
    this.#children.push(child);
    if (this.#isOver) this.kill();
    return child;
  };

  kill(): void {
    this.#isOver = true;
    for (const { pid } of this.#children) if (pid !== undefined) signalGroup(pid, "SIGKILL");
  }

  /** Waits until all its processes have ended. Returns the last lines of its stderr. */
  async end(): Promise<{ readonly isGone: boolean; readonly stderrTail: string }> {
    this.kill();
    await Promise.all(this.#children.map(exitOf));
    const isGone = this.#children.length === 0 || (await killMarked(this.#mark));
    return { isGone, stderrTail: this.#stderr.finish().trim() };
  }
}

function exitOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once("exit", () => resolve());
  });
}

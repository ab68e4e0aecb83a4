import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import type { Io } from "./io.ts";
import { printable } from "./terminal-text.ts";

/** Text that a worker prints after it has registered its functions. */
const READY = "ready as ";
/** Maximum time to wait for that text. A worker with its own log function may print other text or none. */
const READY_MS_MAX = 10_000;
const CONFLICT = /The function "([^"]+)" is registered with another \w+ schema/;

export interface DevWorkerServer {
  readonly url: string;
  readonly key: string;
}

/** The process of a worker file. It is restarted after each save. */
export class DevWorker {
  readonly #io: Io;
  readonly #name: string;
  readonly #server: DevWorkerServer;
  #child: ChildProcess | null = null;
  #isMuted = false;

  constructor(io: Io, name: string, server: DevWorkerServer) {
    this.#io = io;
    this.#name = name;
    this.#server = server;
  }

  get isRunning(): boolean {
    return this.#child !== null && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /**
   * Resolves when the functions are registered, the process has ended, or the maximum time has passed. The result is
   * the function whose schema conflicts with the registered one, which ended the process. Null when there is none.
   */
  start(): Promise<string | null> {
    this.stop();
    const child = this.#spawn();
    this.#child = child;
    let printed = "";
    return new Promise((settle) => {
      const stop = this.#io.clock.after(READY_MS_MAX, () => settle(null));
      const end = (conflict: string | null): void => {
        stop();
        settle(conflict);
      };
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding("utf8").on("data", (text: string) => {
          printed = `${printed}${text}`.slice(-PRINTED_MAX);
          if (printed.includes(READY)) end(null);
          if (!this.#isMuted && !CONFLICT.test(printed)) this.#io.err.write(printable(plain(text)));
        });
      }
      child.once("close", (code) => {
        const [, conflict = null] = CONFLICT.exec(printed) ?? [];
        if (code !== 0 && conflict === null && this.#child === child) {
          this.#io.err.write(`sluice: ${printable(this.#name)} has ended; the next saved file starts it again\n`);
        }
        end(conflict);
      });
    });
  }

  /** Stops the worker without output, because the server ends too and the worker may fail to sign off. */
  end(): void {
    this.#isMuted = true;
    this.stop();
  }

  stop(): void {
    this.#child?.kill("SIGTERM");
    this.#child = null;
  }

  #spawn(): ChildProcess {
    const { url, key } = this.#server;
    const tsx = createRequire(import.meta.url).resolve("tsx");
    return spawn(process.execPath, ["--import", tsx, resolve(this.#io.cwd, this.#name)], {
      cwd: this.#io.cwd,
      env: { ...this.#io.env, SLUICE_URL: url, SLUICE_KEY: key },
      stdio: ["ignore", "pipe", "pipe"],
      // A separate process group, so that Ctrl-C reaches only this process, which then stops the worker.
      detached: true,
    });
  }
}

const PRINTED_MAX = 16_000;

/** Removes the prefixes of Node's process warnings, which a worker uses for its log messages. */
function plain(text: string): string {
  return text
    .replaceAll(/^\(node:\d+\) SluiceWorker: /gm, "worker: ")
    .replaceAll(/^\(Use `node --trace-warnings.*\n/gm, "");
}

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readdirSync, statSync, watch } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { Api } from "./api.ts";
import { apply } from "./apply.ts";
import { HOST_SETTINGS, readConfig } from "./config.ts";
import { DataDirectory } from "./data-directory.ts";
import type { Io } from "./io.ts";
import { Refusal } from "./refusal.ts";
import { printable } from "./terminal-text.ts";
import { up, type UpOptions } from "./up.ts";

export type DevOptions = Omit<UpOptions, "json" | "demo">;

/** A module that runs functions; everything else is applied. */
const WORKER_FILE = /(?:^|[./\\])worker\.[cm]?[jt]s$/;
const WORKFLOW_FILE = /\.(?:workflow\.[cm]?ts|lobsterX)$/;
/** Where a project keeps what it runs. */
const PLACES = [".", "workflows", "src"];
/** Editors save in several steps; what follows within this time is the same save. */
const SETTLE_MS = 150;

/** Server, console and the project's own worker in one command; what is saved is applied again. */
export async function dev(io: Io, names: readonly string[], options: DevOptions): Promise<number> {
  const files = names.length === 0 ? filesHere(io) : names;
  const missing = files.find((name) => !existsSync(resolve(io.cwd, name)));
  if (missing !== undefined) throw new Refusal(`cannot read ${printable(missing)}: there is no such file`);
  if (files.length === 0)
    throw new Refusal("there is nothing to run here: name a workflow, or try `sluice init my-flows`");
  const { data } = readConfig(io, options, HOST_SETTINGS);
  let session: DevSession | null = null;
  const out = {
    ...io.out,
    write: (text: string): void => {
      const { url, consoleUrl } = JSON.parse(text) as { readonly url: string; readonly consoleUrl: string | null };
      const key = new DataDirectory(data).readKey() ?? "";
      session = new DevSession(io, files, { url, key, consoleUrl });
      void session.start();
    },
  };
  try {
    return await up({ ...io, out }, { ...options, demo: false, json: true });
  } finally {
    (session as DevSession | null)?.stop();
  }
}

function filesHere(io: Io): readonly string[] {
  const found = PLACES.flatMap((place) => {
    const folder = resolve(io.cwd, place);
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((name) => WORKFLOW_FILE.test(name) || WORKER_FILE.test(name))
      .map((name) => join(place, name));
  });
  return existsSync(resolve(io.cwd, "registry")) ? ["registry", ...found] : found;
}

interface DevServer {
  readonly url: string;
  readonly key: string;
  readonly consoleUrl: string | null;
}

/** What runs beside the server, and is done again when a file is saved. */
class DevSession {
  readonly #io: Io;
  readonly #applied: readonly string[];
  readonly #workers: readonly string[];
  readonly #server: DevServer;
  readonly #processes = new Map<string, ChildProcess>();
  readonly #watchers: { close(): void }[] = [];
  #isStopped = false;
  #stopTimer: (() => void) | null = null;
  #work: Promise<void> = Promise.resolve();

  constructor(io: Io, files: readonly string[], server: DevServer) {
    this.#io = io;
    this.#server = server;
    this.#workers = files.filter((name) => WORKER_FILE.test(name));
    this.#applied = files.filter((name) => !WORKER_FILE.test(name));
  }

  async start(): Promise<void> {
    const { io, url, consoleUrl } = { io: this.#io, ...this.#server };
    const lines = [`  API      ${url}`, ...(consoleUrl === null ? [] : [`  Console  ${consoleUrl}`])];
    io.out.write(`\n${lines.join("\n")}\n\n`);
    // Functions are registered before workflows that name them are checked.
    for (const name of this.#workers) this.#startWorker(name);
    await this.#applyAll();
    this.#watch();
    // Before the server goes, so that the worker signs off.
    io.onInterrupt(() => this.stop());
    io.err.write("what is saved is applied again; Ctrl-C stops\n");
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopTimer?.();
    for (const watcher of this.#watchers) watcher.close();
    for (const child of this.#processes.values()) child.kill("SIGTERM");
  }

  #watch(): void {
    const paths = [...this.#applied, ...this.#workers].map((name) => resolve(this.#io.cwd, name));
    const folders = new Set(paths.map((path) => (statSync(path).isDirectory() ? path : dirname(path))));
    for (const folder of folders) this.#watchers.push(watch(folder, (_event, name) => this.#onSave(name ?? "")));
  }

  #onSave(name: string): void {
    // What the server itself keeps changes all the time.
    if (!/\.(?:[cm]?[jt]sx?|lobsterX|ya?ml|json)$/.test(name)) return;
    this.#stopTimer?.();
    this.#stopTimer = this.#io.clock.after(SETTLE_MS, () => {
      this.#work = this.#work.then(() => this.#reload());
    });
  }

  async #reload(): Promise<void> {
    if (this.#isStopped) return;
    for (const name of this.#workers) this.#startWorker(name);
    await this.#applyAll();
  }

  /** One by one: a mistake in one file keeps its last good state, and no other from being applied. */
  async #applyAll(): Promise<void> {
    const api = new Api(this.#server);
    for (const name of this.#applied) {
      try {
        await apply(this.#io, api, [name], {});
      } catch (thrown) {
        const reason = thrown instanceof Error ? thrown.message : String(thrown);
        this.#io.err.write(`sluice: ${printable(name)} stays as it was: ${printable(reason)}\n`);
      }
    }
  }

  #startWorker(name: string): void {
    this.#processes.get(name)?.kill("SIGTERM");
    const { url, key } = this.#server;
    const tsx = createRequire(import.meta.url).resolve("tsx");
    const child = spawn(process.execPath, ["--import", tsx, resolve(this.#io.cwd, name)], {
      cwd: this.#io.cwd,
      env: { ...this.#io.env, SLUICE_URL: url, SLUICE_KEY: key },
      stdio: ["ignore", "pipe", "pipe"],
      // Ctrl-C in the terminal reaches this process only, which then stops it.
      detached: true,
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => this.#io.err.write(printable(text)));
    }
    child.once("exit", (code) => {
      if (code === 0 || this.#isStopped || this.#processes.get(name) !== child) return;
      this.#io.err.write(`sluice: ${printable(name)} has ended; the next saved file starts it again\n`);
    });
    this.#processes.set(name, child);
  }
}

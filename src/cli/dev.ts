import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ApiError } from "../client/index.ts";
import { Api } from "./api.ts";
import { apply } from "./apply.ts";
import { HOST_SETTINGS, readConfig } from "./config.ts";
import { DataDirectory } from "./data-directory.ts";
import { DevWorker } from "./dev-worker.ts";
import type { Io } from "./io.ts";
import { projectFolders } from "./project-folders.ts";
import { Refusal } from "./refusal.ts";
import { printable } from "./terminal-text.ts";
import { up, type UpOptions } from "./up.ts";
import { WatchedFolders } from "./watched-folders.ts";

export type DevOptions = Omit<UpOptions, "json" | "demo">;

/** Modules that run functions. All other files are applied. */
const WORKER_FILE = /(?:^|[./\\])worker\.[cm]?[jt]s$/;
const WORKFLOW_FILE = /\.(?:workflow\.[cm]?ts|lobsterX)$/;
/** Files that cannot contain code of a worker. */
const NO_CODE_OF_WORKERS = /\.(?:(?:workflow|cases)\.[cm]?ts|lobsterX|ya?ml)$/;
/** Folders in which a project stores its workflows and workers. */
const PLACES = [".", "workflows", "src"];
/** Editors save in several steps. Changes within this time count as one save. */
const SETTLE_MS = 150;

/** Runs the server, the console and the project's own worker in one command. Saved files are applied again. */
export async function dev(io: Io, names: readonly string[], options: DevOptions): Promise<number> {
  // Without names, the list also includes files that are added later.
  const list = (): readonly string[] => (names.length === 0 ? filesHere(io) : names);
  const files = list();
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
      session = new DevSession(io, list, { url, key, consoleUrl });
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

/** The workers and applied files beside the server. They are updated after each save. */
class DevSession {
  readonly #io: Io;
  readonly #list: () => readonly string[];
  readonly #server: DevServer;
  readonly #workers = new Map<string, DevWorker>();
  readonly #watched = new WatchedFolders((name) => this.#onSave(name));
  /** Files saved since the last reload. Null before the first one. */
  #saved: Set<string> | null = null;
  readonly #broken = new Set<string>();
  #isStopped = false;
  #stopTimer: (() => void) | null = null;
  #work: Promise<void> = Promise.resolve();

  constructor(io: Io, list: () => readonly string[], server: DevServer) {
    this.#io = io;
    this.#server = server;
    this.#list = list;
  }

  async start(): Promise<void> {
    const { io, url, consoleUrl } = { io: this.#io, ...this.#server };
    const lines = [`  API      ${url}`, ...(consoleUrl === null ? [] : [`  Console  ${consoleUrl}`])];
    io.out.write(`\n${lines.join("\n")}\n\n`);
    this.#work = this.#reload();
    await this.#work;
    // Called before the server stops, so that the worker can sign off.
    io.onInterrupt(() => this.stop());
    io.err.write("waiting for saved files, which are applied; Ctrl-C stops\n");
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopTimer?.();
    this.#watched.close();
    for (const worker of this.#workers.values()) worker.end();
  }

  /** Watches the files and the project folders from which they may import. */
  #watch(files: readonly string[]): void {
    const named = files
      .map((name) => resolve(this.#io.cwd, name))
      .map((path) => (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? path : dirname(path)));
    this.#watched.follow(new Set([...named, ...projectFolders(this.#io.cwd)]));
  }

  #onSave(name: string): void {
    this.#saved?.add(name);
    this.#stopTimer?.();
    this.#stopTimer = this.#io.clock.after(SETTLE_MS, () => {
      this.#work = this.#work.then(() => this.#reload());
    });
  }

  /** Never throws, because the server runs in this process, and the next save may succeed. */
  async #reload(): Promise<void> {
    if (this.#isStopped) return;
    await this.#reloadNow().catch((thrown: unknown) => {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      this.#io.err.write(`sluice: not everything was taken: ${printable(reason)}\n`);
    });
  }

  async #reloadNow(): Promise<void> {
    const saved = this.#saved;
    this.#saved = new Set();
    const files = this.#list();
    this.#watch(files);
    // Functions must be registered before the workflows that name them are checked.
    const workers = files.filter((name) => WORKER_FILE.test(name));
    for (const [name, worker] of this.#workers) if (!workers.includes(name)) this.#endWorker(name, worker);
    // A saved workflow does not restart a worker, so that running functions are not interrupted.
    const isForWorkers = saved === null || [...saved].some((name) => !NO_CODE_OF_WORKERS.test(name));
    const toStart = workers.filter((name) => isForWorkers || this.#workers.get(name)?.isRunning !== true);
    await Promise.all(toStart.map((name) => this.#startWorker(name)));
    await this.#applyAll(
      files.filter((name) => !WORKER_FILE.test(name)),
      saved === null,
    );
  }

  #endWorker(name: string, worker: DevWorker): void {
    worker.stop();
    this.#workers.delete(name);
  }

  /** Starts a worker. A changed schema replaces the registered one, because only this project uses it. */
  async #startWorker(name: string): Promise<void> {
    const worker = this.#workers.get(name) ?? new DevWorker(this.#io, name, this.#server);
    this.#workers.set(name, worker);
    for (let changed = await worker.start(); changed !== null; changed = await worker.start()) {
      if (this.#isStopped) return;
      await new Api(this.#server).deleteRegistered("functions", changed).catch(unlessGone);
    }
  }

  /** Applies the files one by one. A file with a mistake keeps its last valid state and does not block the others. */
  async #applyAll(files: readonly string[], isFirst: boolean): Promise<void> {
    const api = new Api(this.#server);
    for (const name of files) {
      try {
        // After a mistake is fixed, the result is printed even if the content equals the registered one.
        await apply(this.#io, api, [name], { changesOnly: !isFirst && !this.#broken.has(name) });
        this.#broken.delete(name);
      } catch (thrown) {
        this.#broken.add(name);
        const reason = thrown instanceof Error ? thrown.message : String(thrown);
        this.#io.err.write(`sluice: ${printable(name)} was not changed: ${printable(reason)}\n`);
      }
    }
  }
}

/** Another worker file of the project has the same function, and deleted the entry at the same time. */
function unlessGone(thrown: unknown): void {
  if (!(thrown instanceof ApiError) || thrown.status !== 404) throw thrown;
}

import { fork } from "node:child_process";
import { join } from "node:path";
import { CHECKOUT } from "./checkout.mjs";

/** How `sluice up` announces that it stops; it would be printed with every reload. */
const STOPPING = /^sluice: stopping;.*\n/m;

/** The server of `npm run dev` as a process, replaced by a new one whenever its code was built again. */
export class DevServer {
  firstUrl;
  #argv;
  #running = null;
  #reloading = Promise.resolve();
  #isStopped = false;
  #onFirstUrl;

  constructor(argv) {
    this.#argv = argv;
    this.firstUrl = new Promise((resolve) => (this.#onFirstUrl = resolve));
  }

  /** Resolves when no reload is under way. */
  isUp() {
    return this.#reloading;
  }

  reload() {
    this.#reloading = this.#reloading.then(() => this.#replace());
    return this.#reloading;
  }

  /** Asks the server to stop; resolves when its process has ended. */
  async stop() {
    this.#isStopped = true;
    await end(this.#running);
  }

  async #replace() {
    if (this.#isStopped) return;
    // The new process loads its code while the old one stops: port and database are free only after that.
    const next = spawnServer();
    await end(this.#running);
    this.#running = next;
    if (this.#isStopped) return void next.kill("SIGKILL");
    next.send([...this.#argv]);
    const url = await announced(next);
    if (url === null) {
      if (!this.#isStopped) process.stderr.write("sluice: the server has ended; the next saved file starts it again\n");
      return;
    }
    if (!this.#argv.includes("--port")) this.#argv = [...this.#argv, "--port", new URL(url).port];
    this.#argv = this.#argv.map((word, index, words) => (words[index - 1] === "--port" ? new URL(url).port : word));
    this.#onFirstUrl(url);
  }
}

function spawnServer() {
  // A group of its own: Ctrl-C in the terminal reaches this process only, which then asks the server to stop, once.
  const child = fork(join(CHECKOUT, "scripts", "dev-process.mjs"), {
    detached: true,
    // The embedded database is compiled quickly and not optimised: it is started with every reload.
    execArgv: ["--enable-source-maps", "--max-semi-space-size=64", "--liftoff-only"],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  child.stderr.on("data", (chunk) => process.stderr.write(chunk.toString("utf8").replace(STOPPING, "")));
  return child;
}

/** The URL in the line of JSON that `sluice up --json` prints; null when the process ends without it. */
function announced(child) {
  return new Promise((resolve) => {
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk.toString("utf8");
      const [line, ...rest] = text.split("\n");
      if (rest.length > 0) resolve(JSON.parse(line).url);
    });
    child.once("exit", () => resolve(null));
  });
}

function end(child) {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", resolve);
    child.kill("SIGTERM");
  });
}

import cluster, { type Worker } from "node:cluster";
import { availableParallelism } from "node:os";
import type { Stop } from "../clock/index.ts";
import type { OwnAnswer } from "../server/index.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import type { Log } from "./log.ts";
import { Refusal } from "./refusal.ts";
import { isSiblingMessage, type SiblingMessage } from "./siblings.ts";
import { STOP_MS } from "./serve-until-stopped.ts";

const PROCESSES_MAX = 256;
/** Time limit for one process to report its own figures. */
const ANSWER_MS = 2_000;
/** First pause before a process that died is started again. The pause doubles each time. */
const PAUSE_MS = 500;
const PAUSE_MAX_MS = 30_000;
const STEADY_MS = 10_000;

/** Reads the number of processes. `auto` means one per core. Null when the option was not given. */
export function processCount(written: string | undefined): number | null {
  if (written === undefined) return null;
  if (written === "auto") return availableParallelism();
  const count = /^\d{1,3}$/.test(written) ? Number(written) : 0;
  if (count >= 1 && count <= PROCESSES_MAX) return count;
  throw new Refusal(`--processes must be a number from 1 to ${PROCESSES_MAX}, or auto for one for each core`);
}

interface Asking {
  readonly answers: OwnAnswer[];
  readonly finish: () => void;
  /** Ids of the processes that have not answered. */
  readonly missing: Set<number>;
}

/** Starts processes that serve one port, replaces a process that dies, and stops all of them together. */
export class Processes {
  readonly #io: Io;
  readonly #log: Log;
  readonly #count: number;
  readonly #asking = new Map<number, Asking>();
  readonly #timers = new Set<Stop>();
  /** Ids of the processes that serve. One that is starting has no figures yet, and no answer waits for it. */
  readonly #serving = new Set<number>();
  #asked = 0;
  #isStopping = false;
  #pauseMs = PAUSE_MS;
  #listening: ((url: string) => void) | null = null;
  #ended: (exitCode: number) => void = () => undefined;

  constructor(io: Io, log: Log, count: number) {
    this.#io = io;
    this.#log = log;
    this.#count = count;
  }

  /** Resolves with the exit code when all processes have ended. `onListening` is called once, when the first process serves. */
  run(onListening: (url: string) => void): Promise<number> {
    this.#listening = onListening;
    const done = new Promise<number>((resolve) => {
      this.#ended = resolve;
    });
    const stopListening = this.#io.onInterrupt(() => this.#stop());
    cluster.on("exit", this.#onExit);
    cluster.on("message", this.#onMessage);
    // Only one process starts at first, so a problem that prevents serving is reported once.
    this.#fork();
    return done.finally(() => {
      stopListening();
      cluster.off("exit", this.#onExit);
      cluster.off("message", this.#onMessage);
      for (const stop of this.#timers) stop();
    });
  }

  /** Starts the other processes once the first one serves. */
  #begin(url: string): void {
    if (this.#listening === null) return;
    this.#listening(url);
    this.#listening = null;
    for (let index = 1; index < this.#count; index += 1) this.#fork();
  }

  #fork(): void {
    const worker = cluster.fork();
    const since = this.#io.clock.now();
    worker.once("exit", () => {
      this.#pauseMs = this.#io.clock.now() - since > STEADY_MS ? PAUSE_MS : Math.min(PAUSE_MAX_MS, this.#pauseMs * 2);
    });
  }

  readonly #onExit = (worker: Worker, code: number | null, signal: string | null): void => {
    const { pid = 0 } = worker.process;
    this.#serving.delete(worker.id);
    for (const asking of this.#asking.values()) settle(asking, worker);
    if (this.#isStopping) {
      if (workers().length === 0) this.#ended(EXIT.fine);
      return;
    }
    if (this.#listening !== null) {
      // A problem that stops the first process would stop all of them, and the first process has already reported it.
      this.#ended(code ?? EXIT.runFailed);
      return;
    }
    this.#log.warn("a process of the server ended; another takes its place", { pid, ended: signal ?? String(code) });
    this.#after(this.#pauseMs, () => (this.#isStopping ? undefined : this.#fork()));
  };

  readonly #onMessage = (worker: Worker, message: unknown): void => {
    if (!isSiblingMessage(message)) return;
    if (message.sluice === "listening") {
      this.#serving.add(worker.id);
      this.#begin(message.url);
    } else if (message.sluice === "ask") this.#ask(worker, message);
    else if (message.sluice === "report") {
      const asking = this.#asking.get(message.id);
      if (asking === undefined) return;
      asking.answers.push(message.answer);
      settle(asking, worker);
    }
  };

  #ask(asker: Worker, { id, path }: Extract<SiblingMessage, { sluice: "ask" }>): void {
    const own = (this.#asked += 1);
    const asked = workers().filter((worker) => worker === asker || this.#serving.has(worker.id));
    const stopTimer = this.#after(ANSWER_MS, () => finish());
    const finish = (): void => {
      stopTimer();
      const answers = this.#asking.get(own)?.answers ?? [];
      this.#asking.delete(own);
      notify(asker, { sluice: "answers", id, answers });
    };
    this.#asking.set(own, { answers: [], missing: new Set(asked.map((worker) => worker.id)), finish });
    for (const worker of asked) notify(worker, { sluice: "figures", id: own, path });
  }

  /** Stops all processes in order. A second request kills them without waiting. */
  #stop(): void {
    if (this.#isStopping) {
      this.#kill();
      return;
    }
    this.#isStopping = true;
    if (workers().length === 0) this.#ended(EXIT.fine);
    for (const worker of workers()) notify(worker, { sluice: "stop" });
    this.#after(STOP_MS, () => {
      this.#log.warn("not every process ended in time; the next start continues the rest");
      this.#kill();
    });
  }

  #kill(): void {
    for (const worker of workers()) worker.process.kill("SIGKILL");
    this.#io.exitNow(EXIT.cancelled);
  }

  #after(delayMs: number, fire: () => void): Stop {
    const stop = this.#io.clock.after(delayMs, () => {
      this.#timers.delete(stop);
      fire();
    });
    this.#timers.add(stop);
    return stop;
  }
}

function settle({ missing, finish }: Asking, { id }: Worker): void {
  if (missing.delete(id) && missing.size === 0) finish();
}

/** A process that has just ended may still be listed. */
function workers(): readonly Worker[] {
  const listed = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  return listed.filter((worker) => !worker.isDead());
}

function notify(worker: Worker, message: SiblingMessage): void {
  // The process may have died just now. Its exit event reports that.
  if (worker.isConnected()) worker.send(message);
}

import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { ScriptLimits, ScriptOutcome } from "./outcome.ts";

export interface ScriptCall {
  readonly code: string;
  /** JSON text. */
  readonly inputs: string;
}

/** Deep recursion of a script reaches the limit of the interpreter long before the end of this stack. */
const STACK_MB = 32;
const HEAP_MB = 256;

/** One worker thread with the interpreter. It takes one script at a time; killing it ends any work. */
export class ScriptThread {
  readonly #thread: Worker;
  readonly #answers: MessagePort;
  readonly #signal: Int32Array;

  constructor(limits: ScriptLimits, onAnswer: (outcome: ScriptOutcome) => void, onDeath: (why: string) => void) {
    const { port1, port2 } = new MessageChannel();
    this.#signal = new Int32Array(new SharedArrayBuffer(4));
    this.#answers = port1;
    // The thread needs neither the environment nor the flags of this process.
    this.#thread = new Worker(new URL("./script-interpreter.mjs", import.meta.url), {
      workerData: { answers: port2, signal: this.#signal, limits },
      transferList: [port2],
      env: {},
      execArgv: [],
      resourceLimits: { stackSizeMb: STACK_MB, maxOldGenerationSizeMb: HEAP_MB },
    });
    this.#answers.on("message", onAnswer);
    let why = "it ended by itself";
    this.#thread.on("error", (error) => (why = error.message));
    this.#thread.on("exit", () => onDeath(why));
    this.rest();
  }

  send(call: ScriptCall): void {
    this.#thread.ref();
    this.#thread.postMessage(call, []);
  }

  /** An idle thread must not keep the process alive. */
  rest(): void {
    this.#thread.unref();
    this.#answers.unref();
  }

  /** Runs a script while blocking the calling thread. Null when there is no outcome in time. */
  ask(call: ScriptCall, withinMs: number): ScriptOutcome | null {
    const before = Atomics.load(this.#signal, 0);
    this.send(call);
    Atomics.wait(this.#signal, 0, before, withinMs);
    this.rest();
    const received: { readonly message: ScriptOutcome } | undefined = receiveMessageOnPort(this.#answers);
    return received?.message ?? null;
  }

  async kill(): Promise<void> {
    this.#thread.removeAllListeners("exit");
    this.#answers.close();
    await this.#thread.terminate();
  }
}

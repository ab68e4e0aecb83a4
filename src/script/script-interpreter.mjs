/**
 * The thread in which scripts are interpreted, one after the other. Plain JavaScript, because a thread is started from a
 * file as it stands, in a checkout as well as in a package.
 *
 * Each script gets a WebAssembly instance of its own: no state of another script is left in it, its memory ends at the
 * limit, and it allocates and counts the same way every time.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import variant from "@jitl/quickjs-wasmfile-release-sync";
import { newQuickJSWASMModuleFromVariant, newVariant } from "quickjs-emscripten-core";

/** @typedef {import("quickjs-emscripten-core").QuickJSContext} Context */
/** @typedef {import("quickjs-emscripten-core").QuickJSHandle} Handle */
/** @typedef {import("./outcome.ts").ScriptOutcome} Outcome */
/** @typedef {import("./outcome.ts").ScriptLimits} Limits */
/** @typedef {{ code: string, inputs: string }} Call */

const PAGE_BYTES = 65_536;
/** The interpreter asks whether to go on once in so many jumps and calls. */
const STEPS_PER_TICK = 10_000;
/** Resuming after `await` is as much work for the interpreter as so many jumps. */
const STEPS_PER_RESUMPTION = 50;
const RESUMPTIONS_AT_A_TIME = 100;
const FILE = "script.js";
const HEAD = "(async function () { 'use strict'; ";
const TAIL = "\n})";
const MESSAGE_LENGTH_MAX = 2_000;
const NO_MEMORY = "it needs more memory than a script may have";

/** Takes away time, chance and shared memory; hands out what reads and writes JSON before an author can replace it. */
const PRELUDE = `(function () {
  delete Math.random;
  for (const name of ["Date", "SharedArrayBuffer", "WeakRef", "FinalizationRegistry"]) delete globalThis[name];
  return [JSON.parse, JSON.stringify];
})()`;

const binary = readFileSync(createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync/wasm"));
const compiled = WebAssembly.compile(binary);

/** @param {Call} call @param {Limits} limits @returns {Promise<Outcome>} */
async function interpret(call, limits) {
  const wasmMemory = new WebAssembly.Memory({ initial: 256, maximum: limits.memoryBytesMax / PAGE_BYTES });
  const steps = new Steps(limits.stepsMax);
  try {
    const module = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule: compiled, wasmMemory }));
    const runtime = module.newRuntime({ maxStackSizeBytes: limits.stackBytesMax });
    const context = runtime.newContext({ intrinsics: INTRINSICS });
    const [parse, stringify] = prepare(context);
    const inputs = context.unwrapResult(context.callFunction(parse, context.undefined, context.newString(call.inputs)));
    context.setProp(context.global, "inputs", inputs);
    runtime.setInterruptHandler(() => steps.take(STEPS_PER_TICK));
    const outcome = evaluate(context, call.code, stringify, limits, {
      steps,
      isFull: () => isFull(wasmMemory, limits),
    });
    // A script may catch the interruption of a function it called; its end counts all the same.
    return steps.isOver ? overSteps(limits, outcome) : outcome;
  } catch (trouble) {
    if (steps.isOver) return overSteps(limits, null);
    return broken(trouble, isFull(wasmMemory, limits));
  }
  // Nothing is disposed of: the instance goes as a whole.
}

/** What a script has used of its steps. */
class Steps {
  isOver = false;
  #left;

  /** @param {number} stepsMax */
  constructor(stepsMax) {
    this.#left = stepsMax;
  }

  /** True: there are none left. @param {number} count */
  take(count) {
    this.#left -= count;
    this.isOver ||= this.#left < 0;
    return this.isOver;
  }
}

/** Memory grows in pieces, the last of which may not fit. @param {WebAssembly.Memory} memory @param {Limits} limits */
function isFull(memory, { memoryBytesMax }) {
  return memory.buffer.byteLength > 0.9 * memoryBytesMax;
}

const INTRINSICS = {
  BaseObjects: true,
  Date: false,
  Eval: true,
  StringNormalize: true,
  RegExp: true,
  RegExpCompiler: true,
  JSON: true,
  Proxy: true,
  MapSet: true,
  TypedArrays: true,
  Promise: true,
  BigInt: true,
};

/** @param {Context} context @returns {[Handle, Handle]} */
function prepare(context) {
  const tools = context.unwrapResult(context.evalCode(PRELUDE, "prelude.js"));
  return [context.getProp(tools, 0), context.getProp(tools, 1)];
}

/**
 * @param {Context} context @param {string} code @param {Handle} stringify @param {Limits} limits
 * @param {{ steps: Steps, isFull: () => boolean }} used @returns {Outcome}
 */
function evaluate(context, code, stringify, limits, { steps, isFull }) {
  const made = context.evalCode(`${HEAD}${code}${TAIL}`, FILE);
  if (made.error !== undefined) return failed(context, made.error, code);
  const called = context.callFunction(made.value, context.undefined);
  if (called.error !== undefined) return failed(context, called.error, code);
  // A few resumptions at a time, so that a script that keeps making new ones ends with its steps.
  while (context.runtime.hasPendingJob() && !steps.isOver) {
    const ran = context.runtime.executePendingJobs(RESUMPTIONS_AT_A_TIME);
    if (ran.error !== undefined) return failed(context, ran.error, code);
    steps.take(ran.value * STEPS_PER_RESUMPTION);
  }
  const state = context.getPromiseState(called.value);
  switch (state.type) {
    case "rejected":
      return failed(context, state.error, code);
    case "pending":
      // A promise that could not be made for want of memory leaves the others waiting for ever.
      if (isFull()) return nowhere("limit", NO_MEMORY);
      return nowhere("error", "it waits for a promise that never settles: there is nothing outside to wait for");
    default:
      return returned(context, state.value, stringify, code, limits);
  }
}

/**
 * @param {Context} context @param {Handle} value @param {Handle} stringify @param {string} code @param {Limits} limits
 * @returns {Outcome}
 */
function returned(context, value, stringify, code, limits) {
  const type = context.typeof(value);
  if (type === "undefined") return { kind: "returned", json: null };
  if (type === "function" || type === "symbol" || type === "bigint")
    return nowhere(
      "error",
      `it returned a ${type}, which is no JSON; return text, numbers, booleans, lists or objects`,
    );
  const written = context.callFunction(stringify, context.undefined, value);
  if (written.error !== undefined) {
    const failure = failed(context, written.error, code);
    return failure.kind === "error" ? { ...failure, message: `its result is no JSON: ${failure.message}` } : failure;
  }
  if (context.typeof(written.value) !== "string") return nowhere("error", "its result is no JSON");
  const json = context.getString(written.value);
  const bytes = Buffer.byteLength(json);
  if (bytes > limits.resultBytesMax)
    return nowhere("limit", `its result has ${bytes} bytes; the limit is ${limits.resultBytesMax}`);
  return { kind: "returned", json };
}

/** @param {Context} context @param {Handle} error @param {string} code @returns {Outcome} */
function failed(context, error, code) {
  const name = textOf(context, error, "name");
  const message = textOf(context, error, "message") ?? thrownText(context, error);
  const place = placeOf(textOf(context, error, "stack"), code);
  if (message === "out of memory" && name === "InternalError") return { kind: "limit", message: NO_MEMORY, ...place };
  if (message === "stack overflow" && (name === "InternalError" || name === "SyntaxError"))
    return { kind: "limit", message: "its calls are nested too deeply", ...place };
  const full = name === null ? message : `${name}: ${message}`;
  return { kind: "error", message: full.slice(0, MESSAGE_LENGTH_MAX), ...place };
}

/** Own getters of an author may do anything, also throw. @param {Context} context @param {Handle} value @param {string} key */
function textOf(context, value, key) {
  try {
    if (context.typeof(value) !== "object") return null;
    const found = context.getProp(value, key);
    return context.typeof(found) === "string" ? context.getString(found) : null;
  } catch {
    return null;
  }
}

/** @param {Context} context @param {Handle} value */
function thrownText(context, value) {
  try {
    return `it threw ${context.getString(value)}`;
  } catch {
    return `it threw a value of type ${context.typeof(value)}`;
  }
}

/** Where the author's own code was, as a stack names it. @param {string | null} stack @param {string} code */
function placeOf(stack, code) {
  const [, line, column] = /script\.js:(\d+):(\d+)/.exec(stack ?? "") ?? [];
  if (line === undefined || column === undefined) return { line: null, column: null };
  const lines = code.split("\n");
  // What is not closed is found missing after the last line.
  if (Number(line) > lines.length) return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
  return { line: Number(line), column: Math.max(1, Number(column) - (line === "1" ? HEAD.length : 0)) };
}

/** @param {"error" | "limit"} kind @param {string} message @returns {Outcome} */
function nowhere(kind, message) {
  return { kind, message, line: null, column: null };
}

/** @param {Limits} limits @param {Outcome | null} outcome @returns {Outcome} */
function overSteps({ stepsMax }, outcome) {
  const place = outcome === null || outcome.kind === "returned" ? { line: null, column: null } : outcome;
  const { line, column } = place;
  return { kind: "limit", message: `it took more than ${stepsMax} steps`, line, column };
}

/** The interpreter itself gave up. @param {unknown} trouble @param {boolean} isMemoryFull @returns {Outcome} */
function broken(trouble, isMemoryFull) {
  if (trouble instanceof RangeError) return nowhere("limit", "its calls or its code are nested too deeply");
  if (isMemoryFull) return nowhere("limit", NO_MEMORY);
  const reason = trouble instanceof Error ? trouble.message : String(trouble);
  return nowhere("error", `the interpreter broke on it: ${reason.slice(0, 200)}`);
}

/** @type {{ answers: import("node:worker_threads").MessagePort, signal: Int32Array, limits: Limits }} */
const { answers, signal, limits } = workerData;

parentPort?.on("message", (/** @type {Call} */ call) => {
  void interpret(call, limits).then((outcome) => {
    answers.postMessage(outcome, []);
    Atomics.add(signal, 0, 1);
    Atomics.notify(signal, 0);
  });
});

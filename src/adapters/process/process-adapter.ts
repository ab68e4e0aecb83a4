/**
 * Runs a local command that an operator allowed by name. A definition can name a command and, if its configuration
 * allows it, add arguments. It can never choose a program, a variable or a shell. The command is selected in this order:
 *
 * 1. the input `command` with the list `args`; the message then goes to stdin unless there is a `stdin`;
 * 2. the first word of the message; its other words are the arguments.
 *
 * Input files are placed in `files/` of the work directory. Files that the command writes to `outputs/` become outputs.
 */
import { spawn } from "node:child_process";
import { userInfo } from "node:os";
import { basename } from "node:path";
import { createSystemClock, type Clock } from "../../clock/index.ts";
import { fail, isJsonObject, type Outcome, succeed } from "../../core/base/index.ts";
import { normaliseOutput } from "../../core/outputs/index.ts";
import {
  ADAPTER_SPECIFICATION,
  type Adapter,
  type AdapterHealth,
  type AdapterHooks,
  type AdapterRequest,
  type AdapterResult,
} from "../../adapter/index.ts";
import { fileFailure } from "../file-failure.ts";
import { readConfigSection } from "../config-section.ts";
import type { Environment } from "../environment.ts";
import { RunningAttempts } from "../running-attempts.ts";
import { runChild, type EndedChild, type Spawn } from "./child.ts";
import { readCommandLine, type CommandLine } from "./command-line.ts";
import { type CommandConfig, configSchema, type ProcessConfig } from "./config.ts";
import { findInheritable } from "./inheritance.ts";
import { findProgram, underLimits } from "./limits.ts";
import { keepOutputs, placeFiles } from "./work-files.ts";
import { childEnvironment, createWorkDirectory, removeWorkDirectory } from "./work-directory.ts";

const PROCESS_PROVIDER = "process";

export interface ProcessAdapterOptions {
  /** The environment from which a command gets the variables that its configuration names. */
  readonly env: Environment;
  /** The directory in which work directories are created. */
  readonly directory: string;
  readonly spawn?: Spawn;
  readonly clock?: Clock;
  /** Time between SIGTERM and SIGKILL. */
  readonly graceMs?: number;
  /** The program that sets limits. Null when there is none. When absent, the adapter searches for it. */
  readonly prlimit?: string | null;
}

const GRACE_MS = 5_000;
const OUTPUT_BYTES_MAX = 1_048_576;

export function createProcessAdapter(options: ProcessAdapterOptions): Adapter {
  const clock = options.clock ?? createSystemClock();
  const running = new RunningAttempts();
  let config: ProcessConfig = {};
  let prlimit = options.prlimit ?? null;
  let inheritable: readonly number[] = [];

  return {
    specificationVersion: ADAPTER_SPECIFICATION,
    provider: PROCESS_PROVIDER,
    async initialize(section) {
      config = readConfigSection(configSchema, section, PROCESS_PROVIDER);
      inheritable = await findInheritable();
      if (options.prlimit === undefined) prlimit = await findProgram("prlimit");
    },
    shutdown: () => running.end(),
    checkHealth: () => healthOf(config, prlimit),
    capabilities: () => ({ streaming: true, structuredOutput: false, tools: false, deferred: false }),
    cancel: (dispatchId) => running.cancel(dispatchId),
    async execute(request, hooks) {
      const line = readCommandLine(request, config);
      if (!line.ok) return { status: "failed", failure: "provider_refused", message: line.failure };
      if (hooks.signal.aborted) return cancelled(line.value.name);
      const context = { options, clock, prlimit, inheritable };
      return running.run(request.dispatchId, hooks.signal, (signal) =>
        perform(line.value, request, { ...hooks, signal }, context),
      );
    },
  };
}

/** The runtime environment of commands, apart from their configuration. */
interface RunContext {
  readonly options: ProcessAdapterOptions;
  readonly clock: Clock;
  readonly prlimit: string | null;
  readonly inheritable: readonly number[];
}

async function perform(
  { name, command, args, stdin }: CommandLine,
  request: AdapterRequest,
  hooks: AdapterHooks,
  { options, clock, prlimit, inheritable }: RunContext,
): Promise<AdapterResult> {
  const outputBytesMax = command.output_bytes_max ?? OUTPUT_BYTES_MAX;
  const timeoutMs = Math.min(command.timeout_ms ?? Infinity, request.timeoutMs ?? Infinity);
  const made = await createWorkDirectory(options.directory, command.user);
  if (!made.ok) {
    const message = `"${name}" got no work directory under ${options.directory}: ${made.failure}`;
    return { status: "failed", failure: "provider_error", message };
  }
  const workDirectory = made.value;
  try {
    const placed = await placeInputs(request, hooks, workDirectory, command);
    if (!placed.ok) return placed.failure;
    const order = {
      argv: underLimits([...command.argv, ...args], command, prlimit),
      cwd: command.cwd === undefined || command.cwd === "temp" ? workDirectory : command.cwd,
      env: { ...childEnvironment(request, command.env ?? [], options.env, workDirectory), ...placed.value },
      user: command.user,
      stdin,
      timeoutMs: timeoutMs === Infinity ? null : timeoutMs,
      outputBytesMax,
      mark: basename(workDirectory),
      inheritable,
      graceMs: options.graceMs ?? GRACE_MS,
    };
    const ended = await runChild(order, hooks, options.spawn ?? spawn, clock);
    const result = resultOf(ended, name, timeoutMs, outputBytesMax);
    return result.status === "completed" ? await withFiles(result, request, hooks, workDirectory, command) : result;
  } finally {
    await removeWorkDirectory(workDirectory).catch(() => {
      const message = `The work directory ${basename(workDirectory)} could not be removed.`;
      hooks.onLog({ level: "warning", message });
    });
  }
}

async function placeInputs(
  request: AdapterRequest,
  { files }: AdapterHooks,
  workDirectory: string,
  { user }: CommandConfig,
): Promise<Outcome<Readonly<Record<string, string>>, AdapterResult>> {
  try {
    return succeed(await placeFiles(request, files, workDirectory, user));
  } catch (thrown) {
    return fail(fileFailure(thrown));
  }
}

/** Adds the files in `outputs/` to the outputs that are read from stdout. */
async function withFiles(
  result: Extract<AdapterResult, { status: "completed" }>,
  request: AdapterRequest,
  { files }: AdapterHooks,
  workDirectory: string,
  { user }: CommandConfig,
): Promise<AdapterResult> {
  try {
    const kept = await keepOutputs(request, files, workDirectory, user);
    if (Object.keys(kept).length === 0) return result;
    const { value } = normaliseOutput(result.stdout ?? "", "json", "object");
    return { ...result, outputs: { ...(isJsonObject(value) ? value : {}), ...kept } };
  } catch (thrown) {
    return fileFailure(thrown);
  }
}

async function healthOf(config: ProcessConfig, prlimit: string | null): Promise<AdapterHealth> {
  const troubles: string[] = [];
  const commands = Object.entries(config.commands ?? {});
  if (prlimit === null) {
    troubles.push("The program prlimit is missing: memory, processor time, files and processes are not limited.");
  }
  for (const [name, { argv }] of commands) {
    const [file = ""] = argv;
    if ((await findProgram(file)) === null) troubles.push(`"${name}" cannot run: there is no program ${file}.`);
  }
  const asRoot = commands.filter(([, { user }]) => user === undefined).map(([name]) => name);
  if (asRoot.length > 0 && userInfo().uid === 0) {
    troubles.push(`${asRoot.join(", ")}: runs as root because no user is configured.`);
  }
  return troubles.length === 0 ? { status: "healthy" } : { status: "degraded", message: troubles.join(" ") };
}

function resultOf(ended: EndedChild, name: string, timeoutMs: number, outputBytesMax: number): AdapterResult {
  switch (ended.cause) {
    case "timeout":
      return { status: "failed", failure: "timeout", message: `"${name}" did not end within ${timeoutMs} ms.` };
    case "aborted":
      return cancelled(name);
    case "too_large": {
      const message = `output_too_large: "${name}" wrote more than ${outputBytesMax} bytes and was ended.`;
      return { status: "failed", failure: "provider_bad_output", message };
    }
    case "not_started": {
      const message = `"${name}" could not be started: ${ended.error ?? "the reason is unknown"}`;
      return { status: "failed", failure: "provider_error", message };
    }
    case "exit":
      return ended.code === 0 ? { status: "completed", stdout: ended.stdout } : failedExit(ended, name);
  }
}

function failedExit({ code, signal, stderrTail }: EndedChild, name: string): AdapterResult {
  const how = code === null ? `was ended by ${signal ?? "a signal"}` : `ended with exit code ${code}`;
  const stderr = stderrTail.trim() === "" ? "." : `; the end of its stderr:\n${stderrTail.trim()}`;
  return { status: "failed", failure: "provider_error", message: `"${name}" ${how}${stderr}` };
}

function cancelled(name: string): AdapterResult {
  return { status: "failed", failure: "cancelled", message: `"${name}" was cancelled.` };
}

import type { ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { AdapterHooks } from "../../adapter/index.ts";
import type { Clock, Stop } from "../../clock/index.ts";
import type { CommandConfig } from "./config.ts";
import { shieldedStdio } from "./inheritance.ts";
import { killMarked, signalGroup } from "./leftover.ts";
import { createStderrLog } from "./stderr-log.ts";

export type Spawn = typeof spawn;

export interface ChildOrder {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: CommandConfig["user"];
  readonly stdin: string;
  /** Null when there is no limit. */
  readonly timeoutMs: number | null;
  readonly outputBytesMax: number;
  readonly mark: string;
  /** Open file descriptors that the command must not inherit. */
  readonly inheritable: readonly number[];
  readonly graceMs: number;
}

/** The reason why a command ended: by itself, or because the adapter ended it. */
type EndCause = "exit" | "timeout" | "aborted" | "too_large" | "not_started";

export interface EndedChild {
  readonly cause: EndCause;
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderrTail: string;
  /** The reason why it could not be started. */
  readonly error?: string;
}

const STDIN_CHUNK_BYTES = 65_536;
/** Maximum time to read output after exit, when a process that was not found still holds the stream open. */
const DRAIN_MS = 5_000;

/** Starts a command as leader of its own process group. Returns when all its processes have ended. */
export async function runChild(
  order: ChildOrder,
  hooks: AdapterHooks,
  spawnChild: Spawn,
  clock: Clock,
): Promise<EndedChild> {
  if (hooks.signal.aborted) return { ...NOTHING, cause: "aborted" };
  let child: ChildProcessWithoutNullStreams;
  try {
    child = start(order, spawnChild);
  } catch (thrown) {
    return notStarted(thrown);
  }
  const stopper = createProcessStopper(child, order.graceMs, clock);
  const output = collectOutput(child, order.outputBytesMax, hooks, () => stopper.stop("too_large"));
  const onAbort = (): void => stopper.stop("aborted");
  const stopTimer = order.timeoutMs === null ? () => {} : clock.after(order.timeoutMs, () => stopper.stop("timeout"));
  hooks.signal.addEventListener("abort", onAbort, { once: true });
  feed(child, order.stdin);
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  try {
    const exit = await untilExit(child);
    if (exit instanceof Error) return notStarted(exit);
    stopper.end();
    await endLeftovers(child, order.mark, hooks, closed, clock);
    return { cause: stopper.cause(), ...exit, ...output.finish() };
  } finally {
    stopTimer();
    stopper.end();
    hooks.signal.removeEventListener("abort", onAbort);
  }
}

function start({ argv, cwd, env, user, inheritable }: ChildOrder, spawnChild: Spawn): ChildProcessWithoutNullStreams {
  const [file = "", ...args] = argv;
  const nothing = openSync("/dev/null", "r+");
  try {
    const stdio = shieldedStdio(inheritable, nothing);
    const options = { cwd, env: { ...env }, detached: true, shell: false, stdio, ...user };
    // The first three are pipes, which the function's type cannot express.
    return spawnChild(file, args, options) as ChildProcessWithoutNullStreams;
  } finally {
    closeSync(nothing);
  }
}

interface ProcessStopper {
  stop(cause: Exclude<EndCause, "exit" | "not_started">): void;
  cause(): EndCause;
  end(): void;
}

/** Stops a command with SIGTERM and, after the grace time, SIGKILL. Only the first cause is recorded. */
function createProcessStopper({ pid }: ChildProcessWithoutNullStreams, graceMs: number, clock: Clock): ProcessStopper {
  let cause: EndCause = "exit";
  let isEnded = false;
  let stopGrace: Stop | null = null;
  return {
    stop(reason) {
      if (cause !== "exit" || isEnded) return;
      cause = reason;
      if (pid === undefined) return;
      if (reason === "too_large") return signalGroup(pid, "SIGKILL");
      signalGroup(pid, "SIGTERM");
      stopGrace = clock.after(graceMs, () => signalGroup(pid, "SIGKILL"));
    },
    cause: () => cause,
    end() {
      isEnded = true;
      stopGrace?.();
    },
  };
}

interface Output {
  finish(): { readonly stdout: string; readonly stderrTail: string };
}

function collectOutput(
  child: ChildProcessWithoutNullStreams,
  bytesMax: number,
  { onPartial, onLog }: AdapterHooks,
  onTooLarge: () => void,
): Output {
  const kept: Buffer[] = [];
  const decoder = new StringDecoder("utf8");
  const stderr = createStderrLog(onLog);
  let stdoutBytes = 0;
  let stderrBytes = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    stdoutBytes += chunk.length;
    if (stdoutBytes > bytesMax) return onTooLarge();
    kept.push(chunk);
    const text = decoder.write(chunk);
    if (text !== "") onPartial({ text });
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderrBytes += chunk.length;
    if (stderrBytes > bytesMax) return onTooLarge();
    stderr.add(chunk);
  });
  return {
    finish() {
      const rest = decoder.end();
      if (rest !== "" && stdoutBytes <= bytesMax) onPartial({ text: rest });
      return { stdout: Buffer.concat(kept).toString("utf8"), stderrTail: stderr.finish() };
    },
  };
}

/** Writes to stdin. A command that does not read it, or stops reading, is no failure. */
function feed(child: ChildProcessWithoutNullStreams, text: string): void {
  const bytes = Buffer.from(text, "utf8");
  const count = Math.ceil(bytes.length / STDIN_CHUNK_BYTES);
  const chunks = Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * STDIN_CHUNK_BYTES, (index + 1) * STDIN_CHUNK_BYTES),
  );
  child.stdin.on("error", () => {});
  Readable.from(chunks).pipe(child.stdin);
}

type Exit = Pick<EndedChild, "code" | "signal">;

function untilExit(child: ChildProcessWithoutNullStreams): Promise<Exit | Error> {
  return new Promise((resolve) => {
    child.on("error", resolve);
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
}

/** Ends the process group, then processes that left it, and then reads the rest of the output. */
async function endLeftovers(
  child: ChildProcessWithoutNullStreams,
  mark: string,
  { onLog }: AdapterHooks,
  closed: Promise<void>,
  clock: Clock,
): Promise<void> {
  if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
  if (!(await killMarked(mark))) {
    onLog({ level: "warning", message: "The command left processes behind that could not all be ended." });
  }
  await new Promise<void>((resolve) => {
    const stopWaiting = clock.after(DRAIN_MS, resolve);
    void closed.then(() => {
      stopWaiting();
      resolve();
    });
  });
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
}

const NOTHING = { code: null, signal: null, stdout: "", stderrTail: "" };

function notStarted(thrown: unknown): EndedChild {
  return { ...NOTHING, cause: "not_started", error: thrown instanceof Error ? thrown.message : String(thrown) };
}

import { spawn } from "node:child_process";
import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";
import { isatty, type WriteStream } from "node:tty";
import { createSystemClock } from "../clock/index.ts";
import type { Interruption, Io, Screen } from "./io.ts";

const SIGNALS = { SIGINT: "interrupt", SIGTERM: "terminate", SIGHUP: "hangup" } as const;

/** Creates the Io of a real process. */
export function createProcessIo(): Io {
  const listeners = new Set<(why: Interruption) => void>();
  const interrupt = (why: Interruption): void => {
    for (const listener of listeners) listener(why);
  };
  const onSignal = (signal: NodeJS.Signals): void => interrupt(SIGNALS[signal as keyof typeof SIGNALS]);
  return {
    out: createScreen(process.stdout, 1, () => interrupt("unread")),
    err: createScreen(process.stderr, 2, () => undefined),
    cwd: process.cwd(),
    env: process.env,
    clock: createSystemClock(),
    isInputTty: isatty(process.stdin.fd),
    readInput: () => readAll(process.stdin),
    readLine: createLineReader(),
    openEditor,
    onInterrupt(listener) {
      if (listeners.size === 0) for (const signal of Object.keys(SIGNALS)) process.on(signal, onSignal);
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        for (const signal of Object.keys(SIGNALS)) process.off(signal, onSignal);
      };
    },
    exitNow: (code) => process.exit(code),
  };
}

/** Creates a screen. A reader that closes the pipe (`| head`) is not an error: later output is dropped and the writer is notified. */
function createScreen(stream: WriteStream, fd: number, onClosed: () => void): Screen {
  let isOpen = true;
  stream.on("error", () => {
    if (!isOpen) return;
    isOpen = false;
    onClosed();
  });
  return {
    isTty: isatty(fd),
    // A terminal that does not know its size reports 0, a pipe nothing.
    size: () => ({ columns: stream.columns || 80, rows: stream.rows || 24 }),
    write(text) {
      if (isOpen) stream.write(text);
    },
  };
}

async function readAll(stream: Readable): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Uses a shell because the variable may contain options. The path is an argument, so the shell does not interpret it. */
function openEditor(path: string): Promise<number> {
  const editor = process.env["VISUAL"] ?? process.env["EDITOR"] ?? "vi";
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", path], { stdio: "inherit" });
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** Creates the line reader. At a terminal each question has its own prompt, and from a pipe each question reads the next line. */
function createLineReader(): Io["readLine"] {
  if (isatty(process.stdin.fd)) return askAtTerminal;
  let lines: AsyncIterator<string> | null = null;
  return async (prompt) => {
    process.stderr.write(`${prompt}\n`);
    lines ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const next = await lines.next();
    return next.done === true ? null : next.value;
  };
}

async function askAtTerminal(prompt: string, signal: AbortSignal): Promise<string | null> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr, terminal: true });
  // The terminal is in raw mode while it asks, so Ctrl-C arrives as an ordinary key.
  terminal.once("SIGINT", () => process.kill(process.pid, "SIGINT"));
  try {
    return await new Promise<string | null>((resolve) => {
      terminal.once("close", () => resolve(null));
      terminal.question(prompt, { signal }).then(resolve, () => resolve(null));
    });
  } finally {
    terminal.close();
  }
}

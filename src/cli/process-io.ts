import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";
import type { WriteStream } from "node:tty";
import { createSystemClock } from "../bridge/index.ts";
import type { Io, Screen } from "./io.ts";

/** The world of a real process. */
export function createProcessIo(): Io {
  const interrupted = new Set<() => void>();
  const interrupt = (): void => {
    for (const listener of interrupted) listener();
  };
  return {
    out: createScreen(process.stdout, interrupt),
    err: createScreen(process.stderr, () => undefined),
    cwd: process.cwd(),
    env: process.env,
    clock: createSystemClock(),
    isInputTty: process.stdin.isTTY === true,
    readInput: () => readAll(process.stdin),
    readLine,
    onInterrupt(listener) {
      if (interrupted.size === 0) {
        process.on("SIGINT", interrupt);
        process.on("SIGTERM", interrupt);
      }
      interrupted.add(listener);
      return () => {
        interrupted.delete(listener);
        if (interrupted.size > 0) return;
        process.off("SIGINT", interrupt);
        process.off("SIGTERM", interrupt);
      };
    },
    exitNow: (code) => process.exit(code),
  };
}

/** A reader that goes away (`| head`) is no failure: what nobody reads is not written, and whoever writes is told. */
function createScreen(stream: WriteStream, onClosed: () => void): Screen {
  let isOpen = true;
  stream.on("error", () => {
    if (!isOpen) return;
    isOpen = false;
    onClosed();
  });
  return {
    isTty: stream.isTTY === true,
    size: () => ({ columns: stream.columns ?? 80, rows: stream.rows ?? 24 }),
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

async function readLine(prompt: string, signal: AbortSignal): Promise<string | null> {
  const lines = createInterface({
    input: process.stdin,
    output: process.stderr,
    terminal: process.stdin.isTTY === true,
  });
  try {
    return await new Promise<string | null>((resolve) => {
      lines.once("close", () => resolve(null));
      lines.once("SIGINT", () => {
        process.kill(process.pid, "SIGINT");
      });
      lines.question(prompt, { signal }).then(resolve, () => resolve(null));
    });
  } finally {
    lines.close();
  }
}

/** The command as a script calls it: no terminal, and no person who answers. */
import { expect } from "vitest";
import { type Clock, createSystemClock } from "../../src/clock/index.ts";
import type { Io, Screen } from "../../src/cli/io.ts";
import { main } from "../../src/cli/command-line.ts";

export interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** What is piped into it. */
  readonly input?: string;
  readonly onInterrupt?: Io["onInterrupt"];
}

export interface Called {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function callSluice(argv: readonly string[], surroundings: Surroundings = {}): Promise<Called> {
  const written = { out: "", err: "" };
  return { code: await main(argv, ioOf(written, surroundings)), ...written };
}

/** What a script gives a command; `written` collects its output. */
export function ioOf(written: { out: string; err: string }, surroundings: Surroundings): Io {
  const { cwd = ".", env = {}, clock = createSystemClock(), input = "", onInterrupt } = surroundings;
  const screen = (stream: "out" | "err"): Screen => ({
    isTty: false,
    size: () => ({ columns: 80, rows: 24 }),
    write: (text) => void (written[stream] += text),
  });
  return {
    out: screen("out"),
    err: screen("err"),
    cwd,
    env,
    clock,
    isInputTty: false,
    readInput: () => Promise.resolve(new TextEncoder().encode(input)),
    readLine: () => Promise.resolve(null),
    onInterrupt: onInterrupt ?? (() => () => undefined),
    exitNow: (code) => expect.fail(`it was not asked to exit with ${code}`),
  };
}

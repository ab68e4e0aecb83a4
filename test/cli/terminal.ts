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
}

export interface Called {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function callSluice(argv: readonly string[], surroundings: Surroundings = {}): Promise<Called> {
  const { cwd = ".", env = {}, clock = createSystemClock(), input = "" } = surroundings;
  let out = "";
  let err = "";
  const screen = (write: (text: string) => void): Screen => ({
    isTty: false,
    size: () => ({ columns: 80, rows: 24 }),
    write,
  });
  const io: Io = {
    out: screen((text) => (out += text)),
    err: screen((text) => (err += text)),
    cwd,
    env,
    clock,
    isInputTty: false,
    readInput: () => Promise.resolve(new TextEncoder().encode(input)),
    readLine: () => Promise.resolve(null),
    onInterrupt: () => () => undefined,
    exitNow: (code) => expect.fail(`it was not asked to exit with ${code}`),
  };
  return { code: await main(argv, io), out, err };
}

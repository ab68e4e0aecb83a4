import type { Clock } from "../clock/index.ts";

/** Somewhere text goes: a terminal, a pipe, a test. */
export interface Screen {
  readonly isTty: boolean;
  /** Of the terminal at this moment; 80 × 24 elsewhere. */
  size(): { readonly columns: number; readonly rows: number };
  write(text: string): void;
}

/** Why a command is to stop: Ctrl-C, a request to terminate, a terminal that went away, data that is no longer read. */
export type Interruption = "interrupt" | "terminate" | "hangup" | "unread";

/** Everything of the outside world that a command may touch besides files. */
export interface Io {
  /** Data. */
  readonly out: Screen;
  /** Progress, problems and hints. */
  readonly err: Screen;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly isInputTty: boolean;
  /** All of standard input. */
  readInput(): Promise<Uint8Array>;
  /** One line typed by a person; null when there is none left or it is not wanted any more. */
  readLine(prompt: string, signal: AbortSignal): Promise<string | null>;
  /** Opens a file in the person's editor, and returns the exit code of that; absent: there is none. */
  openEditor?(path: string): Promise<number>;
  /** Calls back when the command is to stop; returns how to end that. */
  onInterrupt(listener: (why: Interruption) => void): () => void;
  /** Ends the process without waiting for anything. */
  exitNow(code: number): void;
}

/** A person sits there, reads what is shown and can answer. */
export function isAtTerminal({ isInputTty, err }: Io): boolean {
  return isInputTty && err.isTty;
}

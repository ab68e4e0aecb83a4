import type { Clock } from "../clock/index.ts";

/** A destination for text: a terminal, a pipe or a test. */
export interface Screen {
  readonly isTty: boolean;
  /** Current size of the terminal. 80 × 24 when the output is not a terminal. */
  size(): { readonly columns: number; readonly rows: number };
  write(text: string): void;
}

/** Reason for a command to stop: Ctrl-C, a request to terminate, a closed terminal, or output that is no longer read. */
export type Interruption = "interrupt" | "terminate" | "hangup" | "unread";

/** Everything outside the process that a command may use, apart from files. */
export interface Io {
  /** Standard output, for data. */
  readonly out: Screen;
  /** Standard error, for progress, problems and hints. */
  readonly err: Screen;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly isInputTty: boolean;
  /** Returns all of standard input. */
  readInput(): Promise<Uint8Array>;
  /** Returns one line typed by a person. Null when the input has ended or the signal was aborted. */
  readLine(prompt: string, signal: AbortSignal): Promise<string | null>;
  /** Opens a file in the person's editor and returns the editor's exit code. Absent when there is no editor. */
  openEditor?(path: string): Promise<number>;
  /** Calls the listener when the command should stop. Returns a function that removes the listener. */
  onInterrupt(listener: (why: Interruption) => void): () => void;
  /** Ends the process without waiting for anything. */
  exitNow(code: number): void;
}

/** Checks whether a person at a terminal can read the output and answer. */
export function isAtTerminal({ isInputTty, err }: Io): boolean {
  return isInputTty && err.isTty;
}

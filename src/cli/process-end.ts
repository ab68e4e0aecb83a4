import { EXIT } from "./exit-code.ts";

/** The parts of a process that are needed to end it. */
export interface EndingProcess {
  exitCode?: number | string | null | undefined;
  readonly stdout: { readonly writableLength: number };
  readonly stderr: { write(text: string): unknown };
  once(event: "beforeExit", listener: () => void): unknown;
  off(event: "beforeExit", listener: () => void): unknown;
  exit(code: number): void;
}

/** Time for forgotten timers and connections to end by themselves. */
const LINGER_MS = 500;

/**
 * Ends a process with the exit code of its command. Node itself would get this wrong in two cases: it reports success
 * when nothing is left to wait for before the command has finished, and it stays alive when something is left open
 * afterwards.
 */
export async function whenDone(own: EndingProcess, command: Promise<number>): Promise<void> {
  own.exitCode = EXIT.runFailed;
  const onEmpty = (): void => {
    own.stderr.write("sluice: internal error: the command has not ended, and nothing is left that it could wait for\n");
  };
  own.once("beforeExit", onEmpty);
  const code = await command;
  own.off("beforeExit", onEmpty);
  own.exitCode = code;
  const leave = (): void => {
    // Output that a slow reader has not read yet is data and must not be lost.
    if (own.stdout.writableLength === 0) own.exit(code);
    else setTimeout(leave, LINGER_MS).unref();
  };
  setTimeout(leave, LINGER_MS).unref();
}

import { EXIT } from "./exit-code.ts";

/** What ending needs of a process. */
export interface EndingProcess {
  exitCode?: number | string | null | undefined;
  readonly stdout: { readonly writableLength: number };
  readonly stderr: { write(text: string): unknown };
  once(event: "beforeExit", listener: () => void): unknown;
  off(event: "beforeExit", listener: () => void): unknown;
  exit(code: number): void;
}

/** Timers and connections that were forgotten have this long to end by themselves. */
const LINGER_MS = 500;

/**
 * Gives a process the exit code of its command. Two things must not decide it instead: nothing left to wait for before
 * the command is done, which Node takes for success, and something left open afterwards, which would keep it alive.
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
    // What a slow reader has not taken yet is data.
    if (own.stdout.writableLength === 0) own.exit(code);
    else setTimeout(leave, LINGER_MS).unref();
  };
  setTimeout(leave, LINGER_MS).unref();
}

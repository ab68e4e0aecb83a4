import { CommanderError } from "commander";
import { MissingPackage } from "../core/base/index.ts";
import { printApiFailure } from "./api-failure.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { createProcessIo } from "./process-io.ts";
import { runProgram } from "./program.ts";
import { Refusal } from "./refusal.ts";
import { printable } from "./terminal-text.ts";

/** Runs the program with the given arguments and returns the exit code. Never throws, so no user sees a stack trace. */
export async function main(argv: readonly string[], io: Io = createProcessIo()): Promise<number> {
  try {
    return await runProgram(io, argv);
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? EXIT.fine : EXIT.badUsage;
    if (thrown instanceof Refusal) {
      io.err.write(`sluice: ${thrown.message}\n`);
      return thrown.exitCode;
    }
    if (thrown instanceof MissingPackage) {
      io.err.write(`sluice: ${thrown.message}\n`);
      return EXIT.badUsage;
    }
    const refused = printApiFailure(io, thrown);
    if (refused !== null) return refused;
    io.err.write(`sluice: internal error: ${printable(thrown instanceof Error ? thrown.message : String(thrown))}\n`);
    io.err.write("  this is a bug in sluice; please report it with the command you ran\n");
    return EXIT.runFailed;
  }
}

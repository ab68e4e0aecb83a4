import { EXIT } from "./exit-code.ts";

/** A command cannot continue, and has printed why or does so now; turned into an exit code where the program ends. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly exitCode: number;

  /** Without a message, everything has been printed already. */
  constructor(message: string, exitCode: number = EXIT.badUsage) {
    super(message);
    this.exitCode = exitCode;
  }
}

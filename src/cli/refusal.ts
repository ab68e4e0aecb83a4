import { EXIT } from "./exit-code.ts";

/** Thrown when a command cannot continue. The message has been printed already or is printed when the program ends with the exit code. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly exitCode: number;

  /** An empty message means that everything has been printed already. */
  constructor(message: string, exitCode: number = EXIT.badUsage) {
    super(message);
    this.exitCode = exitCode;
  }
}

import { type ChildProcess, spawn } from "node:child_process";
import { preparedProgram } from "../program/program.ts";

const WAIT_MS = 60_000;

/** The program in a real terminal, and a person in front of it. */
export class PseudoTerminal {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number>;
  #screen = "";
  #onText: () => void = () => undefined;

  /** `script` makes the terminal; with `-e` its exit code is that of the program. */
  constructor(args: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
    const command = [process.execPath, preparedProgram(), ...args]
      .map((word) => `'${word.replaceAll("'", "'\\''")}'`)
      .join(" ");
    this.#child = spawn("script", ["-qefc", `exec ${command}`, "/dev/null"], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], TERM: "xterm", ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const add = (piece: Buffer): void => {
      this.#screen += piece.toString("utf8");
      this.#onText();
    };
    this.#child.stdout?.on("data", add);
    this.#child.stderr?.on("data", add);
    this.#ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", (code) => resolve(code ?? -1));
    });
  }

  get screen(): string {
    return this.#screen;
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** Waits until a text is on the screen, and returns it. */
  async shows(pattern: RegExp): Promise<RegExpExecArray> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`never shown: ${pattern}\n${this.#screen}`)), WAIT_MS);
      this.#onText = () => {
        const found = pattern.exec(this.#screen);
        if (found === null) return;
        clearTimeout(timer);
        this.#onText = () => undefined;
        resolve(found);
      };
      this.#onText();
    });
  }

  ended(): Promise<number> {
    return this.#ended;
  }
}

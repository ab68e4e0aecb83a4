import type { Command } from "commander";
import { Api } from "./api.ts";
import type { Io } from "./io.ts";
import { pageSize } from "./option-values.ts";
import { demandServer, type LinkOptions } from "./server-link.ts";

/** Runs the work of a command and records its result as the exit code. */
export type Settle = (work: () => number | Promise<number>) => Promise<void>;

/** The shared objects that commands are created with. */
export interface Workbench {
  readonly io: Io;
  readonly settle: Settle;
}

export function example(line: string): string {
  return `\nExample:\n  $ ${line}`;
}

/** Adds the options of every command that connects to a server. */
export function addLinkOptions(command: Command): Command {
  return command
    .option("--url <url>", "the server (SLUICE_URL; else the one `sluice up` runs from this folder)")
    .option("--key <key>", "the key for it (SLUICE_KEY)");
}

export function addListOptions(command: Command): Command {
  return addLinkOptions(command)
    .option("--limit <n>", "how many at most, 1 to 100", pageSize)
    .option("--cursor <cursor>", "continue where an earlier list ended")
    .option("--json", "print the answer of the API as JSON");
}

/** Adds a noun for a group of commands, as in `runs list` and `keys create`. */
export function addNoun(program: Command, noun: string, description: string): Command {
  return program
    .command(noun)
    .description(description)
    .helpCommand(false)
    .addHelpText("after", example(`sluice ${noun} --help`));
}

/** Returns the action of a command that uses a server. `work` receives the arguments of the command, with its options last. */
export function onServer<G extends readonly unknown[]>(
  { io, settle }: Workbench,
  work: (io: Io, api: Api, ...given: G) => number | Promise<number>,
): (...given: [...G, Command]) => Promise<void> {
  return (...given) => {
    const own = given.slice(0, -1) as unknown as G;
    return settle(() => work(io, new Api(demandServer(io, own.at(-1) as LinkOptions)), ...own));
  };
}

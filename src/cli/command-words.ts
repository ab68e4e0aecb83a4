import type { Command } from "commander";
import { Api } from "./api.ts";
import type { Io } from "./io.ts";
import { pageSize } from "./option-values.ts";
import { demandServer, type LinkOptions } from "./server-link.ts";

/** Does what a command asks for; what it gives is the exit code. */
export type Settle = (work: () => number | Promise<number>) => Promise<void>;

/** What commands are made with. */
export interface Workbench {
  readonly io: Io;
  readonly settle: Settle;
}

export function example(line: string): string {
  return `\nExample:\n  $ ${line}`;
}

/** The options of every command that talks to a server. */
export function addLinkOptions(command: Command): Command {
  return command
    .option("--url <url>", "the server (SLUICE_URL; else the one `sluice up` runs from this folder)")
    .option("--key <key>", "the key for it (SLUICE_KEY)");
}

export function addListOptions(command: Command): Command {
  return addLinkOptions(command)
    .option("--limit <n>", "how many at most, 1 to 100", pageSize)
    .option("--cursor <cursor>", "continue where an earlier list ended")
    .option("--json", "print what the API answers");
}

/** Commands under a noun: `runs list`, `keys create`. */
export function addNoun(program: Command, noun: string, description: string): Command {
  return program
    .command(noun)
    .description(description)
    .helpCommand(false)
    .addHelpText("after", example(`sluice ${noun} --help`));
}

/** The action of a command that talks to a server; `work` gets what the command was given, its options last. */
export function onServer<G extends readonly unknown[]>(
  { io, settle }: Workbench,
  work: (io: Io, api: Api, ...given: G) => number | Promise<number>,
): (...given: [...G, Command]) => Promise<void> {
  return (...given) => {
    const own = given.slice(0, -1) as unknown as G;
    return settle(() => work(io, new Api(demandServer(io, own.at(-1) as LinkOptions)), ...own));
  };
}

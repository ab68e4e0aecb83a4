import type { Command } from "commander";
import type { Api } from "./api.ts";
import { addListOptions, apiOf, example, type Workbench } from "./command-words.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { formatWhen, type ListOptions, pageOf, printList } from "./listing.ts";
import type { LinkOptions } from "./server-link.ts";
import { oneLine, printable } from "./terminal-text.ts";

interface MemoryOptions extends ListOptions {
  readonly forget?: boolean;
  readonly quiet?: boolean;
}

export function addMemoryCommand(agents: Command, { io, settle }: Workbench): void {
  addListOptions(agents.command("memory").description("list what an agent remembers, newest first, or make it forget"))
    .argument("<id>", "name of the agent")
    .option("--forget", "forget everything instead of listing it")
    .option("--quiet", "with --forget: print nothing")
    .addHelpText("after", example("sluice agents memory analyst"))
    .action((id: string, options: MemoryOptions & LinkOptions) =>
      settle(() => (options.forget === true ? forget : list)(io, apiOf(io, options), id, options)),
    );
}

async function forget(io: Io, api: Api, id: string, { quiet }: MemoryOptions): Promise<number> {
  await api.forgetMemory(id);
  if (quiet !== true) io.err.write(`the agent ${printable(id)} remembers nothing any more\n`);
  return EXIT.fine;
}

const TEXT_WIDTH_MAX = 60;

async function list(io: Io, api: Api, id: string, options: MemoryOptions): Promise<number> {
  const now = io.clock.now();
  printList(io, await api.listMemory(id, pageOf(options)), options, {
    none: "it remembers nothing; it keeps what it answers once its manifest has a memory_profile",
    head: ["WHEN", "MEMORY", "RUN", "NODE", "TEXT"],
    row: ({ at, profile, runId, nodeId, text }) => [
      formatWhen(at, now),
      oneLine(profile),
      oneLine(runId),
      oneLine(nodeId),
      shortened(oneLine(text)),
    ],
  });
  return EXIT.fine;
}

function shortened(text: string): string {
  const characters = Array.from(text);
  return characters.length > TEXT_WIDTH_MAX ? `${characters.slice(0, TEXT_WIDTH_MAX - 1).join("")}…` : text;
}

import type { Command } from "commander";
import type { Api } from "./api.ts";
import { addListOptions, onServer, example, type Workbench } from "./command-words.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { formatWhen, type ListOptions, pageOf, printList } from "./listing.ts";
import { oneLine, printable } from "./terminal-text.ts";

interface MemoryOptions extends ListOptions {
  readonly forget?: boolean;
  readonly quiet?: boolean;
}

export function addMemoryCommand(agents: Command, bench: Workbench): void {
  addListOptions(agents.command("memory").description("list the memory of an agent, newest first, or delete it"))
    .argument("<id>", "name of the agent")
    .option("--forget", "delete the memory instead of listing it")
    .option("--quiet", "with --forget: print nothing")
    .addHelpText("after", example("sluice agents memory analyst"))
    .action(
      onServer(bench, (io, api, id: string, options: MemoryOptions) =>
        (options.forget === true ? forget : list)(io, api, id, options),
      ),
    );
}

async function forget(io: Io, api: Api, id: string, { quiet }: MemoryOptions): Promise<number> {
  await api.forgetMemory(id);
  if (quiet !== true) io.err.write(`the memory of the agent ${printable(id)} is deleted\n`);
  return EXIT.fine;
}

const TEXT_WIDTH_MAX = 60;

async function list(io: Io, api: Api, id: string, options: MemoryOptions): Promise<number> {
  const now = io.clock.now();
  printList(io, await api.listMemory(id, pageOf(options)), options, {
    none: "its memory is empty; its answers are kept when its manifest has a memory_profile",
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

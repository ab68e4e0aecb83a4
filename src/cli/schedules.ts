import type { Command } from "commander";
import type { Api } from "./api.ts";
import { addListOptions, onServer, example, type Workbench } from "./command-words.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { formatWhen, type ListOptions, pageOf, printList } from "./listing.ts";
import { oneLine } from "./terminal-text.ts";

export function addSlotsCommand(schedules: Command, bench: Workbench): void {
  addListOptions(
    schedules.command("slots").description("list the slots of a schedule and their outcome, and the next slot"),
  )
    .argument("<id>", "name of the schedule")
    .addHelpText("after", example("sluice schedules slots nightly"))
    .action(onServer(bench, listSlots));
}

async function listSlots(io: Io, api: Api, id: string, options: ListOptions): Promise<number> {
  const page = await api.listSlots(id, pageOf(options));
  const now = io.clock.now();
  printList(io, page, options, {
    none: "none of its slots is due yet",
    head: ["SLOT", "STATE", "WHEN", "RUN", "REASON"],
    row: ({ slotAt, state, runId, reason }) => [
      oneLine(slotAt),
      oneLine(state),
      formatWhen(slotAt, now),
      oneLine(runId ?? "–"),
      oneLine(reason ?? "–"),
    ],
  });
  if (options.json === true) return EXIT.fine;
  const next = page.nextSlots.map((slotAt) => `${oneLine(slotAt)} (${formatWhen(slotAt, now)})`);
  io.err.write(next.length === 0 ? "there is no next slot\n" : `next: ${next.join(", ")}\n`);
  return EXIT.fine;
}

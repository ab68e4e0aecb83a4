import type { Command } from "commander";
import type { MoveView } from "../client/index.ts";
import type { Api } from "./api.ts";
import { addLinkOptions, addNoun, example, onServer, type Workbench } from "./command-words.ts";
import { EXIT } from "./exit-code.ts";
import { formatCount } from "./figures.ts";
import type { Io } from "./io.ts";
import { printJson } from "./listing.ts";
import { formatTable } from "./table.ts";
import { oneLine } from "./terminal-text.ts";

interface ShowOptions {
  readonly json?: boolean;
}

const LOOK_MS = 500;
const ORGANISATIONS_SHOWN = 8;

async function listCells(io: Io, api: Api, { json }: ShowOptions): Promise<number> {
  const cells = await api.cells.list();
  if (json === true) {
    printJson(io, { data: cells });
    return EXIT.fine;
  }
  const rows = cells.map(({ name, database, isReady, isDirectory, accepts, organisations }) => {
    const states = [isReady ? "ready" : "away", ...(isDirectory ? ["directory"] : []), ...(accepts ? [] : ["closed"])];
    const ids = organisations.slice(0, ORGANISATIONS_SHOWN).map(({ id }) => oneLine(id));
    const more = organisations.length - ids.length;
    return [name, database, states.join(", "), [...ids, ...(more > 0 ? [`and ${more} more`] : [])].join(", ")];
  });
  io.out.write(formatTable([["CELL", "DATABASE", "STATE", "ORGANISATIONS"], ...rows]));
  return EXIT.fine;
}

interface MoveOptions extends ShowOptions {
  readonly wait: boolean;
}

/** Starts a move and prints its progress. The move continues even when this program ends. */
async function moveOrganisation(io: Io, api: Api, id: string, to: string, options: MoveOptions): Promise<number> {
  let move = await api.cells.move(id, to);
  let shown = "";
  while (options.wait && move.stage !== "done" && move.stage !== "failed") {
    if (move.stage !== shown && options.json !== true) io.err.write(`${move.stage}\n`);
    shown = move.stage;
    await new Promise<void>((resolve) => void io.clock.after(LOOK_MS, resolve));
    move = await api.cells.getMove(move.id);
  }
  if (options.json === true) printJson(io, move);
  else io.out.write(`${outcomeText(move)}\n`);
  return move.stage === "failed" ? EXIT.runFailed : EXIT.fine;
}

function outcomeText({ id, organisation, from, to, stage, reason, tables, frozenAt, switchedAt }: MoveView): string {
  const who = oneLine(organisation);
  if (stage === "failed") return `${who} stays in ${from}: ${oneLine(reason ?? "")}`;
  if (stage !== "done") return `${who} is being moved to ${to} (${id})`;
  const rows = (tables ?? []).reduce((sum, table) => sum + table.rows, 0);
  const frozen = frozenAt === null || switchedAt === null ? 0 : Date.parse(switchedAt) - Date.parse(frozenAt);
  return `${who} is in ${to}: ${formatCount(rows, "row")} moved, its writes waited for ${(frozen / 1_000).toFixed(1)} s`;
}

async function verifyCells(io: Io, api: Api, id: string | undefined, { json }: ShowOptions): Promise<number> {
  const found = await api.cells.verify(id);
  if (json === true) printJson(io, found);
  else {
    for (const problem of found.problems) io.out.write(`${oneLine(problem)}\n`);
    for (const { cell, tables } of found.organisation) {
      const rows = tables.reduce((sum, table) => sum + table.rows, 0);
      io.out.write(`${cell} has ${formatCount(rows, "row")} of it in ${formatCount(tables.length, "table")}\n`);
    }
    if (found.isGood) io.out.write("directory and cells agree\n");
  }
  return found.isGood ? EXIT.fine : EXIT.runFailed;
}

export function addCellCommands(program: Command, bench: Workbench): void {
  const cells = addNoun(program, "cells", "manage an installation with several databases");
  addLinkOptions(cells.command("list").description("list cells and the organisations in them"))
    .option("--json", "print the answer of the API as JSON")
    .addHelpText("after", example("sluice cells list"))
    .action(onServer(bench, listCells));
  addLinkOptions(cells.command("move").description("move an organisation to another cell"))
    .argument("<organisation>", "id of the organisation")
    .argument("<cell>", "the cell to move it to")
    .option("--no-wait", "return at once; the servers continue")
    .option("--json", "print the answer of the API as JSON")
    .addHelpText("after", example("sluice cells move acme south"))
    .action(onServer(bench, moveOrganisation));
  addLinkOptions(cells.command("verify").description("compare directory and cells"))
    .argument("[organisation]", "count the rows of this organisation in each cell")
    .option("--json", "print the answer of the API as JSON")
    .addHelpText("after", example("sluice cells verify acme"))
    .action(onServer(bench, verifyCells));
}

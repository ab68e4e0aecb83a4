import type { Command } from "commander";
import { isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import { readSource } from "../core/text/index.ts";
import type { ReceivedEvent } from "../client/index.ts";
import type { Api } from "./api.ts";
import { addLinkOptions, addListOptions, addNoun, example, onServer, type Workbench } from "./command-words.ts";
import { collect } from "./option-values.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { formatWhen, type ListOptions, pageOf, printJson, printList } from "./listing.ts";
import { printProblems } from "./problem-report.ts";
import { Refusal } from "./refusal.ts";
import { readSourceFile } from "./source-file.ts";
import { oneLine, printable } from "./terminal-text.ts";

interface SendOptions {
  readonly data?: string;
  readonly dataFile?: string;
  readonly id?: string;
  readonly keep?: string;
  readonly json?: boolean;
}

interface EventOptions extends SendOptions {
  readonly match?: readonly string[];
  readonly matchJson?: string;
}

/** Adds `sluice events …`: commands for the external events that steps wait for. */
export function addEventCommands(program: Command, bench: Workbench): void {
  const events = addNoun(program, "events", "send events that steps wait for, and see which are kept");
  addSendOptions(events.command("send").description("send an event; the steps that wait for it continue"))
    .argument("<type>", "type of the event")
    .option("--match <name=text>", "a member of its key, as text; may be repeated", collect)
    .option("--match-json <json>", "its key as a JSON object; --match wins")
    .addHelpText("after", example(`sluice events send order.paid --match order_id=o-17 --data '{"amount": 12}'`))
    .action(onServer(bench, sendEvent));
  addListOptions(events.command("list").description("list events that are kept, newest first"))
    .option("--type <type>", "only events of this type")
    .addHelpText("after", example("sluice events list --type order.paid"))
    .action(onServer(bench, listEvents));
}

export function addSignalCommand(runs: Command, bench: Workbench): void {
  addSendOptions(runs.command("signal").description("send a signal to a run; the steps that wait for it continue"))
    .argument("<run>", "id of the run")
    .argument("<name>", "name of the signal")
    .addHelpText("after", example(`sluice runs signal run_01hq go_on --data '{"ok": true}'`))
    .action(onServer(bench, sendSignal));
}

function addSendOptions(command: Command): Command {
  return addLinkOptions(command)
    .option("--data <json>", "its data, as JSON")
    .option("--data-file <file>", "the same from a YAML or JSON file, - for standard input")
    .option("--id <id>", "its id: a second event with this id has no effect; default: a new id")
    .option("--keep <time>", "how long it is kept for steps that begin to wait later, at most 7d; default: 1h")
    .option("--json", "print the answer of the API as JSON");
}

async function sendEvent(io: Io, api: Api, type: string, options: EventOptions): Promise<number> {
  const key = {
    ...(options.matchJson === undefined ? {} : objectOf(options.matchJson)),
    ...membersOf(options.match ?? []),
  };
  const [event] = await api.events.send([{ type, key, ...(await sentOf(io, options)) }]);
  return report(io, event, options);
}

async function sendSignal(io: Io, api: Api, id: string, name: string, options: SendOptions): Promise<number> {
  return report(io, await api.events.signal(id, name, await sentOf(io, options)), options);
}

async function sentOf(io: Io, { data, dataFile, id, keep }: SendOptions) {
  if (data !== undefined && dataFile !== undefined) throw new Refusal("give --data or --data-file, not both");
  const said =
    dataFile === undefined ? (data === undefined ? undefined : jsonOf("--data", data)) : await read(io, dataFile);
  return {
    ...(said === undefined ? {} : { data: said }),
    ...(id === undefined ? {} : { id }),
    ...(keep === undefined ? {} : { keep: /^\d+(?:\.\d+)?$/.test(keep) ? Number(keep) : keep }),
  };
}

async function read(io: Io, name: string): Promise<Json> {
  const file = await readSourceFile(io, name);
  const { tree, problems } = readSource(file.bytes);
  printProblems(io, file, problems);
  if (tree === null || problems.length > 0) throw new Refusal(`${printable(name)} is not valid, nothing was sent`);
  return tree.value;
}

function objectOf(text: string): JsonObject {
  const value = jsonOf("--match-json", text);
  if (isJsonObject(value)) return value;
  throw new Refusal(`--match-json must be a JSON object, for example '{"order_id": 17}'`);
}

function membersOf(texts: readonly string[]): JsonObject {
  return Object.fromEntries(
    texts.map((text): [string, string] => {
      const equals = text.indexOf("=");
      if (equals < 1) throw new Refusal(`--match ${printable(text)}: write it as name=text`);
      return [text.slice(0, equals), text.slice(equals + 1)];
    }),
  );
}

function jsonOf(option: string, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new Refusal(`${option} is not JSON: ${printable(text.slice(0, 100))}`);
  }
}

function report(io: Io, event: ReceivedEvent | undefined, { json }: SendOptions): number {
  if (event === undefined) throw new Refusal("the server has not answered with the event");
  if (json === true) printJson(io, event);
  else {
    io.out.write(`${oneLine(event.id)}\n`);
    if (!event.isNew) io.err.write("an event with this id was received before; nothing has changed\n");
  }
  return EXIT.fine;
}

async function listEvents(io: Io, api: Api, options: ListOptions & { type?: string }): Promise<number> {
  const filter = options.type === undefined ? {} : { type: options.type };
  const now = io.clock.now();
  printList(io, await api.events.list({ ...filter, ...pageOf(options) }), options, {
    none: "no event is kept",
    head: ["EVENT", "TYPE", "KEY", "RECEIVED", "KEPT"],
    row: ({ id, type, key, receivedAt, keptUntil }) => [
      oneLine(id),
      oneLine(type),
      oneLine(JSON.stringify(key)),
      formatWhen(receivedAt, now),
      formatWhen(keptUntil, now),
    ],
  });
  return EXIT.fine;
}

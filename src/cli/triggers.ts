import type { Command } from "commander";
import type { TriggerSample, TriggerAnswer } from "../client/index.ts";
import type { Api } from "./api.ts";
import { addLinkOptions, addListOptions, example, onServer, type Workbench } from "./command-words.ts";
import { collect } from "./option-values.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { formatWhen, type ListOptions, pageOf, printJson, printList } from "./listing.ts";
import { Refusal } from "./refusal.ts";
import { readOptionText } from "./source-file.ts";
import { oneLine, printable } from "./terminal-text.ts";

interface SampleOptions {
  readonly body?: string;
  readonly header?: readonly string[];
  readonly query?: readonly string[];
  readonly json?: boolean;
}

export function addTriggerCommands(triggers: Command, bench: Workbench): void {
  addListOptions(triggers.command("deliveries").description("list the deliveries to a trigger, newest first"))
    .argument("<id>", "name of the trigger")
    .addHelpText("after", example("sluice triggers deliveries orders"))
    .action(onServer(bench, listDeliveries));
  addSampleOptions(triggers.command("test").description("show what a delivery would do, and start nothing"))
    .addHelpText("after", example("sluice triggers test orders --body '{\"id\": 7}'"))
    .action(onServer(bench, testTrigger));
  addSampleOptions(triggers.command("fire").description("send a delivery to a trigger, as if it came from outside"))
    .addHelpText("after", example("sluice triggers fire orders --body @order.json"))
    .action(
      onServer(bench, async (io, api, id: string, options: SampleOptions) =>
        report(io, await api.triggers.fire(id, await sampleOf(io, options)), options),
      ),
    );
}

export function addRunNowCommand(schedules: Command, bench: Workbench): void {
  addLinkOptions(schedules.command("run-now").description("start the run of a schedule now, besides its slots"))
    .argument("<id>", "name of the schedule")
    .option("--json", "print the answer as JSON")
    .addHelpText("after", example("sluice schedules run-now nightly"))
    .action(
      onServer(bench, async (io, api, id: string, options: { json?: boolean }) =>
        report(io, await api.triggers.runNow(id), options),
      ),
    );
}

function addSampleOptions(command: Command): Command {
  return addLinkOptions(command)
    .argument("<id>", "name of the trigger")
    .option("--body <json>", "the body: JSON, or @FILE")
    .option("--header <name=value>", "a header; may be repeated", collect)
    .option("--query <name=value>", "a parameter; may be repeated", collect)
    .option("--json", "print the answer as JSON");
}

async function sampleOf(io: Io, { body, header = [], query = [] }: SampleOptions): Promise<TriggerSample> {
  return {
    ...(body === undefined ? {} : { body: await jsonOf(io, body) }),
    headers: Object.fromEntries(header.map(pairOf)),
    query: Object.fromEntries(query.map(pairOf)),
  };
}

function pairOf(written: string): readonly [string, string] {
  const at = written.indexOf("=");
  if (at < 1) throw new Refusal(`"${printable(written)}" is not name=value`);
  return [written.slice(0, at), written.slice(at + 1)];
}

async function jsonOf(io: Io, written: string): Promise<unknown> {
  const text = await readOptionText(io, written);
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal("--body is not JSON");
  }
}

async function testTrigger(io: Io, api: Api, id: string, options: SampleOptions): Promise<number> {
  const test = await api.triggers.test(id, await sampleOf(io, options));
  if (options.json === true) printJson(io, test);
  else if (test.starts) io.out.write(`starts a run with ${oneLine(JSON.stringify(test.args))}\n`);
  else if (test.problems.length === 0) io.out.write("starts nothing: the filter does not hold\n");
  else io.out.write(`starts nothing: ${test.problems.map(({ message }) => oneLine(message)).join(" ")}\n`);
  return test.starts || test.problems.length === 0 ? EXIT.fine : EXIT.badUsage;
}

function report(io: Io, answer: TriggerAnswer, { json }: { readonly json?: boolean }): number {
  if (json === true) printJson(io, answer);
  else
    io.out.write(
      answer.started ? `${oneLine(answer.runId ?? "")}\n` : "nothing was started: the filter does not hold\n",
    );
  return EXIT.fine;
}

async function listDeliveries(io: Io, api: Api, id: string, options: ListOptions): Promise<number> {
  const now = io.clock.now();
  printList(io, await api.triggers.listDeliveries(id, pageOf(options)), options, {
    none: `nothing was delivered to ${printable(id)} yet`,
    head: ["DELIVERY", "STATE", "RECEIVED", "RUN", "REASON"],
    row: (delivery) => [
      oneLine(delivery.id),
      delivery.state,
      formatWhen(delivery.receivedAt, now),
      oneLine(delivery.runId ?? "–"),
      oneLine(delivery.reason ?? "–"),
    ],
  });
  return EXIT.fine;
}

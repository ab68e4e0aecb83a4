import { type Command, Option } from "commander";
import type { Delivery } from "../client/index.ts";
import type { Api } from "./api.ts";
import { addLinkOptions, addListOptions, onServer, example, type Workbench } from "./command-words.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { formatWhen, type ListOptions, pageOf, printFacts, printJson, printList } from "./listing.ts";
import { oneLine, printable } from "./terminal-text.ts";

interface SendOptions {
  readonly json?: boolean;
}

interface HookOptions {
  readonly rotate?: boolean;
  readonly remove?: boolean;
  readonly json?: boolean;
}

type Collection = "webhooks" | "channels";

const WORDS = {
  webhooks: { one: "webhook", example: "ops", test: "send a message of type webhook.test" },
  channels: { one: "channel", example: "approvers-mail", test: "send a test message" },
} as const satisfies Readonly<Record<Collection, object>>;

/** Adds the commands for the deliveries of webhooks or of channels. */
export function addDeliveryCommands(nouns: Command, noun: Collection, bench: Workbench): void {
  const { one, example: name, test } = WORDS[noun];
  addListOptions(nouns.command("deliveries").description(`list the messages sent to a ${one}, newest first`))
    .argument("<id>", `name of the ${one}`)
    .addHelpText("after", example(`sluice ${noun} deliveries ${name}`))
    .action(onServer(bench, (io, api, id: string, options: ListOptions) => listDeliveries(io, api, noun, id, options)));
  addLinkOptions(nouns.command("redeliver").description("send a message again, under the same id"))
    .argument("<id>", `name of the ${one}`)
    .argument("<delivery>", "id of the delivery")
    .option("--json", "print the delivery as JSON")
    .addHelpText("after", example(`sluice ${noun} redeliver ${name} msg_01hq`))
    .action(
      onServer(bench, async (io, api, id: string, deliveryId: string, options: SendOptions) => {
        const log = api[noun];
        return follow(io, log, noun, id, await log.redeliver(id, deliveryId), options);
      }),
    );
  addLinkOptions(nouns.command("test").description(`${test} and print the outcome`))
    .argument("<id>", `name of the ${one}`)
    .option("--json", "print the delivery as JSON")
    .addHelpText("after", example(`sluice ${noun} test ${name}`))
    .action(
      onServer(bench, async (io, api, id: string, options: SendOptions) => {
        const log = api[noun];
        return follow(io, log, noun, id, await log.test(id), options);
      }),
    );
}

export function addHookCommand(workflows: Command, bench: Workbench): void {
  addLinkOptions(workflows.command("hook").description("start runs of a workflow by signed messages"))
    .argument("<name>", "name of the workflow")
    .option("--rotate", "make a new secret; the one before it stays valid for another day")
    .addOption(new Option("--remove", "stop starting runs by messages").conflicts("rotate"))
    .option("--json", "print the hook as JSON")
    .addHelpText("after", example("sluice workflows hook order-intake --rotate"))
    .action(onServer(bench, hook));
}

type Log = Api[Collection];

async function listDeliveries(io: Io, api: Api, noun: Collection, id: string, options: ListOptions): Promise<number> {
  const now = io.clock.now();
  // Only channels have several recipients.
  const hasRecipients = noun === "channels";
  printList(io, await api[noun].listDeliveries(id, pageOf(options)), options, {
    none: `nothing was sent to ${printable(id)} yet`,
    head: [
      "DELIVERY",
      "TYPE",
      ...(hasRecipients ? ["TO"] : []),
      "STATE",
      "TRIES",
      "ANSWER",
      "CREATED",
      "NEXT TRY",
      "ERROR",
    ],
    row: (delivery) => [
      oneLine(delivery.id),
      oneLine(delivery.type),
      ...(hasRecipients ? [oneLine(delivery.recipient ?? "–")] : []),
      delivery.state,
      String(delivery.attempts),
      delivery.lastStatus === null ? "–" : String(delivery.lastStatus),
      formatWhen(delivery.createdAt, now),
      formatWhen(delivery.nextAttemptAt, now),
      oneLine(delivery.lastError ?? "–"),
    ],
  });
  return EXIT.fine;
}

const CHECK_EVERY_MS = 250;
/** Longest wait for a delivery. An attempt takes at most 15 seconds. A later result is found in the list of deliveries. */
const PATIENCE_MS = 20_000;
const LOOKED_AT = 100;

/** Waits until a delivery was attempted once. */
async function follow(
  io: Io,
  log: Log,
  noun: Collection,
  id: string,
  sent: Delivery,
  { json }: SendOptions,
): Promise<number> {
  const until = io.clock.now() + PATIENCE_MS;
  let delivery = sent;
  while (delivery.attempts === 0 && delivery.settledAt === null && io.clock.now() < until) {
    await new Promise<void>((resolve) => void io.clock.after(CHECK_EVERY_MS, resolve));
    const { data } = await log.listDeliveries(id, { limit: LOOKED_AT });
    delivery = data.find((one) => one.id === sent.id) ?? delivery;
  }
  if (json === true) printJson(io, delivery);
  else io.out.write(`${oneLine(delivery.id)} ${outcomeOf(delivery, noun)}\n`);
  return delivery.state === "delivered" ? EXIT.fine : EXIT.runFailed;
}

function outcomeOf({ state, lastStatus, lastError }: Delivery, noun: Collection): string {
  const why = lastError === null ? "" : `: ${oneLine(lastError)}`;
  switch (state) {
    case "delivered":
      return lastStatus === null ? "arrived" : `arrived (${lastStatus})`;
    case "failed":
      return `did not arrive and will be tried again${why}`;
    case "given_up":
      return `did not arrive and is not tried again${why}`;
    case "pending":
      return `was not tried yet; look again with: sluice ${noun} deliveries`;
  }
}

/** Creates, rotates or removes a hook. The secret is printed to standard output and never shown again. */
async function hook(io: Io, api: Api, name: string, { rotate, remove, json }: HookOptions): Promise<number> {
  if (remove === true) {
    await api.webhooks.deleteHook(name);
    io.err.write(`no message starts runs of ${printable(name)} any more\n`);
    return EXIT.fine;
  }
  const known = await api.webhooks.getHook(name);
  if (known.set && rotate !== true) {
    if (json === true) printJson(io, known);
    else {
      const now = io.clock.now();
      printFacts(io, [
        ["workflow", oneLine(known.workflow)],
        ["url", oneLine(known.url)],
        ["secret", `set ${formatWhen(known.updatedAt, now)}; --rotate makes a new one`],
        ["secret before it", known.previousUntil === null ? null : `valid until ${oneLine(known.previousUntil)}`],
      ]);
    }
    return EXIT.fine;
  }
  const saved = await api.webhooks.saveHook(name);
  if (json === true) printJson(io, saved);
  else {
    io.err.write(`send signed messages to ${oneLine(saved.url)}\nthe secret is shown only this once:\n`);
    io.out.write(`${oneLine(saved.secret ?? "")}\n`);
  }
  return EXIT.fine;
}

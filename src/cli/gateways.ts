import type { Gateway } from "../client/index.ts";
import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { formatWhen, printFacts, printJson, printList } from "./listing.ts";
import { oneLine, printable } from "./terminal-text.ts";

export async function listGateways(io: Io, api: Api, options: { readonly json?: boolean }): Promise<number> {
  const now = io.clock.now();
  printList(io, await api.listGateways(), options, {
    none: "there are no gateways; start one with: sluice bridge",
    head: ["GATEWAY", "STATUS", "PROVIDERS", "SEEN", "ADDRESS"],
    row: ({ id, status, reason, providers, seenAt, url }) => [
      oneLine(id),
      reason === undefined ? status : `${status} (${reason})`,
      providers.map(oneLine).join(" "),
      formatWhen(seenAt, now),
      url === null ? "in the server" : oneLine(url),
    ],
  });
  return EXIT.fine;
}

export async function getGateway(io: Io, api: Api, id: string, options: { readonly json?: boolean }): Promise<number> {
  const gateway = await api.getGateway(id);
  if (options.json === true) printJson(io, gateway);
  else printFacts(io, factsOf(gateway, io.clock.now()));
  return EXIT.fine;
}

function factsOf(gateway: Gateway, now: number): readonly (readonly [string, string | null])[] {
  const { id, name, status, url, environment, providers, capabilities, minTrustLevel, history = [] } = gateway;
  return [
    ["gateway", oneLine(id)],
    ["name", name === null ? null : oneLine(name)],
    ["status", status],
    ["because", gateway.detail === undefined ? null : oneLine(gateway.detail)],
    ["address", url === null ? "in the server's own process" : oneLine(url)],
    ["default", gateway.default ? "yes" : null],
    ["environment", environment === null ? null : oneLine(environment)],
    ["providers", words(providers)],
    ["by default", gateway.defaultProvider === null ? null : oneLine(gateway.defaultProvider)],
    ["capabilities", words(capabilities)],
    ["least trust", String(minTrustLevel)],
    ["cost rank", gateway.costRank === 0 ? null : String(gateway.costRank)],
    ["seen", gateway.seenAt === null ? null : formatWhen(gateway.seenAt, now)],
    ...history.slice(0, HISTORY_SHOWN).map(({ status: was, at }) => ["was", `${was} ${formatWhen(at, now)}`] as const),
  ];
}

function words(list: readonly string[]): string | null {
  return list.length === 0 ? null : list.map(oneLine).join(", ");
}

const HISTORY_SHOWN = 5;

export async function deleteGateway(
  io: Io,
  api: Api,
  id: string,
  options: { readonly quiet?: boolean },
): Promise<number> {
  await api.deleteGateway(id);
  if (options.quiet !== true) io.err.write(`${printable(id)} is deleted; a Bridge that still runs registers again\n`);
  return EXIT.fine;
}

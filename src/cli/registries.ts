import type { Collection, Registered } from "../client/index.ts";
import { getOwn, isJsonArray, type Json, jsonToText } from "../core/base/index.ts";
import type { Api } from "./api.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { formatWhen, type ListOptions, pageOf, printFacts, printJson, printList } from "./listing.ts";
import { oneLine, printable } from "./terminal-text.ts";

/** A registry: its names, and the columns that a list of its entries shows. */
export interface Registry {
  readonly noun: Collection;
  /** Name of a single entry. */
  readonly one: string;
  readonly kind: string;
  /** Entry name used in examples of the help. */
  readonly example: string;
  readonly columns: readonly string[];
}

export const REGISTRIES: readonly Registry[] = [
  {
    noun: "agents",
    one: "agent",
    kind: "Agent",
    example: "analyst",
    columns: ["trustLevel", "autonomy", "status", "lifecycle", "phase", "maxConcurrent"],
  },
  {
    noun: "policies",
    one: "policy",
    kind: "Policy",
    example: "no-mail",
    columns: ["category", "scope", "scopeId", "action", "enforcement", "enabled"],
  },
  {
    noun: "budgets",
    one: "budget",
    kind: "Budget",
    example: "everything-monthly",
    columns: ["scope", "scopeId", "period", "amountUsd", "enabled", "onExhausted"],
  },
  { noun: "lenses", one: "lens", kind: "Lens", example: "answer", columns: ["versions"] },
  {
    noun: "teams",
    one: "team",
    kind: "Team",
    example: "support",
    columns: ["members", "queuePolicy", "failurePolicy"],
  },
  {
    noun: "library",
    one: "library step",
    kind: "LibraryStep",
    example: "greeting",
    columns: ["name", "role", "agent", "command"],
  },
  {
    noun: "schedules",
    one: "schedule",
    kind: "Schedule",
    example: "nightly",
    columns: ["workflow", "cron", "everySeconds", "timezone", "overlap", "enabled"],
  },
  {
    noun: "triggers",
    one: "trigger",
    kind: "Trigger",
    example: "orders",
    columns: ["workflow", "on", "filter", "respond", "enabled"],
  },
  { noun: "webhooks", one: "webhook", kind: "Webhook", example: "ops", columns: ["url", "events", "enabled"] },
  {
    noun: "channels",
    one: "channel",
    kind: "Channel",
    example: "approvers-mail",
    columns: ["type", "channel", "host", "url", "to", "content", "enabled"],
  },
  {
    noun: "models",
    one: "model",
    kind: "Model",
    example: "openai:gpt-5",
    columns: ["provider", "inputUsdPerMtok", "outputUsdPerMtok", "cachedUsdPerMtok"],
  },
  {
    noun: "credit-plans",
    one: "credit plan",
    kind: "CreditPlan",
    example: "standard",
    columns: ["creditsPerUsd", "enabled"],
  },
  {
    noun: "retentions",
    one: "retention",
    kind: "Retention",
    example: "default",
    columns: ["workflow", "runs", "verdicts", "transcripts", "archive"],
  },
  {
    noun: "tools",
    one: "tool",
    kind: "Tool",
    example: "refunds",
    columns: ["name", "server", "action", "effects", "approval"],
  },
  {
    noun: "functions",
    one: "function",
    kind: "Function",
    example: "charge-card",
    columns: ["action", "effects", "description"],
  },
  {
    noun: "grants",
    one: "grant",
    kind: "Grant",
    example: "small-refunds",
    columns: ["tool", "where", "run", "agent", "until", "by"],
  },
  {
    noun: "deployments",
    one: "deployment",
    kind: "Deployment",
    example: "production",
    columns: ["workflow", "agent", "version", "gateway", "environment", "active"],
  },
  {
    noun: "bindings",
    one: "role binding",
    kind: "RoleBinding",
    example: "reviewer",
    columns: ["role", "agent", "workflow"],
  },
  {
    noun: "secrets",
    one: "secret",
    kind: "Secret",
    example: "billing-token",
    columns: ["version", "scopes", "from", "lastUsedAt"],
  },
  { noun: "alerts", one: "alert", kind: "Alert", example: "failing", columns: ["on", "threshold", "to"] },
];

const CELL_WIDTH_MAX = 40;

export async function listRegistered(io: Io, api: Api, registry: Registry, options: ListOptions): Promise<number> {
  const { noun, one, kind, columns } = registry;
  const now = io.clock.now();
  printList(io, await api.listRegistered(noun, pageOf(options)), options, {
    none: `there is no ${one}; apply a manifest of kind ${kind} with: sluice apply -f FILE`,
    head: [one.toUpperCase(), ...columns.map(headOf), "CHANGED"],
    row: (entry) => [
      oneLine(entry.id),
      ...columns.map((column) => cellOf(getOwn(entry, column))),
      formatWhen(entry.updatedAt, now),
    ],
  });
  return EXIT.fine;
}

/** Returns a column heading for people, such as TRUST LEVEL for `trustLevel`. */
function headOf(column: string): string {
  return wordsOf(column).toUpperCase();
}

function wordsOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Returns the text of a table cell. A list of objects is shown as its length. */
function cellOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "–";
  const isPlain = !isJsonArray(value) || value.every((item) => typeof item === "string");
  const text = isJsonArray(value)
    ? isPlain
      ? value.map(jsonToText).join(" ")
      : String(value.length)
    : jsonToText(value);
  const shown = oneLine(text);
  return shown.length > CELL_WIDTH_MAX ? `${shown.slice(0, CELL_WIDTH_MAX - 1)}…` : shown;
}

export async function getRegistered(
  io: Io,
  api: Api,
  { noun, one }: Registry,
  id: string,
  options: { readonly json?: boolean },
): Promise<number> {
  const entry = await api.getRegistered(noun, id);
  if (options.json === true) printJson(io, entry);
  else printFacts(io, factsOf(entry, one, io.clock.now()));
  return EXIT.fine;
}

function factsOf(entry: Registered, one: string, now: number): readonly (readonly [string, string | null])[] {
  const { id, revision, createdAt, updatedAt, ...fields } = entry;
  return [
    [one, oneLine(id)],
    ["revision", revision === 0 ? "built in" : String(revision)],
    ["created", createdAt === null ? null : formatWhen(createdAt, now)],
    ["changed", updatedAt === null ? null : formatWhen(updatedAt, now)],
    ...Object.entries(fields).map(([name, value]) => [oneLine(wordsOf(name)), factOf(value)] as const),
  ];
}

function factOf(value: Json): string | null {
  if (value === null || (isJsonArray(value) && value.length === 0)) return null;
  const isWords = isJsonArray(value) && value.every((item) => typeof item === "string");
  return oneLine(isWords ? value.map(jsonToText).join(", ") : jsonToText(value));
}

export async function deleteRegistered(
  io: Io,
  api: Api,
  { noun, one }: Registry,
  id: string,
  options: { readonly quiet?: boolean },
): Promise<number> {
  await api.deleteRegistered(noun, id);
  if (options.quiet !== true) io.err.write(`the ${one} ${printable(id)} is deleted\n`);
  return EXIT.fine;
}

export interface PlatformOptions {
  readonly reason?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Prints the platform state. Sets it first unless `open` is null. */
export async function platform(io: Io, api: Api, open: boolean | null, options: PlatformOptions): Promise<number> {
  const { reason } = options;
  const state =
    open === null
      ? await api.getPlatform()
      : await api.setPlatform({ open, ...(reason === undefined ? {} : { reason }) });
  if (options.json === true) printJson(io, state);
  else if (options.quiet !== true) {
    const why = state.reason === null ? "" : `: ${oneLine(state.reason)}`;
    io.out.write(`the platform is ${state.open ? "open" : "closed"}${why}\n`);
  }
  return EXIT.fine;
}

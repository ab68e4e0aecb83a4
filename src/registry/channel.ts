import { z } from "zod";
import { didYouMean, getOwn, isJsonArray, type Json, type JsonObject } from "../core/base/index.ts";
import { channelRules, type NotifyRule, Report } from "../core/definition/index.ts";
import type { Entry } from "../store/index.ts";
import { anyJson, checked, name, readBody, secret, spec, webUrl, whole } from "./field.ts";
import { duration, durationMsOf } from "./limit-field.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";
import { isTimeZone } from "./time-zone.ts";

export const CHANNEL_TYPES = ["slack", "teams", "email", "webhook", "console"] as const;
export type ChannelType = (typeof CHANNEL_TYPES)[number];

/** Fields that are write-only: they are accepted once and never shown. */
export const CHANNEL_SECRETS: readonly string[] = ["token", "signing_secret", "password", "secret"];

/** Entry of `to` that represents the people an approval asks. */
const APPROVERS = "approvers";
const ADDRESS = /^[^\s@<>"',;:\\()[\]]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;
const HOST = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$|^\[?[0-9a-fA-F:.]+\]?$/;
const PER_MINUTE_MAX = 600;
const RECIPIENTS_MAX = 100;

/** An address alone, or with the name that readers see: `Sluice <sluice@example.com>`. */
const SENDER = /^(?:(?<name>[^\p{Cc}<>"\\@,;]{1,100}?) *<(?<inside>[^<>]+)>|(?<alone>[^<>]+))$/u;

/** Null when the text is not a sender. */
function senderOf(text: string): { readonly name: string; readonly address: string } | null {
  const { name = "", inside, alone } = SENDER.exec(text)?.groups ?? {};
  const address = inside ?? alone ?? "";
  return ADDRESS.test(address) ? { name: name.trim(), address } : null;
}

const sender = checked(
  z.string(),
  (text) => senderOf(text) !== null,
  "must be an address such as ann@example.com, or a name with it such as Sluice <sluice@example.com>",
  { code: "bad_name", hint: "Write the address of the sender." },
);
const recipient = checked(
  z.string(),
  (text) => text === APPROVERS || ADDRESS.test(text),
  `must be an address such as ann@example.com, or the word ${APPROVERS}`,
  { code: "bad_name", hint: "Write addresses without names." },
);
const timeOfDay = checked(
  z.string(),
  (text) => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text),
  "must be a time such as 22:00",
  {
    code: "wrong_type",
  },
);
const zone = checked(z.string(), isTimeZone, "must be a time zone such as Europe/Berlin", { code: "bad_name" });

export const channelSpec = spec({
  type: z.enum(CHANNEL_TYPES).describe("Service through which people are reached"),
  enabled: z.boolean().default(true).describe("Whether the channel is used"),
  content: z
    .boolean()
    .default(false)
    .describe("Whether messages and ticket pages show the whole subject, not only title and policy"),
  url: webUrl.nullish().describe("teams, webhook: address to which messages are sent"),
  secret: secret.nullish().describe("webhook, write-only: secret for the signatures of messages"),
  channel: name.nullish().describe("slack: id or name of the conversation"),
  token: secret.nullish().describe("slack, write-only: token of the bot"),
  signing_secret: secret.nullish().describe("slack, write-only: secret for the signatures of messages from Slack"),
  accounts: z
    .record(name, name)
    .nullish()
    .describe(
      "slack: email address or id of the person, by account id. Other accounts are matched by their email address",
    ),
  host: checked(z.string(), (text) => HOST.test(text), "must be a host name or an address", { code: "bad_name" })
    .nullish()
    .describe("email: the SMTP server"),
  port: whole(1, 65_535).nullish().describe("email: port of the server. Default: 587, or 465 with secure"),
  secure: z
    .boolean()
    .nullish()
    .describe("email: true for TLS from the first byte. Otherwise STARTTLS is used when the server offers it"),
  user: name.nullish().describe("email: user name for the server"),
  password: secret.nullish().describe("email, write-only: password for the server"),
  from: sender.nullish().describe("email: sender address, optionally with a name: Sluice <sluice@example.com>"),
  to: z
    .array(recipient)
    .min(1)
    .max(RECIPIENTS_MAX)
    .nullish()
    .describe(`email: recipient addresses, or ${APPROVERS} for the approvers of an approval; default: ${APPROVERS}`),
  quiet_hours: z
    .strictObject({ from: timeOfDay, to: timeOfDay, zone: zone.default("UTC") })
    .nullish()
    .describe("Daily period in which messages wait, except critical reminders"),
  rate: z
    .strictObject({ per_minute: whole(1, PER_MINUTE_MAX) })
    .nullish()
    .describe("Maximum number of messages in any minute; further ones wait"),
  group: z
    .strictObject({ within: duration })
    .nullish()
    .describe("Period in which approvals and failures are collected into one message"),
  notify: anyJson
    .optional()
    .describe("Rules with on, where and channel, as in a workflow. Default for channel: this channel"),
});

type FieldsOf = Readonly<Partial<Record<ChannelType, readonly string[]>>>;

/** Fields that only some types have; a type that is missing here has none. */
const OWN: FieldsOf = {
  slack: ["channel", "token", "signing_secret", "accounts"],
  teams: ["url"],
  email: ["host", "port", "secure", "user", "password", "from", "to"],
  webhook: ["url", "secret"],
};
const NEEDED: FieldsOf = { slack: ["channel"], teams: ["url"], email: ["host", "from"], webhook: ["url"] };
const SPECIFIC: ReadonlySet<string> = new Set(Object.values(OWN).flat());

export function channelProblems(written: JsonObject): readonly SpecProblem[] {
  const type = CHANNEL_TYPES.find((known) => known === getOwn(written, "type"));
  return [...(type === undefined ? [] : fieldProblems(type, written)), ...ruleProblems(getOwn(written, "notify"))];
}

function fieldProblems(type: ChannelType, written: JsonObject): readonly SpecProblem[] {
  const isSet = (key: string): boolean => (getOwn(written, key) ?? null) !== null;
  const { [type]: own = [] } = OWN;
  const missing = (NEEDED[type] ?? []).filter((key) => !isSet(key));
  const foreign = Object.keys(written).filter((key) => SPECIFIC.has(key) && !own.includes(key) && isSet(key));
  const isHalf = isSet("password") && !isSet("user");
  return [
    ...missing.map((key) =>
      specProblem("missing_field", [key], `A channel of type ${type} needs "${key}".`, { hint: `Add "${key}".` }),
    ),
    ...foreign.map((key) => {
      const hint =
        own.length === 0 ? `A ${type} has no such fields.` : `The fields of type ${type} are ${own.join(", ")}.`;
      return specProblem("unknown_key", [key], `"${key}" is not a field of type ${type}.`, { isAtKey: true, hint });
    }),
    ...(type === "email" && isHalf
      ? [specProblem("missing_field", ["user"], `"password" has no effect without "user".`, { hint: `Add "user".` })]
      : []),
  ];
}

/** Rules are read by the reader of workflows, so that they mean the same in both places. */
function ruleProblems(rules: Json | undefined): readonly SpecProblem[] {
  if (rules === undefined || rules === null) return [];
  const report = new Report();
  channelRules.read(rules, ["notify"], report);
  return report.problems.map(({ code, path, message, isAtKey, hint }) =>
    specProblem(code as SpecProblem["code"], path, message, {
      ...(isAtKey === undefined ? {} : { isAtKey }),
      hint: typeof hint === "function" ? hint() : hint,
    }),
  );
}

/** Returns a problem for each rule that names an unknown channel. */
export function unknownChannels(body: JsonObject, known: readonly string[]): readonly SpecProblem[] {
  return rulesOf(getOwn(body, "notify")).flatMap(({ channel }, index) => {
    if (channel === null || known.includes(channel)) return [];
    const hint = didYouMean(channel, known) ?? "Apply a manifest of kind Channel first, or fix the name.";
    return [
      specProblem("unknown_channel", ["notify", index, "channel"], `There is no channel "${channel}".`, { hint }),
    ];
  });
}

/** A registered channel. Its secrets are stored separately. */
export interface Channel {
  readonly id: string;
  readonly type: ChannelType;
  readonly isEnabled: boolean;
  /** Whether messages and ticket pages show the subject in full. */
  readonly hasContent: boolean;
  /** slack: the conversation. */
  readonly conversation: string;
  /** slack: maps an account to a person, by address or id. */
  readonly accounts: Readonly<Record<string, string>>;
  /** Used by teams and webhook. */
  readonly url: string;
  readonly mail: Mail | null;
  readonly quietHours: QuietHours | null;
  /** Maximum number of messages per minute; null when there is no limit. */
  readonly perMinute: number | null;
  /** Time during which messages are grouped. 0: every message is sent at once, alone. */
  readonly groupMs: number;
  readonly rules: readonly NotifyRule[];
}

export interface Mail {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  readonly user: string | null;
  readonly from: { readonly name: string; readonly address: string };
  readonly addresses: readonly string[];
  /** Whether mail is also sent to the people an approval asks. */
  readonly isToApprovers: boolean;
}

export interface QuietHours {
  /** Minutes since midnight. */
  readonly from: number;
  readonly to: number;
  readonly zone: string;
}

const TLS_PORT = 465;
const SUBMISSION_PORT = 587;

export function channelOf({ id, body }: Entry): Channel {
  const written = readBody(channelSpec, body);
  const { quiet_hours: quiet, group } = written;
  return {
    id,
    type: written.type,
    isEnabled: written.enabled,
    hasContent: written.content,
    conversation: written.channel ?? "",
    accounts: written.accounts ?? {},
    url: written.url ?? "",
    mail: mailOf(written),
    quietHours: quiet === undefined ? null : { from: minutesOf(quiet.from), to: minutesOf(quiet.to), zone: quiet.zone },
    perMinute: written.rate?.per_minute ?? null,
    groupMs: durationMsOf(group?.within) ?? 0,
    rules: rulesOf(written.notify),
  };
}

function mailOf(written: z.output<typeof channelSpec>): Mail | null {
  if (written.type !== "email") return null;
  const isSecure = written.secure ?? written.port === TLS_PORT;
  const to = written.to ?? [APPROVERS];
  return {
    host: written.host ?? "",
    port: written.port ?? (isSecure ? TLS_PORT : SUBMISSION_PORT),
    isSecure,
    user: written.user ?? null,
    from: senderOf(written.from ?? "") ?? { name: "", address: "" },
    addresses: to.filter((one) => one !== APPROVERS),
    isToApprovers: to.includes(APPROVERS),
  };
}

function minutesOf(time: string): number {
  const [hours = "0", minutes = "0"] = time.split(":");
  return Number(hours) * 60 + Number(minutes);
}

function rulesOf(rules: Json | undefined): readonly NotifyRule[] {
  return isJsonArray(rules) ? (channelRules.read(rules, [], new Report()) ?? []) : [];
}

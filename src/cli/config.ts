import { isAbsolute, resolve } from "node:path";
import { z } from "zod";
import { BadDatabaseUrl, readDatabaseHosts } from "../store/index.ts";
import type { Io } from "./io.ts";
import { LOG_FORMATS, LOG_LEVELS } from "./log-words.ts";
import { Refusal } from "./refusal.ts";
import { printable } from "./terminal-text.ts";

const DEFAULT_PORT = 7717;
const DEFAULT_HOST = "127.0.0.1";
/** The organisation that is used when no other exists. */
export const DEFAULT_ORGANISATION = "default";
const DEFAULT_DATA = ".sluice";

/** Format of a Sluice key. As bearer token, other formats are also accepted. */
const KEY = /^slk_[A-Za-z0-9_-]{8,252}$/;
const BEARER = /^[\u0021-\u007e]{1,16384}$/;

const httpUrl = z.string().refine((text) => isUrl(text, ["http:", "https:"]), "must be an http or https URL");
const port = z.union([z.number(), z.string().regex(/^\d{1,5}$/)]).transform(Number);
const printableText = z.string().regex(/^[^\p{Cc}\p{Surrogate}]{1,255}$/u, "must be 1 to 255 printable characters");
const settingsSchema = z.object({
  url: httpUrl.transform((text) => text.replace(/\/+$/, "")).optional(),
  key: z.string().regex(BEARER, "must be a key without spaces").optional(),
  adminKey: z.string().regex(KEY, 'must be "slk_" and 8 to 252 letters, digits, _ or -').optional(),
  data: z.string().default(DEFAULT_DATA),
  databaseUrl: z
    .string()
    .superRefine((text, context) => {
      const message = databaseUrlProblem(text);
      if (message !== null) context.addIssue({ code: "custom", message });
    })
    .optional(),
  cells: z.string().min(1).optional(),
  port: port.refine((number) => number <= 65_535, "must be a port from 0 to 65535").default(DEFAULT_PORT),
  host: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]+$/, "must be a host name or an address")
    .default(DEFAULT_HOST),
  publicUrl: httpUrl.transform((text) => text.replace(/\/+$/, "")).optional(),
  startRate: z
    .string()
    .regex(/^\d{1,6}$/, "must be a whole number of runs a minute from 0 to 999999")
    .transform(Number)
    .optional(),
  maxOpenRuns: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, "must be a whole number of runs from 1 to 999999999")
    .transform(Number)
    .optional(),
  limits: z.string().min(1).optional(),
  allowOutbound: z.string().optional(),
  allowHost: z
    .string()
    .refine(isHostList, 'must be host names such as sluice.internal or "*.svc", commas between')
    .optional(),
  slackUrl: httpUrl.transform((text) => text.replace(/\/+$/, "")).optional(),
  approvers: z.enum(["enforced", "advisory"], "must be enforced or advisory").optional(),
  gatewayGrace: z
    .string()
    .regex(/^\d{1,4}$/, "must be seconds, at most 9999")
    .transform(Number)
    .optional(),
  files: z.string().min(1).optional(),
  archives: z.string().min(1).optional(),
  oidcIssuer: printableText.optional(),
  oidcAudience: printableText.optional(),
  oidcOrg: printableText.optional(),
  oidcOrgClaim: printableText.optional(),
  oidcRoleClaim: printableText.optional(),
  oidcGroupsClaim: printableText.optional(),
  signIn: z.string().optional(),
  logLevel: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`).default("info"),
  logFormat: z.enum(LOG_FORMATS, `must be ${LOG_FORMATS.join(" or ")}`).optional(),
});

/** The settings, read from flags, else from the environment, else from defaults. */
export type Config = Readonly<z.infer<typeof settingsSchema>> & {
  /** True when the server was set by a flag and not by the environment. */
  readonly isUrlGiven: boolean;
};

/** The same settings as flags of a command. */
export interface ConfigFlags {
  readonly url?: string;
  readonly key?: string;
  readonly adminKey?: string;
  readonly data?: string;
  readonly databaseUrl?: string;
  readonly cells?: string;
  readonly port?: string;
  readonly host?: string;
  readonly publicUrl?: string;
  readonly startRate?: string;
  readonly maxOpenRuns?: string;
  readonly limits?: string;
  readonly allowOutbound?: string;
  readonly allowHost?: string;
  readonly slackUrl?: string;
  readonly approvers?: string;
  readonly gatewayGrace?: string;
  readonly files?: string;
  readonly archives?: string;
  readonly oidcIssuer?: string;
  readonly oidcAudience?: string;
  readonly oidcOrg?: string;
  readonly oidcOrgClaim?: string;
  readonly oidcRoleClaim?: string;
  readonly oidcGroupsClaim?: string;
  readonly signIn?: string;
  readonly logLevel?: string;
  readonly logFormat?: string;
}

type Setting = keyof ConfigFlags;

const SOURCES: Readonly<Record<Setting, { readonly flag: string; readonly variable: string | null }>> = {
  url: { flag: "--url", variable: "SLUICE_URL" },
  key: { flag: "--key", variable: "SLUICE_KEY" },
  adminKey: { flag: "--key", variable: "SLUICE_KEY" },
  data: { flag: "--data", variable: "SLUICE_DATA" },
  databaseUrl: { flag: "--database-url", variable: "DATABASE_URL" },
  cells: { flag: "--cells", variable: "SLUICE_CELLS" },
  port: { flag: "--port", variable: "SLUICE_PORT" },
  host: { flag: "--host", variable: null },
  startRate: { flag: "--start-rate", variable: "SLUICE_START_RATE" },
  maxOpenRuns: { flag: "--max-open-runs", variable: "SLUICE_MAX_OPEN_RUNS" },
  limits: { flag: "--limits", variable: "SLUICE_LIMITS" },
  allowOutbound: { flag: "--allow-outbound", variable: "SLUICE_ALLOW_OUTBOUND" },
  allowHost: { flag: "--allow-host", variable: "SLUICE_ALLOW_HOST" },
  publicUrl: { flag: "--public-url", variable: "SLUICE_PUBLIC_URL" },
  slackUrl: { flag: "--slack-url", variable: "SLUICE_SLACK_URL" },
  approvers: { flag: "--approvers", variable: "SLUICE_APPROVERS" },
  gatewayGrace: { flag: "--gateway-grace", variable: "SLUICE_GATEWAY_GRACE" },
  files: { flag: "--files", variable: "SLUICE_FILES" },
  archives: { flag: "--archives", variable: "SLUICE_ARCHIVES" },
  oidcIssuer: { flag: "--oidc-issuer", variable: "SLUICE_OIDC_ISSUER" },
  oidcAudience: { flag: "--oidc-audience", variable: "SLUICE_OIDC_AUDIENCE" },
  oidcOrg: { flag: "--oidc-org", variable: "SLUICE_OIDC_ORG" },
  oidcOrgClaim: { flag: "--oidc-org-claim", variable: "SLUICE_OIDC_ORG_CLAIM" },
  oidcRoleClaim: { flag: "--oidc-role-claim", variable: "SLUICE_OIDC_ROLE_CLAIM" },
  oidcGroupsClaim: { flag: "--oidc-groups-claim", variable: "SLUICE_OIDC_GROUPS_CLAIM" },
  signIn: { flag: "--sign-in", variable: "SLUICE_SIGN_IN_PROVIDERS" },
  logLevel: { flag: "--log-level", variable: "SLUICE_LOG_LEVEL" },
  logFormat: { flag: "--log-format", variable: "SLUICE_LOG_FORMAT" },
};

/** The settings that a client needs, and those that a server needs. */
export const CLIENT_SETTINGS: readonly Setting[] = ["url", "key", "data"];
export const HOST_SETTINGS: readonly Setting[] = [
  "adminKey",
  "data",
  "databaseUrl",
  "cells",
  "port",
  "host",
  "publicUrl",
  "startRate",
  "maxOpenRuns",
  "limits",
  "allowOutbound",
  "allowHost",
  "slackUrl",
  "approvers",
  "gatewayGrace",
  "files",
  "archives",
  "oidcIssuer",
  "oidcAudience",
  "oidcOrg",
  "oidcOrgClaim",
  "oidcRoleClaim",
  "oidcGroupsClaim",
  "signIn",
  "logLevel",
  "logFormat",
];

/** Reads all settings and reports all problems, without printing secrets. An empty value counts as not set. */
export function readConfig(
  io: Pick<Io, "env" | "err" | "cwd">,
  flags: ConfigFlags,
  wanted: readonly Setting[],
): Config {
  const given = new Map<Setting, { readonly value: string; readonly from: string }>();
  for (const setting of wanted) {
    const { flag, variable } = SOURCES[setting];
    const fromFlag = flags[setting] ?? "";
    const fromEnv = variable === null ? "" : (io.env[variable] ?? "");
    if (fromFlag !== "") given.set(setting, { value: fromFlag, from: flag });
    else if (fromEnv !== "" && variable !== null) given.set(setting, { value: fromEnv, from: variable });
  }
  const read = settingsSchema.safeParse(Object.fromEntries([...given].map(([name, { value }]) => [name, value])));
  if (!read.success) {
    const wrong = read.error.issues.map(({ path, message }) => {
      const setting = wanted.find((name) => name === path[0]);
      const from = setting === undefined ? "the settings" : (given.get(setting)?.from ?? SOURCES[setting].flag);
      return `${from} ${setting === "port" ? "must be a port from 0 to 65535" : printable(message)}`;
    });
    for (const line of wrong.slice(0, -1)) io.err.write(`sluice: ${line}\n`);
    throw new Refusal(wrong.at(-1) ?? "the settings are not valid");
  }
  const data = isAbsolute(read.data.data) ? read.data.data : resolve(io.cwd, read.data.data);
  return Object.freeze({ ...read.data, data, isUrlGiven: given.get("url")?.from === SOURCES.url.flag });
}

function isUrl(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}

function databaseUrlProblem(text: string): string | null {
  try {
    readDatabaseHosts(text);
    return null;
  } catch (thrown) {
    if (thrown instanceof BadDatabaseUrl) return thrown.message;
    throw thrown;
  }
}

const HOST_NAME = /^(?:\*\.)?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$|^\[?[0-9a-fA-F:.]+\]?$/;

function isHostList(text: string): boolean {
  return text.split(",").every((name) => name.trim() === "" || HOST_NAME.test(name.trim()));
}

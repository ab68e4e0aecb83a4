import { z } from "zod";
import { getOwn, isJsonObject, type JsonObject, secretNameOf } from "../core/base/index.ts";
import type { Entry } from "../store/index.ts";
import { checked, readBody, spec, webUrl } from "./field.ts";
import { SCOPE_KINDS } from "./secret-scope.ts";
import { specProblem, type SpecProblem } from "./spec-problem.ts";

/** A shorter value could be an ordinary word, and could not be redacted from texts. */
const VALUE_LENGTH_MIN = 6;
const VALUE_LENGTH_MAX = 4_096;
const SCOPES_MAX = 100;
const SCOPE = new RegExp(`^(?:${SCOPE_KINDS.join("|")})(?::[A-Za-z0-9_.:@/*-]{1,200})?$`);

const value = checked(
  z.string(),
  (text) => text.length >= VALUE_LENGTH_MIN && text.length <= VALUE_LENGTH_MAX && !text.includes("\0"),
  `must have ${VALUE_LENGTH_MIN} to ${VALUE_LENGTH_MAX} characters and no NUL`,
  { code: "wrong_type", isHidden: true, hint: "A shorter value could not be taken out of logs and results." },
);
const scope = checked(
  z.string(),
  (text) => SCOPE.test(text),
  `must be a kind and a name, such as gateway:eu or tool:billing, or a kind alone for every name`,
  { code: "bad_name", hint: `The kinds are ${SCOPE_KINDS.join(", ")}; * stands for any characters.` },
);
const variable = checked(
  z.string(),
  (text) => /^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(text),
  "must be the name of an environment variable",
  { code: "bad_name" },
);
const path = checked(
  z.string().min(1).max(400),
  (text) => text.split("/").every((part) => /^[A-Za-z0-9_.-]+$/.test(part) && part !== "." && part !== ".."),
  "must be a path of letters, digits and . _ - without a slash in front",
  { code: "bad_name" },
);
const reference = checked(
  z.string(),
  (text) => secretNameOf(text) !== null,
  "must name another secret: secret://NAME",
  { code: "bad_name", isHidden: true },
);

export const secretSpec = spec({
  value: value.nullish().describe("Write-only: the value of the secret. Default: the stored value is kept"),
  from: spec({
    env: variable.nullish().describe("Environment variable of the server, listed in SLUICE_SECRETS_ENV"),
    file: path.nullish().describe("File in the folder SLUICE_SECRETS_DIR of the server"),
    vault: spec({
      url: webUrl.describe("Address of Vault, or of a service with the same protocol"),
      mount: path.default("secret").describe("Mount path of the key-value store (version 2)"),
      path: path.describe("Path of the secret in the store"),
      field: z.string().min(1).max(200).default("value").describe("Field of the secret that contains the value"),
      namespace: path.nullish().describe("Value of the header X-Vault-Namespace"),
      token: reference.describe("secret://NAME: the secret with the token. Its scopes must name this secret"),
    })
      .nullish()
      .describe("A secret in Vault: url, path, field, token"),
  })
    .nullish()
    .describe("External place that is read at each use: one of env, file, vault"),
  scopes: z
    .array(scope)
    .min(1)
    .max(SCOPES_MAX)
    .describe("Users of the secret, as kind:name, or a kind alone for every name; * stands for any characters"),
});

/** The field that is stored separately and never shown. */
export const SECRET_VALUE = "value";

export type SecretOrigin = NonNullable<z.output<typeof secretSpec>["from"]>;
export type VaultOrigin = NonNullable<SecretOrigin["vault"]>;

/** A registered secret without its value. */
export interface RegisteredSecret {
  readonly name: string;
  /** Counts the values; for a value kept elsewhere, counts the changes of its source. */
  readonly version: number;
  readonly scopes: readonly string[];
  /** The outside source of the value; null when the value is sealed here. */
  readonly from: SecretOrigin | null;
}

export function secretOf({ id, body }: Pick<Entry, "id" | "body">): RegisteredSecret {
  const { version, ...written } = body;
  const { scopes, from = null } = readBody(secretSpec, written);
  return { name: id, version: typeof version === "number" ? version : 1, scopes, from };
}

const ORIGINS = ["env", "file", "vault"];

export function secretProblems(written: JsonObject): readonly SpecProblem[] {
  const from = getOwn(written, "from") ?? null;
  if (!isJsonObject(from)) return [];
  if ((getOwn(written, SECRET_VALUE) ?? null) !== null) {
    const more = { isAtKey: true, hint: "Keep the value here, or name where it is kept; not both." };
    return [specProblem("conflicting_fields", ["from"], `"from" and "value" exclude each other.`, more)];
  }
  const given = ORIGINS.filter((key) => (getOwn(from, key) ?? null) !== null);
  if (given.length === 1) return [];
  const message =
    given.length === 0 ? `"from" needs one of ${ORIGINS.join(", ")}.` : `"from" has ${given.join(" and ")}.`;
  return [specProblem(given.length === 0 ? "missing_field" : "conflicting_fields", ["from"], message)];
}

/** Returns the body to store: the version increases with a new value or a new source. */
export function settleSecret(body: JsonObject, before: JsonObject | undefined, isNewValue: boolean): JsonObject {
  const { version = 0, from: was = null } = before ?? {};
  const isMoved = JSON.stringify(was) !== JSON.stringify(body["from"] ?? null);
  const counted = typeof version === "number" ? version : 0;
  return { ...body, version: before === undefined ? 1 : counted + (isNewValue || isMoved ? 1 : 0) };
}

export function withoutVersion({ version: _version, ...rest }: JsonObject): JsonObject {
  return rest;
}

export interface SecretSurroundings {
  /** True when a value is given now or stored already. */
  readonly hasValue: boolean;
  /** True when a value is given now. */
  readonly isGiven: boolean;
  /** Whether SLUICE_SECRET_KEY is set. */
  readonly isKeyed: boolean;
}

/** Returns the problems of a secret that depend on its stored value and on the settings of the server. */
export function secretValueProblems(body: JsonObject, around: SecretSurroundings): readonly SpecProblem[] {
  if (isJsonObject(body["from"] ?? null)) return [];
  if (around.isGiven && !around.isKeyed) {
    const message = "The value cannot be sealed: the server was started without SLUICE_SECRET_KEY.";
    const hint = 'Start every replica with the same SLUICE_SECRET_KEY, or name with "from" where the value is kept.';
    return [specProblem("secret_key_missing", [SECRET_VALUE], message, { hint })];
  }
  if (around.hasValue) return [];
  const hint = 'Set it with: sluice secrets set NAME --stdin --scope KIND:NAME, or write "from".';
  return [specProblem("missing_field", [SECRET_VALUE], `A new secret needs "value" or "from".`, { hint })];
}

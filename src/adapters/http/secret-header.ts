import { fail, succeed, type Outcome } from "../../core/base/index.ts";
import type { Environment } from "../environment.ts";

export interface FilledHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** The secrets that went into them, to be kept out of everything that is reported. */
  readonly secrets: readonly string[];
}

const REFERENCE = /secret:\/\/([A-Za-z_][A-Za-z0-9_]*)/g;

/** Shorter values are words, not secrets; hiding them would garble the answer. */
const SECRET_LENGTH_MIN = 6;

/** Puts secrets where a configured header names them; fails with the name of the first one that is not there. */
export function fillHeaders(
  headers: Readonly<Record<string, string>>,
  env: Environment,
): Outcome<FilledHeaders, string> {
  const secrets: string[] = [];
  const filled: [string, string][] = [];
  for (const [header, template] of Object.entries(headers)) {
    const missing = secretsIn(template).find((name) => readSecret(env, name) === undefined);
    if (missing !== undefined) return fail(missing);
    const value = template.replaceAll(REFERENCE, (_, name: string) => {
      const secret = readSecret(env, name) ?? "";
      secrets.push(secret);
      return secret;
    });
    filled.push([header, value]);
  }
  return succeed({ headers: Object.fromEntries(filled), secrets });
}

export function missingSecrets(headers: Readonly<Record<string, string>>, env: Environment): readonly string[] {
  return Object.values(headers)
    .flatMap(secretsIn)
    .filter((name) => readSecret(env, name) === undefined);
}

/** Services that echo what they were sent must not bring a secret into a run. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SECRET_LENGTH_MIN)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .toSorted((left, right) => right.length - left.length)
    .reduce((hidden, secret) => hidden.replaceAll(secret, "[secret]"), text);
}

function secretsIn(template: string): readonly string[] {
  return [...template.matchAll(REFERENCE)].map(([, name = ""]) => name);
}

function readSecret(env: Environment, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  return value === "" ? undefined : value;
}

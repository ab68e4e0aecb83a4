import { fail, fillSecrets, type Outcome, secretNamesIn, succeed } from "../../core/base/index.ts";
import type { SecretLookup } from "../secret-lookup.ts";

export interface FilledHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** The secrets that went into them, to be kept out of everything that is reported. */
  readonly secrets: readonly string[];
}

/** Shorter values are words, not secrets; hiding them would garble the answer. */
const SECRET_LENGTH_MIN = 6;
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Puts secrets where a configured header names them; fails with what is wrong with the first one that cannot be. */
export function fillHeaders(
  headers: Readonly<Record<string, string>>,
  lookup: SecretLookup,
): Outcome<FilledHeaders, string> {
  const values = new Map<string, string>();
  const filled: [string, string][] = [];
  for (const [header, template] of Object.entries(headers)) {
    for (const name of secretNamesIn(template)) {
      const found = lookup(name);
      if (!found.ok) return found;
      if (!SENDABLE.test(found.value)) return fail(`The secret "${name}" holds characters that a header cannot.`);
      values.set(name, found.value);
    }
    filled.push([header, fillSecrets(template, (name) => values.get(name) ?? "")]);
  }
  return succeed({ headers: Object.fromEntries(filled), secrets: [...values.values()] });
}

/** Services that echo what they were sent must not bring a secret into a run. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SECRET_LENGTH_MIN)
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)])
    .toSorted((left, right) => right.length - left.length)
    .reduce((hidden, secret) => hidden.replaceAll(secret, "[secret]"), text);
}

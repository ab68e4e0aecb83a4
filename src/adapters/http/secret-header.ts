import { fail, fillSecrets, type Outcome, secretNamesIn, succeed } from "../../core/base/index.ts";
import { createRedactor, type Redactor } from "../../core/redaction/index.ts";
import type { SecretLookup } from "../secret-lookup.ts";

export interface FilledHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** Redacts the secrets in the headers, because a service that repeats its input must not bring a secret into a run. */
  readonly redactor: Redactor;
}

const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Fills secrets into the configured headers. Fails with the problem of the first secret that cannot be used. */
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
  const redactor = createRedactor([...values].map(([name, value]) => ({ name, value })));
  return succeed({ headers: Object.fromEntries(filled), redactor });
}

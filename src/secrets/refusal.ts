/** Reasons why the value of a secret is refused. */
export const SECRET_REFUSALS = [
  "unknown_secret",
  "secret_out_of_scope",
  "secret_key_missing",
  "secret_unreadable",
  "secret_source_unavailable",
] as const;

export interface SecretRefusal {
  readonly code: (typeof SECRET_REFUSALS)[number];
  readonly message: string;
}

export function unknownSecret(name: string): SecretRefusal {
  return { code: "unknown_secret", message: `There is no secret "${name}"; set it with: sluice secrets set.` };
}

/** Formats a refusal in one line, for logs and results. */
export function refusalLine({ code, message }: SecretRefusal): string {
  return `${code}: ${message}`;
}

/** Why a secret is not handed out. */
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

/** In one line, as logs and results show it. */
export function refusalLine({ code, message }: SecretRefusal): string {
  return `${code}: ${message}`;
}

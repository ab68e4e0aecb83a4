import type { Adapter, SecretReference } from "../adapter/index.ts";

/** Which registered secrets each adapter refers to, by provider; those that refer to none are left out. */
export function secretsOf(adapters: readonly Adapter[]): Record<string, SecretReference[]> {
  const entries = adapters.flatMap((adapter) => {
    const secrets = [...(adapter.secrets?.() ?? [])];
    return secrets.length === 0 ? [] : [[adapter.provider, secrets] as const];
  });
  return Object.fromEntries(entries);
}

import type { Adapter, SecretReference } from "../adapter/index.ts";

/** Returns the registered secrets that each adapter refers to, by provider. Adapters without secrets are left out. */
export function secretsOf(adapters: readonly Adapter[]): Record<string, SecretReference[]> {
  const entries = adapters.flatMap((adapter) => {
    const secrets = [...(adapter.secrets?.() ?? [])];
    return secrets.length === 0 ? [] : [[adapter.provider, secrets] as const];
  });
  return Object.fromEntries(entries);
}

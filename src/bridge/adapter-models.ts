import type { Adapter, AdapterModels } from "../adapter/index.ts";

/** What each adapter reports of its models, by provider; those that report nothing are left out. */
export function modelsOf(adapters: readonly Adapter[]): Record<string, AdapterModels> {
  const entries = adapters.flatMap((adapter) => {
    const models = adapter.models?.() ?? {};
    return Object.keys(models).length === 0 ? [] : [[adapter.provider, models] as const];
  });
  return Object.fromEntries(entries);
}

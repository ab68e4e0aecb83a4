import type { Adapter, AdapterModels, TurnSupport } from "../adapter/index.ts";

/** Returns the models of each adapter, by provider. Adapters that report none are left out. */
export function modelsOf(adapters: readonly Adapter[]): Record<string, AdapterModels> {
  const entries = adapters.flatMap((adapter) => {
    const models = adapter.models?.() ?? {};
    return Object.keys(models).length === 0 ? [] : [[adapter.provider, models] as const];
  });
  return Object.fromEntries(entries);
}

/** Returns the turn support of each adapter, by provider. Opaque adapters are left out. */
export function turnsOf(adapters: readonly Adapter[]): Record<string, TurnSupport> {
  const entries = adapters.flatMap((adapter) => {
    const { turns = "opaque" } = adapter.capabilities();
    return turns === "opaque" ? [] : [[adapter.provider, turns] as const];
  });
  return Object.fromEntries(entries);
}

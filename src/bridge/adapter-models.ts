import type { Adapter, AdapterModels, TurnSupport } from "../adapter/index.ts";

/** What each adapter reports of its models, by provider; those that report nothing are left out. */
export function modelsOf(adapters: readonly Adapter[]): Record<string, AdapterModels> {
  const entries = adapters.flatMap((adapter) => {
    const models = adapter.models?.() ?? {};
    return Object.keys(models).length === 0 ? [] : [[adapter.provider, models] as const];
  });
  return Object.fromEntries(entries);
}

/** What each adapter lets see of the turns of agents, by provider; those that let see nothing are left out. */
export function turnsOf(adapters: readonly Adapter[]): Record<string, TurnSupport> {
  const entries = adapters.flatMap((adapter) => {
    const { turns = "opaque" } = adapter.capabilities();
    return turns === "opaque" ? [] : [[adapter.provider, turns] as const];
  });
  return Object.fromEntries(entries);
}

import { triggerOf, type Trigger } from "../../registry/index.ts";
import { type Entry, everyEntry, type RegistryStore } from "../../store/index.ts";

/** Returns the enabled triggers of an organisation that wait for events, by type. A trigger that cannot be read is left out. */
export async function triggersForEvents(
  store: Pick<RegistryStore, "listEntries">,
  orgId: string,
): Promise<ReadonlyMap<string, readonly Trigger[]>> {
  const entries = await everyEntry(store, orgId, "trigger");
  const byType = new Map<string, Trigger[]>();
  for (const entry of entries) {
    const { on } = entry.body;
    if (typeof on !== "object" || on === null || !("event" in on)) continue;
    const trigger = readable(entry);
    if (trigger === null || !trigger.isEnabled || trigger.on.kind !== "event") continue;
    byType.set(trigger.on.type, [...(byType.get(trigger.on.type) ?? []), trigger]);
  }
  return byType;
}

function readable(entry: Entry): Trigger | null {
  try {
    return triggerOf(entry);
  } catch {
    return null;
  }
}

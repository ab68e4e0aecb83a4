import { triggerOf, type Trigger } from "../../registry/index.ts";
import { everyEntry, type RegistryStore } from "../../store/index.ts";

/** The enabled triggers of an organisation that wait for a type of event. One that cannot be read waits for nothing. */
export async function triggersForEvent(
  store: Pick<RegistryStore, "listEntries">,
  orgId: string,
  type: string,
): Promise<readonly Trigger[]> {
  const entries = await everyEntry(store, orgId, "trigger");
  return entries.flatMap((entry) => {
    const { on } = entry.body;
    if (typeof on !== "object" || on === null || !("event" in on)) return [];
    const trigger = triggerOf(entry);
    return trigger.isEnabled && trigger.on.kind === "event" && trigger.on.type === type ? [trigger] : [];
  });
}

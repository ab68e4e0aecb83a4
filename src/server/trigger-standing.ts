import type { JsonObject } from "../core/base/index.ts";
import { isOpen, triggerOf } from "../registry/index.ts";
import { openSecrets, secretPlace } from "../seal/index.ts";
import type { Entry } from "../store/index.ts";
import type { Principal } from "./auth.ts";
import type { Services } from "./route.ts";
import { triggerUrl } from "./trigger-lookup.ts";

/**
 * Returns the addresses of triggers and who saved them. Where the address is the only protection of a trigger, it is
 * shown only to callers who may change triggers.
 */
export async function triggerStanding(
  services: Services,
  { orgId, permissions }: Principal,
  entries: readonly Entry[],
): Promise<(entry: Entry) => JsonObject> {
  const standings = new Map<string, JsonObject>();
  for (const entry of entries) {
    const trigger = triggerOf(entry);
    const { on } = trigger;
    const isShown = !isOpen(trigger) || permissions.has("registry:write");
    const kept = isOpen(trigger) && isShown ? await services.store.entrySecrets(orgId, "trigger", entry.id) : {};
    const secrets = openSecrets(services.gateways.box, secretPlace(orgId, "trigger", entry.id), kept);
    const url = isShown ? triggerUrl(services, orgId, { trigger, secrets }) : null;
    const address = on.kind === "hook" ? { hookUrl: url } : on.kind === "form" ? { formUrl: url } : {};
    standings.set(entry.id, { ...address, savedBy: entry.savedBy });
  }
  return ({ id }) => standings.get(id) ?? {};
}

import type { SealedText, SecretStore } from "../secret-store.ts";
import { memoryAudit } from "./memory-audit.ts";
import { keyOf, type MemoryWorld } from "./memory-world.ts";

export function memorySecrets(world: MemoryWorld): SecretStore {
  return {
    secretUses: async (orgId) =>
      new Map(
        [...world.secretUses].flatMap(([key, at]) => {
          const [owner, name = ""] = JSON.parse(key) as string[];
          return owner === orgId ? [[name, at] as const] : [];
        }),
      ),
    recordSecretUses: async (orgId, names, at, audit) => {
      for (const name of names) {
        const key = keyOf(orgId, name);
        world.secretUses.set(key, Math.max(at, world.secretUses.get(key) ?? at));
      }
      await memoryAudit(world).appendAudit(orgId, audit);
    },
    replaceSealed: async (change) => replaceSealed(world, change),
  };
}

function replaceSealed(world: MemoryWorld, change: (sealed: SealedText) => string | null): void {
  for (const [key, kept] of world.entrySecrets) {
    const [orgId = "", kind = "", id = ""] = JSON.parse(key) as string[];
    const entries = Object.entries(kept).map(([name, text]) => {
      return [name, change({ orgId, owner: { of: "entry", kind, id, name }, text }) ?? text] as const;
    });
    world.entrySecrets.set(key, Object.fromEntries(entries));
  }
  for (const [key, link] of world.gatewayLinks) {
    const { orgId, gatewayId: id, dispatchToken: text } = link;
    const fresh = text === null ? null : change({ orgId, owner: { of: "gateway", id }, text });
    if (fresh !== null) world.gatewayLinks.set(key, { ...link, dispatchToken: fresh });
  }
  const { hooks } = world.webhooks;
  for (const [key, hook] of hooks) {
    const { orgId, workflow, secret, previousSecret } = hook;
    const changed = (text: string): string => change({ orgId, owner: { of: "hook", workflow }, text }) ?? text;
    const previous = previousSecret === null ? null : changed(previousSecret);
    hooks.set(key, { ...hook, secret: changed(secret), previousSecret: previous });
  }
}

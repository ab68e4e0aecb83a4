import { compareCodeUnits, getOwn, required } from "../../core/base/index.ts";
import { decodeCursor, listed } from "../cursor.ts";
import type { Entry, RegistryChange, RegistryStore } from "../registry-store.ts";
import { memoryAudit } from "./memory-audit.ts";
import { memoryConfig, raiseConfig } from "./memory-config.ts";
import { putWorkflow } from "./memory-workflows.ts";
import { copy, keyOf, type MemoryWorld } from "./memory-world.ts";
import { EntryChanged } from "../store-error.ts";

export function memoryRegistry(world: MemoryWorld): RegistryStore {
  return {
    ...memoryConfig(world),
    getEntry: async (orgId, kind, id) => {
      const entry = world.entries.get(keyOf(orgId, kind, id));
      return entry === undefined ? undefined : copy(entry);
    },
    listEntries: async (orgId, kind, page) => {
      const after = decodeCursor(page.cursor)?.id ?? null;
      const entries = [...world.entries]
        .filter(
          ([key, { id }]) => key === keyOf(orgId, kind, id) && (after === null || compareCodeUnits(id, after) > 0),
        )
        .map(([, entry]) => copy(entry))
        .sort((left, right) => compareCodeUnits(left.id, right.id));
      return listed(entries, page.limit, ({ id }) => ({ at: 0, id }));
    },
    findTriggers: async (name, limit) =>
      [...world.entries]
        .flatMap(([key, entry]) => {
          const [orgId = "", kind = ""] = JSON.parse(key) as string[];
          return kind === "trigger" && entry.id === name ? [{ ...copy(entry), orgId }] : [];
        })
        .sort((left, right) => left.createdAt - right.createdAt || compareCodeUnits(left.orgId, right.orgId))
        .slice(0, limit),
    putEntry: async (orgId, kind, id, body, at) => {
      const [entry] = apply(world, orgId, [{ change: "put", kind, id, body }], at);
      return required(entry, "what was put is answered");
    },
    deleteEntry: async (orgId, kind, id) => {
      const isKnown = world.entries.has(keyOf(orgId, kind, id));
      apply(world, orgId, [{ change: "delete", kind, id }], 0);
      return isKnown;
    },
    applyEntries: async (orgId, changes, at, audit = []) => {
      const entries = apply(world, orgId, changes, at, audit[0]?.actor ?? null);
      await memoryAudit(world).appendAudit(orgId, audit);
      return entries;
    },
    entrySecrets: async (orgId, kind, id) => copy(world.entrySecrets.get(keyOf(orgId, kind, id)) ?? {}),
  };
}

function apply(
  world: MemoryWorld,
  orgId: string,
  changes: readonly RegistryChange[],
  at: number,
  by: string | null = null,
): readonly Entry[] {
  requireExpected(world, orgId, changes);
  const result: Entry[] = [];
  let isChanged = false;
  for (const change of changes) {
    switch (change.change) {
      case "put": {
        const [entry, isNew] = put(world, orgId, change, { at, by });
        result.push(entry);
        isChanged ||= isNew;
        break;
      }
      case "delete": {
        const key = keyOf(orgId, change.kind, change.id);
        world.entrySecrets.delete(key);
        if (change.kind === "secret") world.secretUses.delete(keyOf(orgId, change.id));
        isChanged = world.entries.delete(key) || isChanged;
        break;
      }
      case "workflow":
        isChanged = putWorkflow(world, orgId, change.saving, change.settings) || isChanged;
        break;
    }
  }
  if (isChanged) raiseConfig(world, orgId);
  return result;
}

function requireExpected(world: MemoryWorld, orgId: string, changes: readonly RegistryChange[]): void {
  for (const change of changes) {
    if (change.change !== "put" || change.expected === undefined) continue;
    const { revision = 0 } = world.entries.get(keyOf(orgId, change.kind, change.id)) ?? {};
    if (revision !== change.expected) throw new EntryChanged(change.id);
  }
}

function put(
  world: MemoryWorld,
  orgId: string,
  { kind, id, body, secrets = {} }: Extract<RegistryChange, { change: "put" }>,
  { at, by: savedBy }: { readonly at: number; readonly by: string | null },
): readonly [Entry, boolean] {
  const key = keyOf(orgId, kind, id);
  const kept = world.entrySecrets.get(key) ?? {};
  const isMoved = Object.entries(secrets).some(([name, value]) => getOwn(kept, name) !== value);
  if (isMoved) world.entrySecrets.set(key, { ...kept, ...secrets });
  const before = world.entries.get(key);
  if (before !== undefined && JSON.stringify(before.body) === JSON.stringify(body)) return [copy(before), isMoved];
  const { revision = 0, createdAt = at } = before ?? {};
  const entry: Entry = { id, revision: revision + 1, body: copy(body), createdAt, updatedAt: at, savedBy };
  world.entries.set(key, entry);
  return [copy(entry), true];
}

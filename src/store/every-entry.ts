import type { Entry, EntryKind, RegistryStore } from "./registry-store.ts";

const PAGE = 100;

/** Returns all entries of a kind, by id, without a limit. */
export async function everyEntry(
  store: Pick<RegistryStore, "listEntries">,
  orgId: string,
  kind: EntryKind,
): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  for (let cursor: string | null = null; ;) {
    const page = await store.listEntries(orgId, kind, { limit: PAGE, cursor });
    found.push(...page.data);
    cursor = page.nextCursor;
    if (cursor === null) return found;
  }
}

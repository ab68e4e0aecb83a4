import { compareCodeUnits } from "../core/base/index.ts";
import { decodeCursor, encodeCursor, type Entry, type Listed, type Page, type RegistryStore } from "../store/index.ts";
import { DEFAULT_AGENT, DEFAULT_AGENT_BODY } from "./agent.ts";
import { entryKindOf, type RegisteredKind } from "./kind.ts";

/** What every organisation has by default. It was never written, so that it has no revision yet. */
const DEFAULT_AGENT_ENTRY: Entry = {
  id: DEFAULT_AGENT.id,
  revision: 0,
  body: DEFAULT_AGENT_BODY,
  createdAt: 0,
  updatedAt: 0,
  savedBy: null,
};

function builtInEntry(kind: RegisteredKind): Entry | null {
  return kind === "Agent" ? DEFAULT_AGENT_ENTRY : null;
}

/** What is registered, or what stands in for it. */
export async function getRegistered(
  store: RegistryStore,
  orgId: string,
  kind: RegisteredKind,
  id: string,
): Promise<Entry | undefined> {
  const builtIn = builtInEntry(kind);
  const entry = await store.getEntry(orgId, entryKindOf(kind), id);
  return entry ?? (builtIn?.id === id ? builtIn : undefined);
}

/** By id, with what stands in at its place. */
export async function listRegistered(
  store: RegistryStore,
  orgId: string,
  kind: RegisteredKind,
  page: Page,
): Promise<Listed<Entry>> {
  const found = await store.listEntries(orgId, entryKindOf(kind), page);
  const builtIn = builtInEntry(kind);
  if (builtIn === null || found.data.some(({ id }) => id === builtIn.id)) return found;
  const after = decodeCursor(page.cursor)?.id ?? "";
  const last = found.data.at(-1)?.id ?? "";
  const isAfter = compareCodeUnits(builtIn.id, after) > 0;
  const isWithin = found.nextCursor === null || compareCodeUnits(builtIn.id, last) < 0;
  if (!isAfter || !isWithin) return found;
  const merged = [...found.data, builtIn].sort((left, right) => compareCodeUnits(left.id, right.id));
  if (merged.length <= page.limit) return { data: merged, nextCursor: found.nextCursor };
  const data = merged.slice(0, page.limit);
  return { data, nextCursor: encodeCursor({ at: 0, id: data.at(-1)?.id ?? "" }) };
}

import { compareCodeUnits } from "../core/base/index.ts";
import { decodeCursor, encodeCursor, type Entry, type Listed, type Page, type RegistryStore } from "../store/index.ts";
import { DEFAULT_AGENT, DEFAULT_AGENT_BODY } from "./agent.ts";
import { entryKindOf, type RegisteredKind } from "./kind.ts";

/** The default agent of every organisation. It was never written, so it has no revision yet. */
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

/** Returns a registered entry, or its built-in default. */
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

/** Lists entries by id, with built-in defaults at their position. */
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

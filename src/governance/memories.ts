import { compareCodeUnits } from "../core/base/index.ts";
import type { MemoryProfile } from "../core/governance/index.ts";
import {
  type AgentMemoryStore,
  MEMORY_ENTRIES_MAX,
  memoryEntryId,
  type MemoryRecord,
  type MemoryKey,
} from "../store/index.ts";
import type { Registered } from "./registered.ts";

/** The agent memories of one organisation. */
interface OrgMemories {
  /** The agents these entries were read for. A different map object means that agents were registered or changed since. */
  agents: Registered["agents"];
  /** By agent and profile, oldest first. A profile without a list has not been read, and its new entries are not kept. */
  entries: Entries;
  /** Entries added while a read is under way, one list per read. */
  readonly readings: Set<MemoryRecord[]>;
  /** How many times an agent's memory was deleted. Entries read before a deletion must not come back. */
  forgotten: number;
}

type Entries = Map<string, readonly MemoryRecord[]>;
type Agents = Pick<Registered, "agents">;

/** The newest entries of every agent with a memory, kept in memory so that instructions are assembled without a query. */
export class Memories {
  readonly #store: Pick<AgentMemoryStore, "readMemories">;
  readonly #orgs = new Map<string, OrgMemories>();

  constructor(store: Pick<AgentMemoryStore, "readMemories">) {
    this.#store = store;
  }

  /** Whether the entries of all currently registered agents are loaded. */
  isReady(orgId: string, { agents }: Agents): boolean {
    const org = this.#org(orgId);
    if (org.agents === agents) return true;
    const isHere = keysOf(agents).every((key) => org.entries.has(keyText(key)));
    if (isHere) org.agents = agents;
    return isHere;
  }

  /** Loads missing entries. */
  async ensure(orgId: string, registered: Agents): Promise<void> {
    if (!this.isReady(orgId, registered)) await this.refresh(orgId, registered);
  }

  /** Reads all entries again, because other processes may have added or deleted some. */
  async refreshAll(registered: { of(orgId: string): Agents }): Promise<void> {
    for (const orgId of this.#orgs.keys()) await this.refresh(orgId, registered.of(orgId));
  }

  async refresh(orgId: string, { agents }: Agents): Promise<void> {
    const keys = keysOf(agents);
    const org = this.#org(orgId);
    const added: MemoryRecord[] = [];
    org.readings.add(added);
    try {
      const read = keys.length === 0 ? [] : await this.#read(orgId, org, keys);
      const entries: Entries = new Map(keys.map((key) => [keyText(key), []]));
      for (const entry of [...read, ...added]) put(entries, entry);
      Object.assign(org, { agents, entries });
    } finally {
      org.readings.delete(added);
    }
  }

  /** Adds entries after the commit that contains them has succeeded. */
  add(orgId: string, entries: readonly MemoryRecord[]): void {
    const org = this.#orgs.get(orgId);
    if (org === undefined || entries.length === 0) return;
    for (const entry of entries) {
      put(org.entries, entry);
      for (const reading of org.readings) reading.push(entry);
    }
  }

  forget(orgId: string, agentId: string): void {
    const org = this.#orgs.get(orgId);
    if (org === undefined) return;
    org.forgotten += 1;
    for (const reading of org.readings) {
      reading.splice(0, Infinity, ...reading.filter((entry) => entry.agentId !== agentId));
    }
    for (const [key, [first]] of org.entries) if (first?.agentId === agentId) org.entries.set(key, []);
  }

  /** Returns the entries an agent receives, oldest first. `own` holds entries added in the commit being decided. */
  recall(
    orgId: string,
    agentId: string,
    { name: profile, entries: count }: MemoryProfile,
    own: readonly MemoryRecord[],
  ): readonly MemoryRecord[] {
    const kept = this.#orgs.get(orgId)?.entries.get(keyText({ agentId, profile })) ?? [];
    return newest([...kept, ...own], count);
  }

  async #read(orgId: string, org: OrgMemories, keys: readonly MemoryKey[]): Promise<readonly MemoryRecord[]> {
    for (;;) {
      const { forgotten } = org;
      const read = await this.#store.readMemories(orgId, keys);
      if (forgotten === org.forgotten) return read;
    }
  }

  #org(orgId: string): OrgMemories {
    let org = this.#orgs.get(orgId);
    if (org === undefined) {
      org = { agents: NO_AGENTS, entries: new Map(), readings: new Set(), forgotten: 0 };
      this.#orgs.set(orgId, org);
    }
    return org;
  }
}

const NO_AGENTS: Registered["agents"] = new Map();

function keysOf(agents: Registered["agents"]): readonly MemoryKey[] {
  const keys: MemoryKey[] = [];
  for (const { id: agentId, memoryProfile } of agents.values()) {
    if (memoryProfile !== null) keys.push({ agentId, profile: memoryProfile.name });
  }
  return keys;
}

function keyText({ agentId, profile }: MemoryKey): string {
  return JSON.stringify([agentId, profile]);
}

function put(entries: Entries, entry: MemoryRecord): void {
  const key = keyText(entry);
  const kept = entries.get(key);
  if (kept !== undefined) entries.set(key, newest([...kept, entry], MEMORY_ENTRIES_MAX));
}

/** Returns the last `count` entries in order, without duplicates. */
function newest(entries: readonly MemoryRecord[], count: number): readonly MemoryRecord[] {
  const byId = new Map(entries.map((entry) => [memoryEntryId(entry), entry]));
  return [...byId]
    .sort(([leftId, left], [rightId, right]) => left.at - right.at || compareCodeUnits(leftId, rightId))
    .slice(-count)
    .map(([, entry]) => entry);
}

/** A stored answer of the API to one request. It is shown at once when needed again, while a new read runs in the background. */
export interface Entry {
  readonly data: unknown;
  readonly hasData: boolean;
  readonly problem: Error | null;
  readonly isLoading: boolean;
  /** Time of the read, by `performance.now`. */
  readonly readAt: number;
}

const NOTHING: Entry = { data: undefined, hasData: false, problem: null, isLoading: false, readAt: -Infinity };
/** Shortest time between two reads of the same entry, however often it changes. */
const PAUSE_MS = 800;
const ENTRIES_MAX = 200;

interface Slot {
  entry: Entry;
  load: (() => Promise<unknown>) | null;
  tags: readonly string[];
  readonly listeners: Set<() => void>;
  timer: ReturnType<typeof setTimeout> | null;
  /** True when a change was reported after the last read began. */
  isStale: boolean;
}

export class QueryCache {
  readonly #slots = new Map<string, Slot>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get(key: string): Entry {
    return this.#slots.get(key)?.entry ?? NOTHING;
  }

  subscribe(key: string, listener: () => void): () => void {
    const slot = this.#slot(key);
    slot.listeners.add(listener);
    return () => slot.listeners.delete(listener);
  }

  /** Sets the read function of a key, and reads unless the last read is newer than `freshMs`. */
  want(key: string, load: () => Promise<unknown>, tags: readonly string[], freshMs = PAUSE_MS): void {
    const slot = this.#slot(key);
    slot.load = load;
    slot.tags = tags;
    const isFresh = slot.entry.hasData && !slot.isStale && this.#now() - slot.entry.readAt < freshMs;
    if (!isFresh && !slot.entry.isLoading) void this.#read(slot);
  }

  /** Stores data received in another way, such as the answer to a change. */
  put(key: string, data: unknown): void {
    this.#set(this.#slot(key), { data, hasData: true, problem: null, isLoading: false, readAt: this.#now() });
  }

  /** Replaces data with a newer version of it. If a read is in progress, its answer will replace this data. */
  patch(key: string, data: unknown): void {
    const slot = this.#slot(key);
    if (slot.entry.hasData) this.#set(slot, { ...slot.entry, data });
  }

  /** Reads every entry with one of the tags again: at once if it is shown, otherwise when it is next shown. */
  invalidate(...tags: readonly string[]): void {
    for (const slot of this.#slots.values()) {
      if (slot.tags.some((tag) => tags.includes(tag))) this.#spoil(slot);
    }
  }

  invalidateAll(): void {
    for (const slot of this.#slots.values()) this.#spoil(slot);
  }

  refresh(key: string): Promise<void> {
    const slot = this.#slot(key);
    return slot.load === null ? Promise.resolve() : this.#read(slot);
  }

  clear(): void {
    for (const slot of this.#slots.values()) {
      slot.load = null;
      this.#set(slot, NOTHING);
    }
  }

  #spoil(slot: Slot): void {
    slot.isStale = true;
    if (slot.listeners.size === 0 || slot.timer !== null || slot.entry.isLoading) return;
    const waitMs = Math.max(0, PAUSE_MS - (this.#now() - slot.entry.readAt));
    slot.timer = setTimeout(() => {
      slot.timer = null;
      if (slot.listeners.size > 0) void this.#read(slot);
    }, waitMs);
  }

  async #read(slot: Slot): Promise<void> {
    const { load } = slot;
    if (load === null) return;
    slot.isStale = false;
    this.#set(slot, { ...slot.entry, isLoading: true });
    try {
      const data = await load();
      if (slot.load !== load && slot.load === null) return;
      this.#set(slot, { data, hasData: true, problem: null, isLoading: false, readAt: this.#now() });
    } catch (thrown) {
      const problem = thrown instanceof Error ? thrown : new Error(String(thrown));
      this.#set(slot, { ...slot.entry, problem, isLoading: false, readAt: this.#now() });
    }
    if (slot.isStale) this.#spoil(slot);
  }

  #set(slot: Slot, entry: Entry): void {
    slot.entry = entry;
    for (const listener of slot.listeners) listener();
  }

  #slot(key: string): Slot {
    const found = this.#slots.get(key);
    if (found !== undefined) return found;
    if (this.#slots.size >= ENTRIES_MAX) this.#forgetOne();
    const slot: Slot = { entry: NOTHING, load: null, tags: [], listeners: new Set(), timer: null, isStale: false };
    this.#slots.set(key, slot);
    return slot;
  }

  #forgetOne(): void {
    for (const [key, slot] of this.#slots) {
      if (slot.listeners.size > 0) continue;
      this.#slots.delete(key);
      return;
    }
  }
}

export const cache = new QueryCache();

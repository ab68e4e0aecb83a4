import { StoreUnavailable } from "../store/index.ts";

export interface RememberedOptions<K, V> {
  readonly look: (key: K) => Promise<V>;
  readonly nameOf: (key: K) => string;
  /** Time for which a cached answer is used without a new query. */
  readonly freshMs: number;
  /** Returns whether an answer is stored in the cache. */
  readonly isKept: (value: V) => boolean;
  readonly now: () => number;
}

const KEPT_MAX = 50_000;

/** A cache of the directory's answers. While the directory is unavailable, the last answers keep known organisations working. */
export class Remembered<K, V> {
  readonly #options: RememberedOptions<K, V>;
  readonly #kept = new Map<string, { readonly value: V; readonly until: number }>();

  constructor(options: RememberedOptions<K, V>) {
    this.#options = options;
  }

  async get(key: K): Promise<V> {
    const { look, nameOf, now } = this.#options;
    const name = nameOf(key);
    const kept = this.#kept.get(name);
    if (kept !== undefined && kept.until > now()) return kept.value;
    try {
      const value = await look(key);
      this.put(key, value);
      return value;
    } catch (error) {
      if (kept === undefined || !(error instanceof StoreUnavailable)) throw error;
      return kept.value;
    }
  }

  /** Returns the last answer, however old it is. */
  peek(key: K): V | undefined {
    return this.#kept.get(this.#options.nameOf(key))?.value;
  }

  put(key: K, value: V): void {
    const { nameOf, isKept, freshMs, now } = this.#options;
    const name = nameOf(key);
    this.#kept.delete(name);
    if (!isKept(value)) return;
    // The oldest entry is removed first.
    if (this.#kept.size >= KEPT_MAX) for (const oldest of this.#kept.keys()) if (this.#kept.delete(oldest)) break;
    this.#kept.set(name, { value, until: now() + freshMs });
  }

  clear(): void {
    this.#kept.clear();
  }
}

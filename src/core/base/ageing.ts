/** How often a level may be passed over before it has its turn. */
export const PASSED_MAX = 8;

/**
 * Which of several levels is served next: the first that has anything, except that one which was passed over so often
 * goes before all others. So higher levels overtake, and none waits for ever.
 */
export class Ageing {
  readonly #passed: number[];

  constructor(levels: number) {
    this.#passed = Array.from({ length: levels }, () => 0);
  }

  /** Null: no level has anything. */
  next(has: (level: number) => boolean): number | null {
    let first: number | null = null;
    for (let level = this.#passed.length - 1; level >= 0; level -= 1) {
      if (!has(level)) continue;
      if (this.isDue(level)) return level;
      first = level;
    }
    return first;
  }

  /** It has been passed over so often that it goes first. */
  isDue(level: number): boolean {
    return (this.#passed[level] ?? 0) >= PASSED_MAX;
  }

  /** One of the level was served; those after it that have anything were passed over. */
  served(level: number, has: (level: number) => boolean): void {
    this.#passed[level] = 0;
    for (let later = level + 1; later < this.#passed.length; later += 1) {
      this.#passed[later] = has(later) ? (this.#passed[later] ?? 0) + 1 : 0;
    }
  }
}

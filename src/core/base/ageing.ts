/** Number of times a level can be passed over before it is served first. */
export const PASSED_MAX = 8;

/**
 * Chooses which of several levels is served next: the first level that has work. A level that was passed over too often
 * is served before all others. So higher levels go first, but no level waits for ever.
 */
export class Ageing {
  readonly #passed: number[];

  constructor(levels: number) {
    this.#passed = Array.from({ length: levels }, () => 0);
  }

  /** Returns the next level, or null when no level has work. `has` checks whether a level has work. */
  next(has: (level: number) => boolean): number | null {
    let first: number | null = null;
    for (let level = this.#passed.length - 1; level >= 0; level -= 1) {
      if (!has(level)) continue;
      if (this.isDue(level)) return level;
      first = level;
    }
    return first;
  }

  /** Checks whether the level was passed over so often that it is served first. */
  isDue(level: number): boolean {
    return (this.#passed[level] ?? 0) >= PASSED_MAX;
  }

  /** Records that the level was served. Lower levels that have work were passed over. */
  served(level: number, has: (level: number) => boolean): void {
    this.#passed[level] = 0;
    for (let later = level + 1; later < this.#passed.length; later += 1) {
      this.#passed[later] = has(later) ? (this.#passed[later] ?? 0) + 1 : 0;
    }
  }
}

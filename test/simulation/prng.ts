/** FNV-1a over code units: the same on every machine and in every locale. */
export function hashText(text: string, seed = 0x811c9dc5): number {
  let hash = seed >>> 0;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mix(hash);
}

/** Spreads every input bit over the whole word. */
function mix(value: number): number {
  let word = value >>> 0;
  word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return (word ^ (word >>> 16)) >>> 0;
}

/** A seeded source of chance (sfc32). Everything random in a schedule comes from one of these. */
export class Prng {
  private a: number;
  private b: number;
  private c: number;
  private d = 1;
  private readonly seed: number;

  constructor(seed: number) {
    this.seed = seed >>> 0;
    this.a = mix(this.seed + 0x9e3779b9);
    this.b = mix(this.seed + 0x3c6ef372);
    this.c = mix(this.seed + 0xdaa66d2b);
    for (let turn = 0; turn < 8; turn += 1) this.next();
  }

  /** A source that depends on this seed and the label only, never on how much was drawn before. */
  fork(label: string): Prng {
    return new Prng(hashText(label, mix(this.seed ^ 0x5bd1e995)));
  }

  next(): number {
    const sum = (this.a + this.b + this.d) >>> 0;
    this.d = (this.d + 1) >>> 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) >>> 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) >>> 0;
    this.c = (this.c + sum) >>> 0;
    return sum;
  }

  /** In [0, 1). */
  float(): number {
    return this.next() / 0x1_0000_0000;
  }

  /** A whole number in [0, below). */
  below(below: number): number {
    return Math.floor(this.float() * below);
  }

  /** A whole number in [from, to]. */
  between(from: number, to: number): number {
    return from + this.below(to - from + 1);
  }

  chance(probability: number): boolean {
    return this.float() < probability;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error("Prng.pick needs a non-empty list");
    return item;
  }
}

import { compilePattern } from "../text/index.ts";

/** Repetitions tried beyond the minimum of an open-ended repetition, fewest first. */
const EXTRA_REPEATS = [0, 1, 2, 4, 8, 16, 32, 64, 128, 256];
const SAMPLE_LENGTH_MAX = 10_000;

/**
 * Returns a text that the pattern matches, or undefined when the supported syntax (literals, classes, groups, alternatives,
 * repetitions, anchors) does not produce one. The pattern engine itself checks the result.
 */
export function samplePattern(pattern: string, shortest: number, longest: number): string | undefined {
  const compiled = compilePattern(pattern);
  if (!compiled.ok) return undefined;
  for (const extra of EXTRA_REPEATS) {
    const sample = new Sampler(pattern, extra).sample();
    if (sample === undefined) return undefined;
    const padded = sample.length < shortest && !pattern.endsWith("$") ? sample.padEnd(shortest, ".") : sample;
    if (padded.length >= shortest && padded.length <= longest && compiled.value.test(padded)) return padded;
  }
  return undefined;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["d", "7"],
  ["w", "a"],
  ["s", " "],
  ["D", "a"],
  ["W", "-"],
  ["S", "a"],
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", ""],
  ["A", ""],
  ["z", ""],
]);

/** Reads a pattern from left to right and generates one text for it. Undefined for unknown syntax. */
class Sampler {
  readonly #pattern: string;
  readonly #extra: number;
  #place = 0;
  #depth = 0;

  constructor(pattern: string, extra: number) {
    this.#pattern = pattern;
    this.#extra = extra;
  }

  sample(): string | undefined {
    const text = this.#alternatives();
    return this.#place === this.#pattern.length ? text : undefined;
  }

  #peek(): string {
    return this.#pattern.charAt(this.#place);
  }

  #take(): string {
    const character = this.#peek();
    this.#place += 1;
    return character;
  }

  /** Reads all alternatives and returns the first. */
  #alternatives(): string | undefined {
    const first = this.#sequence();
    if (first === undefined) return undefined;
    while (this.#peek() === "|") {
      this.#place += 1;
      if (this.#sequence() === undefined) return undefined;
    }
    return first;
  }

  #sequence(): string | undefined {
    let text = "";
    while (this.#place < this.#pattern.length && this.#peek() !== "|" && this.#peek() !== ")") {
      const atom = this.#atom();
      if (atom === undefined) return undefined;
      const times = this.#repetition();
      if (times === undefined || text.length + atom.length * times > SAMPLE_LENGTH_MAX) return undefined;
      text += atom.repeat(times);
    }
    return text;
  }

  #atom(): string | undefined {
    const character = this.#take();
    switch (character) {
      case "^":
      case "$":
        return "";
      case ".":
        return "x";
      case "\\":
        return this.#escape();
      case "[":
        return this.#class();
      case "(":
        return this.#group();
      default:
        return character;
    }
  }

  #escape(): string | undefined {
    const letter = this.#take();
    if (/[A-Za-z0-9]/.test(letter)) return ESCAPES.get(letter);
    return letter === "" ? undefined : letter;
  }

  #group(): string | undefined {
    this.#depth += 1;
    if (this.#depth > 50) return undefined;
    if (this.#peek() === "?") {
      const head = /^\?(?::|P?<\w+>)/.exec(this.#pattern.slice(this.#place));
      if (head === null) return undefined;
      this.#place += head[0].length;
    }
    const inner = this.#alternatives();
    this.#depth -= 1;
    return this.#take() === ")" ? inner : undefined;
  }

  #class(): string | undefined {
    const end = this.#pattern.indexOf("]", this.#place + (this.#peek() === "]" ? 1 : 0));
    if (end === -1) return undefined;
    const inside = this.#pattern.slice(this.#place, end);
    if (inside.includes("[") || inside.endsWith("\\")) return undefined;
    this.#place = end + 1;
    if (inside.startsWith("^")) return firstOutside(inside.slice(1));
    return inside.startsWith("\\") ? (ESCAPES.get(inside.charAt(1)) ?? inside.charAt(1)) : inside.charAt(0);
  }

  #repetition(): number | undefined {
    const character = this.#peek();
    if (character === "*" || character === "+" || character === "?") {
      this.#place += 1;
      this.#lazy();
      if (character === "?") return Math.min(this.#extra, 1);
      return (character === "+" ? 1 : 0) + this.#extra;
    }
    const range = /^\{(\d+)(,(\d*))?\}/.exec(this.#pattern.slice(this.#place, this.#place + 20));
    if (range === null) return 1;
    this.#place += range[0].length;
    this.#lazy();
    const least = Number(range[1]);
    if (range[2] === undefined) return least;
    return range[3] === "" ? least + this.#extra : Math.min(least + this.#extra, Number(range[3]));
  }

  #lazy(): void {
    if (this.#peek() === "?") this.#place += 1;
  }
}

/** Returns a character that a negated class accepts. It is a guess that the pattern engine checks. */
function firstOutside(inside: string): string | undefined {
  return ["a", "7", "-", " ", "Z", "~"].find((candidate) => {
    const isDigit = candidate === "7" && /\\d|0-9/.test(inside);
    const isLetter = candidate === "a" && /\\w|a-z/.test(inside);
    const isSpace = candidate === " " && inside.includes("\\s");
    return !isDigit && !isLetter && !isSpace && !inside.includes(candidate);
  });
}

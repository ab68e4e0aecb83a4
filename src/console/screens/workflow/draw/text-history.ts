/** One past for both views of a document: what was typed, drawn and filled in, in the order it was done. */
export class TextHistory {
  readonly #past: string[] = [];
  readonly #future: string[] = [];
  #now: string;
  #typedAt = -Infinity;

  constructor(text: string) {
    this.#now = text;
  }

  get now(): string {
    return this.#now;
  }

  get canUndo(): boolean {
    return this.#past.length > 0;
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /** Letters typed one after the other are undone together. */
  put(text: string, at: number, isTyped: boolean): void {
    if (text === this.#now) return;
    const isOne = isTyped && at - this.#typedAt < TOGETHER_MS && this.#future.length === 0;
    if (!isOne || this.#past.length === 0) this.#past.push(this.#now);
    if (this.#past.length > STEPS_MAX) this.#past.shift();
    this.#future.length = 0;
    this.#typedAt = isTyped ? at : -Infinity;
    this.#now = text;
  }

  /** The text before; the very same, letter by letter. */
  undo(): string {
    const before = this.#past.pop();
    if (before === undefined) return this.#now;
    this.#future.push(this.#now);
    return this.#go(before);
  }

  redo(): string {
    const after = this.#future.pop();
    if (after === undefined) return this.#now;
    this.#past.push(this.#now);
    return this.#go(after);
  }

  #go(text: string): string {
    this.#typedAt = -Infinity;
    this.#now = text;
    return text;
  }
}

const TOGETHER_MS = 800;
const STEPS_MAX = 500;

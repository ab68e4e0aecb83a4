/** The undo history shared by both views of a document: typing, drawing and forms, in the order of the changes. */
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

  /** Adds a text to the history. Letters typed in quick succession are undone together. */
  put(text: string, at: number, isTyped: boolean): void {
    if (text === this.#now) return;
    const isOne = isTyped && at - this.#typedAt < TOGETHER_MS && this.#future.length === 0;
    if (!isOne || this.#past.length === 0) this.#past.push(this.#now);
    if (this.#past.length > STEPS_MAX) this.#past.shift();
    this.#future.length = 0;
    this.#typedAt = isTyped ? at : -Infinity;
    this.#now = text;
  }

  /** Returns the previous text, unchanged to the letter. */
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

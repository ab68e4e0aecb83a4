const SPACE = 0x20;
const LINE_END = 0x0a;
const RETURN = 0x0d;

/** A cursor over the lines of a text that have content. */
export class PlainLines {
  readonly text: string;
  /** Start of the current line's content, and its column. */
  start = 0;
  indent = 0;
  isAtEnd = false;
  /** Set at a line that only the full parser should interpret. */
  isOdd = false;
  /** End of the current line's content, and start of the next line. */
  #end = 0;
  #nextLine = 0;

  constructor(text: string) {
    this.text = text;
    this.next();
  }

  /** Moves to the next line that is neither blank nor a comment. */
  next(): void {
    while (this.#nextLine < this.text.length) {
      this.#take();
      if (this.start < this.#end && this.text[this.start] !== "#") {
        // A tab as indentation, or a marker or directive at the start of the line.
        if (this.text[this.start] === "\t" || (this.indent === 0 && this.#isMarker())) this.isOdd = true;
        return;
      }
    }
    this.isAtEnd = true;
  }

  #take(): void {
    const lineStart = this.#nextLine;
    const lineEnd = this.text.indexOf("\n", lineStart);
    this.#nextLine = lineEnd === -1 ? this.text.length : lineEnd + 1;
    this.#end = lineEnd === -1 ? this.text.length : lineEnd;
    if (this.text.charCodeAt(this.#end - 1) === RETURN && this.#end > lineStart && lineEnd !== -1) this.#end -= 1;
    while (this.#end > lineStart && this.text.charCodeAt(this.#end - 1) === SPACE) this.#end -= 1;
    this.start = Math.min(this.afterSpaces(lineStart), this.#end);
    this.indent = this.start - lineStart;
  }

  #isMarker(): boolean {
    return /^(?:---|\.\.\.|%)/.test(this.text.slice(this.start, this.start + 3));
  }

  /** Whether the content starts with the dash of a list item. */
  get isItem(): boolean {
    return this.text[this.start] === "-" && (this.start + 1 === this.#end || this.text[this.start + 1] === " ");
  }

  afterSpaces(from: number): number {
    let position = from;
    while (this.text.charCodeAt(position) === SPACE) position += 1;
    return position;
  }

  rest(position: number): string {
    return this.text.slice(position, this.#end);
  }

  /** Continues inside the current line, as if the line started at the position. */
  enter(position: number): void {
    this.indent += position - this.start;
    this.start = position;
  }

  /** Returns the lines of a `|` block below a key at `indent`, joined, without the last line end. Null when the block is not plain. */
  literal(indent: number): string | null {
    const lines: string[] = [];
    let margin = -1;
    let size = 0;
    for (;;) {
      const lineStart = this.#nextLine;
      if (lineStart >= this.text.length) break;
      const content = this.afterSpaces(lineStart);
      const sign = this.text.charCodeAt(content);
      if (sign === LINE_END && content === lineStart && margin !== -1) lines.push("");
      else if (sign === LINE_END || sign === RETURN || content >= this.text.length) return null;
      else {
        if (content - lineStart <= indent) break;
        if (margin === -1) margin = content - lineStart;
        const lineEnd = this.text.indexOf("\n", lineStart);
        if (content - lineStart < margin || lineEnd === -1) return null;
        lines.push(this.text.slice(lineStart + margin, lineEnd));
        size = lines.length;
      }
      this.#nextLine = this.text.indexOf("\n", lineStart) + 1;
    }
    if (size === 0 || lines.some((line) => line.includes("\r"))) return null;
    this.next();
    return lines.slice(0, size).join("\n");
  }
}

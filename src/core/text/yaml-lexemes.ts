import { CST, Lexer } from "yaml";
import { LIMITS } from "../base/index.ts";

/** YAML syntax that no file may use: `&name`, `*name` or `!tag`. */
export interface Mark {
  readonly kind: "anchor" | "alias" | "tag";
  readonly offset: number;
  readonly source: string;
}

export interface Lexemes {
  readonly list: readonly string[];
  /** In order. Lexing stops at the fiftieth. */
  readonly marks: readonly Mark[];
  /** Position and reason when lexing stopped before the end. */
  readonly stop: { readonly reason: "too many" | "too deep"; readonly offset: number } | null;
}

/** Seventy for each of ten thousand steps. All work after lexing costs microseconds per lexeme. */
export const LEXEMES_MAX = 700_000;

/** Cuts a text into lexemes whose lengths add up to its length. Blank lines and comment lines are merged. */
export function lexYaml(text: string): Lexemes {
  const cutter = new Cutter();
  for (const lexeme of new Lexer().lex(text)) {
    cutter.take(lexeme);
    if (cutter.list.length > LEXEMES_MAX) return lexemesOf(cutter, "too many");
    if (cutter.nesting > LIMITS.textDepthMax) return lexemesOf(cutter, "too deep");
    if (cutter.marks.length >= LIMITS.problemsMax) break;
  }
  return lexemesOf(cutter, null);
}

function lexemesOf({ list, marks, offset }: Cutter, reason: "too many" | "too deep" | null): Lexemes {
  return { list, marks, stop: reason && { reason, offset } };
}

const KIND_BY_SIGN: ReadonlyMap<string, Mark["kind"]> = new Map([
  ["&", "anchor"],
  ["*", "alias"],
  ["!", "tag"],
]);

class Cutter {
  readonly marks: Mark[] = [];
  readonly list: string[] = [];
  offset = 0;
  #openBrackets = 0;
  /** Number of `- ` or `? ` on the current line. Each opens a list or map inside the previous one. */
  #lineIndicators = 0;
  #isScalarNext = false;
  #isAtLineStart = true;
  /** Spaces and a comment on a line that may contain nothing else. */
  #linePart: string[] = [];
  /** Total length of complete lines that contain nothing else. */
  #skippedLength = 0;

  take(lexeme: string): void {
    if (this.#isScalarNext) {
      this.#isScalarNext = false;
      this.#push(lexeme);
      // The text of a block scalar includes the end of its last line.
      this.#isAtLineStart = lexeme.endsWith("\n");
    } else if (lexeme === CST.SCALAR || lexeme === CST.DOCUMENT || lexeme === CST.FLOW_END) {
      if (lexeme === CST.FLOW_END) this.#openBrackets = 0;
      this.#isScalarNext = lexeme === CST.SCALAR;
      this.#push(lexeme);
      this.#isAtLineStart &&= lexeme === CST.DOCUMENT;
      return;
    } else this.#takeToken(lexeme);
    this.offset += lexeme.length;
  }

  #takeToken(lexeme: string): void {
    const sign = lexeme.charAt(0);
    const isLineEnd = lexeme === "\n" || lexeme === "\r\n";
    if (this.#isAtLineStart && (isLineEnd || sign === " " || sign === "\t" || sign === "#")) {
      this.#linePart.push(lexeme);
      if (isLineEnd) this.#skipLine();
      return;
    }
    if (lexeme === "[" || lexeme === "{") this.#openBrackets += 1;
    else if (lexeme === "]" || lexeme === "}") this.#openBrackets = Math.max(0, this.#openBrackets - 1);
    else if (lexeme === "-" || lexeme === "?") this.#lineIndicators += 1;
    const kind = KIND_BY_SIGN.get(sign);
    if (kind !== undefined) this.marks.push({ kind, offset: this.offset, source: lexeme });
    this.#push(lexeme);
    this.#isAtLineStart = isLineEnd;
    if (isLineEnd) this.#lineIndicators = 0;
  }

  #skipLine(): void {
    for (const part of this.#linePart) this.#skippedLength += part.length;
    this.#linePart = [];
  }

  /**
   * Replaces skipped lines by one blank line of the same length. Offsets stay correct, and the parser, which scans the comments
   * before a key again for each of them, has none to scan.
   */
  #push(lexeme: string): void {
    if (this.#skippedLength > 1) this.list.push(" ".repeat(this.#skippedLength - 1));
    if (this.#skippedLength > 0) this.list.push("\n");
    this.#skippedLength = 0;
    if (this.#linePart.length > 0) this.list.push(...this.#linePart);
    this.#linePart = [];
    this.list.push(lexeme);
  }

  /** A lower bound of the depth that needs no parser, so that lexing stops early in a megabyte of brackets. */
  get nesting(): number {
    return Math.max(this.#openBrackets, this.#lineIndicators);
  }
}

/** Returns the start of the lexeme that ends at an offset. */
export function startOfLexeme(lexemes: readonly string[], end: number): number {
  let offset = 0;
  for (const lexeme of lexemes) {
    if (lexeme === CST.SCALAR || lexeme === CST.DOCUMENT || lexeme === CST.FLOW_END) continue;
    const next = offset + lexeme.length;
    if (next >= end) return offset;
    offset = next;
  }
  return offset;
}

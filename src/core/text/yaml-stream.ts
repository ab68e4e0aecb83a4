import { Composer, CST, type Document, Parser } from "yaml";
import { LIMITS, type PathSegment, type TreePath } from "../base/index.ts";
import type { ProblemList } from "./problem-list.ts";
import { addTooDeep } from "./rules.ts";
import type { Lexemes } from "./yaml-lexemes.ts";
import { adviceFor, type SyntaxFault } from "./yaml-syntax.ts";

export type YamlDocument = Document.Parsed;

const DOCUMENTS_MAX = 1_000;

/** Returns the documents of a stream. Null when problems were added that make further checks useless. */
export function parseYaml(
  text: string,
  lexemes: Lexemes,
  problems: ProblemList,
  isSingle: boolean,
): readonly YamlDocument[] | null {
  const stream = new Stream(text, lexemes.list, problems, isSingle);
  return stream.parse() ? stream.documents : null;
}

class Stream {
  readonly documents: YamlDocument[] = [];
  readonly #text: string;
  readonly #lexemes: readonly string[];
  readonly #problems: ProblemList;
  readonly #isSingle: boolean;
  readonly #faults: SyntaxFault[] = [];
  readonly #composer: Composer;
  #documentCount = 0;
  #isStopped = false;
  #hasBadDirective = false;

  constructor(text: string, lexemes: readonly string[], problems: ProblemList, isSingle: boolean) {
    this.#text = text;
    this.#lexemes = lexemes;
    this.#problems = problems;
    this.#isSingle = isSingle;
    this.#composer = faultCollector(this.#faults);
  }

  parse(): boolean {
    try {
      this.#parseAll();
    } catch (error) {
      if (!(error instanceof FaultsOverflow)) throw error;
    }
    if (this.#isStopped) return false;
    for (const document of this.documents) {
      for (const error of document.errors) {
        this.#faults.push({ code: error.code, offset: error.pos[0], end: error.pos[1], message: error.message });
      }
    }
    for (const { offset, message, hint } of adviceFor(this.#faults, this.#text, this.#lexemes)) {
      this.#problems.add("yaml_syntax", offset, [], message, hint);
    }
    return this.#faults.length === 0 && !this.#hasBadDirective;
  }

  #parseAll(): void {
    const parser = new Parser();
    for (const lexeme of this.#lexemes) {
      for (const token of parser.next(lexeme)) this.#take(token);
      // The stack may also contain the document itself and a scalar.
      if (parser.stack.length > LIMITS.textDepthMax + 1) this.#checkDepth(parser.stack);
      if (this.#isStopped) return;
    }
    for (const token of parser.end()) this.#take(token);
    if (!this.#isStopped) this.documents.push(...this.#composer.end());
  }

  #take(token: CST.Token): void {
    if (this.#isStopped) return;
    if (token.type === "directive") this.#takeDirective(token);
    else if (token.type === "error") addFault(this.#faults, "", token, token.message);
    else if (token.type === "document") this.#takeDocument(token);
    else if (token.type === "doc-end" && this.#documentCount > 0) this.documents.push(...this.#composer.next(token));
  }

  #takeDocument(token: CST.Document): void {
    // A lone `...` creates an empty document that the author did not write.
    if (token.value === undefined && token.start.length === 0) return;
    this.#documentCount += 1;
    if (this.#isSingle && this.#documentCount > 1) {
      this.#problems.add(
        "yaml_multiple_documents",
        token.offset,
        [],
        "A second document starts here; a file holds one.",
        "Put each document in a file of its own, or remove the --- line.",
      );
      this.#isStopped = true;
    } else if (this.#documentCount > DOCUMENTS_MAX) {
      const message = `The text holds more than ${DOCUMENTS_MAX} documents.`;
      this.#problems.add("yaml_too_large", token.offset, [], message, "Split it into several files.");
      this.#isStopped = true;
    } else this.documents.push(...this.#composer.next(token));
  }

  #takeDirective(token: CST.Directive): void {
    const { source, offset } = token;
    if (/^%YAML[ \t]+1\.2$/.test(source)) {
      this.documents.push(...this.#composer.next(token));
      return;
    }
    if (source.startsWith("%TAG")) {
      this.#problems.add("yaml_tag", offset, [], "Tags cannot be declared.", "Remove the %TAG line.");
    } else {
      const message = source.startsWith("%YAML") ? "Only YAML 1.2 is read." : "This directive is not known.";
      this.#problems.add("yaml_syntax", offset, [], message, "Remove the line that starts with %.");
    }
    this.#hasBadDirective = true;
    this.#isStopped ||= this.#problems.isFull;
  }

  #checkDepth(stack: readonly CST.Token[]): void {
    const collections = stack.filter((token) => CST.isCollection(token));
    const beyond = collections[LIMITS.textDepthMax];
    if (beyond === undefined) return;
    addTooDeep(this.#problems, beyond.offset, collections.slice(0, LIMITS.textDepthMax).flatMap(openSegment));
    this.#isStopped = true;
  }
}

/** Returns the key or index at which an unfinished collection is being read. */
function openSegment(collection: CST.BlockMap | CST.BlockSequence | CST.FlowCollection): TreePath {
  const isList =
    collection.type === "block-seq" || (collection.type === "flow-collection" && collection.start.source === "[");
  if (isList) return [collection.items.length - 1];
  const key: CST.Token | null | undefined = collection.items.at(-1)?.key;
  const segment: PathSegment | null = CST.isScalar(key) ? key.source.replace(/^["']|["']$/g, "") : null;
  return segment === null ? [] : [segment];
}

/** Thrown to stop the composer, which has no other way to stop. */
class FaultsOverflow extends Error {
  override readonly name = "FaultsOverflow";
}

function addFault(faults: SyntaxFault[], code: string, source: FaultSource, message: string): void {
  faults.push({ code, message, ...extentOf(source) });
  if (faults.length >= LIMITS.problemsMax) throw new FaultsOverflow();
}

type FaultSource = number | readonly number[] | { readonly offset: number; readonly source?: string };

/**
 * Creates a composer that stops at the fiftieth fault. The package would continue to the end and keep an error object with its
 * stack for every surplus comma: ten seconds for a megabyte of commas. If a later version does not use this handler, errors
 * still arrive with the document, only later. The package's check for duplicate keys is quadratic, so it is off.
 */
function faultCollector(faults: SyntaxFault[]): Composer {
  const composer = new Composer({
    version: "1.2",
    schema: "core",
    strict: true,
    uniqueKeys: false,
    merge: false,
    resolveKnownTags: false,
    prettyErrors: false,
    logLevel: "silent",
  });
  const onError = (source: FaultSource, code: string, message: string, isWarning?: boolean): void => {
    if (isWarning !== true) addFault(faults, code, source, message);
  };
  Reflect.set(composer, "onError", onError);
  return composer;
}

function extentOf(source: FaultSource): { readonly offset: number; readonly end: number } {
  if (typeof source === "number") return { offset: source, end: source };
  if ("offset" in source) return { offset: source.offset, end: source.offset + (source.source?.length ?? 0) };
  return { offset: source[0] ?? 0, end: source[1] ?? 0 };
}

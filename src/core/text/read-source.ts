import { LIMITS, type Json, type Problem, utf8Length } from "../base/index.ts";
import { decodeSource } from "./decode.ts";
import { scanJson, skipSpace } from "./json-scan.ts";
import { JsonSpot } from "./json-spot.ts";
import { LineTable } from "./line-table.ts";
import { ProblemList } from "./problem-list.ts";
import { readYaml } from "./read-yaml.ts";
import { isForbiddenKey } from "./rules.ts";
import { makeTree, type SourceTree } from "./source-tree.ts";
import { repairText } from "./storable.ts";

export interface SourceReading {
  /** Null when a value could not be read. A tree is complete enough for further checks, even when there are problems. */
  readonly tree: SourceTree | null;
  readonly problems: readonly Problem[];
}

export interface DocumentsReading {
  readonly trees: readonly SourceTree[];
  readonly problems: readonly Problem[];
}

/** Reads one document of YAML or JSON. A JSON document may be larger. */
export function readSource(source: string | Uint8Array): SourceReading {
  const { trees, problems } = read(source, true);
  return { tree: trees[0] ?? null, problems };
}

/** Reads several documents in one stream, each with its own tree. Places count from the start of the stream. */
export function readDocuments(source: string | Uint8Array): DocumentsReading {
  return read(source, false);
}

function read(source: string | Uint8Array, isSingle: boolean): DocumentsReading {
  const size = typeof source === "string" ? utf8Length(source) : source.length;
  const startsLikeJson = "{[".includes(firstSign(source));
  const sizeMax = startsLikeJson ? LIMITS.jsonBytesMax : LIMITS.yamlBytesMax;
  if (size > sizeMax) return { trees: [], problems: tooLarge(size, sizeMax, startsLikeJson) };
  const decoded = decodeSource(source);
  if (!decoded.ok) return { trees: [], problems: decoded.problems };
  const raw = new ProblemList(new LineTable(decoded.text));
  const text = withoutLoneSurrogates(decoded.text, raw);
  const lines = new LineTable(text);
  const found = startsLikeJson ? readJson(text, lines, size > LIMITS.yamlBytesMax) : null;
  const { trees, problems } = found ?? readAsYaml(text, lines, isSingle);
  return { trees, problems: inOrder([...raw.sorted(), ...problems]) };
}

/** Returns the first character that is not white space, without decoding the rest. */
function firstSign(source: string | Uint8Array): string {
  if (typeof source === "string") {
    const start = skipSpace(source, source.startsWith("\ufeff") ? 1 : 0);
    return source.charAt(start) || " ";
  }
  const start = source[0] === 0xef && source[1] === 0xbb && source[2] === 0xbf ? 3 : 0;
  for (let position = start; position < source.length; position += 1) {
    const byte = source[position] ?? 0;
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return String.fromCharCode(byte);
  }
  return " ";
}

function tooLarge(size: number, sizeMax: number, startsLikeJson: boolean): readonly Problem[] {
  const format = startsLikeJson ? "JSON" : "YAML";
  const hint = startsLikeJson
    ? "Split the workflow."
    : `Split the workflow, or write it as JSON, which may have ${LIMITS.jsonBytesMax} bytes.`;
  const message = `The file has ${size} bytes; ${format} may have at most ${sizeMax}.`;
  return [{ code: "yaml_too_large", message, path: "", line: 1, column: 1, hint }];
}

/** Reports each lone surrogate and replaces it by a character of the same length, so that it is reported only once. */
function withoutLoneSurrogates(text: string, problems: ProblemList): string {
  return text.replace(/\p{Surrogate}/gu, (_, offset: number) => {
    const message = "There is half of a surrogate pair here, which cannot be stored.";
    problems.add("text_unstorable", offset, [], message, "Remove the broken character.");
    return "\ufffd";
  });
}

/** Returns null when the text is not JSON and small enough to be YAML in flow style. */
function readJson(text: string, lines: LineTable, isBeyondYaml: boolean): DocumentsReading | null {
  const problems = new ProblemList(lines);
  const scan = scanJson(text, problems);
  if (scan.kind === "refused") return { trees: [], problems: problems.sorted() };
  if (scan.kind === "sound") {
    const value = builtValue(text, problems.sorted().length > 0);
    const root = new JsonSpot(text, skipSpace(text, 0));
    return { trees: [makeTree(value, root, lines)], problems: problems.sorted() };
  }
  if (!isBeyondYaml) return null;
  const broken = new ProblemList(lines);
  const message = `This is not valid JSON: ${scan.reason}.`;
  broken.add("yaml_syntax", scan.offset, [], message, "A text of this size is read as JSON only.");
  return { trees: [], problems: broken.sorted() };
}

/** The platform's parser creates every key as an own property, so that removing the forbidden ones is safe. */
function builtValue(text: string, hasProblems: boolean): Json {
  if (!hasProblems) return JSON.parse(text) as Json;
  const allowed = JSON.parse(text, (key, value: Json) => (isForbiddenKey(key) ? undefined : value)) as Json;
  return repairText(allowed).value;
}

function readAsYaml(text: string, lines: LineTable, isSingle: boolean): DocumentsReading {
  const problems = new ProblemList(lines);
  const trees = readYaml(text, lines, problems, isSingle);
  return { trees, problems: onePerLine(problems.sorted()) };
}

/** One mistake often causes several grammar faults on its line. Only the first of them is kept. */
function onePerLine(problems: readonly Problem[]): readonly Problem[] {
  const linesSeen = new Set<number>();
  return problems.filter(({ code, line }) => {
    const isFirst = !linesSeen.has(line);
    linesSeen.add(line);
    return isFirst || code !== "yaml_syntax";
  });
}

function inOrder(problems: readonly Problem[]): readonly Problem[] {
  return problems
    .toSorted((left, right) => left.line - right.line || left.column - right.column)
    .slice(0, LIMITS.problemsMax);
}

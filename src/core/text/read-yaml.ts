import { isScalar } from "yaml";
import { LIMITS, type TreePath } from "../base/index.ts";
import type { LineTable } from "./line-table.ts";
import { readPlainYaml } from "./plain-yaml.ts";
import { type ProblemList, shown } from "./problem-list.ts";
import { addTooDeep } from "./rules.ts";
import { makeTree, type SourceTree } from "./source-tree.ts";
import { LEXEMES_MAX, lexYaml, type Mark } from "./yaml-lexemes.ts";
import { pathAt, YamlSpot } from "./yaml-spot.ts";
import { parseYaml, type YamlDocument } from "./yaml-stream.ts";
import { valueOf } from "./yaml-value.ts";

/** Returns the trees of all documents whose values are fully known, and adds problems for errors. */
export function readYaml(
  text: string,
  lines: LineTable,
  problems: ProblemList,
  isSingle: boolean,
): readonly SourceTree[] {
  if (!hasContent(text)) return addEmpty(problems);
  const plain = readPlainYaml(text);
  return plain === null ? readFullYaml(text, lines, problems, isSingle) : [makeTree(plain.value, plain, lines)];
}

/** Reads with the full parser, which supports all of YAML and reports errors. */
export function readFullYaml(
  text: string,
  lines: LineTable,
  problems: ProblemList,
  isSingle: boolean,
): readonly SourceTree[] {
  const lexemes = lexYaml(text);
  if (lexemes.stop?.reason === "too many") {
    const message = `This YAML text has more than ${LEXEMES_MAX} words and signs.`;
    problems.add("yaml_too_large", lexemes.stop.offset, [], message, "Split the file, or write it as JSON.");
    return [];
  }
  if (lexemes.marks.length >= LIMITS.problemsMax) {
    for (const mark of lexemes.marks) addMark(problems, mark, []);
    return [];
  }
  const documents = parseYaml(text, lexemes, problems, isSingle);
  for (const mark of lexemes.marks) addMark(problems, mark, pathOfMark(mark, documents ?? []));
  if (documents === null) return [];
  if (lexemes.stop !== null) {
    addTooDeep(problems, lexemes.stop.offset, []);
    return [];
  }
  const filled = documents.filter((document) => !isEmpty(document));
  if (filled.length === 0) return addEmpty(problems);
  const isTagged = lexemes.marks.some(({ kind }) => kind === "tag");
  return filled.flatMap(({ contents }) => {
    if (contents === null) return [];
    const { value, isKnown } = valueOf(contents, problems);
    // A tag may give a value another meaning than its text.
    return isKnown && !isTagged ? [makeTree(value, new YamlSpot(contents, contents.range[0]), lines)] : [];
  });
}

function addEmpty(problems: ProblemList): readonly SourceTree[] {
  problems.add(
    "yaml_empty",
    0,
    [],
    "There is nothing in this file.",
    "Write the document, or check that the right file was given.",
  );
  return [];
}

/** Returns whether the text has more than white space and comments. */
function hasContent(text: string): boolean {
  let position = 0;
  while (position < text.length) {
    const unit = text.charCodeAt(position);
    if (unit === 0x23) {
      const lineEnd = text.indexOf("\n", position);
      if (lineEnd === -1) return false;
      position = lineEnd;
    } else if (unit !== 0x20 && unit !== 0x0a && unit !== 0x0d && unit !== 0x09) return true;
    position += 1;
  }
  return false;
}

/** Returns whether a document contains only markers such as `---`. */
function isEmpty({ contents }: YamlDocument): boolean {
  return isScalar(contents) && contents.value === null && contents.source === "";
}

function pathOfMark(mark: Mark, documents: readonly YamlDocument[]): TreePath {
  const document = documents.find(({ range }) => range[2] > mark.offset) ?? documents.at(-1);
  return document === undefined || document.contents === null ? [] : pathAt(document.contents, mark.offset);
}

function addMark(problems: ProblemList, { kind, offset, source }: Mark, path: TreePath): void {
  const quote = `put it in quotes if it is meant as text.`;
  if (kind === "tag") {
    problems.add("yaml_tag", offset, path, `The tag ${shown(source)} is not allowed.`, `Remove it, or ${quote}`);
    return;
  }
  const word = kind === "anchor" ? "Anchors" : "Aliases";
  const message = `${word} such as ${shown(source)} are not allowed.`;
  problems.add("yaml_alias", offset, path, message, `Write the value out where it is needed, or ${quote}`);
}

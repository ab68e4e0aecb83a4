import { didYouMean, getOwn, isJsonObject, LIMITS, type JsonObject, type Problem } from "../base/index.ts";
import { readSource, type SourceTree } from "../text/index.ts";
import type { Catalog, Definition } from "./definition.ts";
import { readLensGraph } from "./lens-graph.ts";
import { LENS_GRAPH_FORMAT } from "./lens-graph-shape.ts";
import { readLobster } from "./lobster.ts";
import { LOBSTER_FORMAT } from "./lobster-shape.ts";
import { comparePlaces, placeFindings } from "./placing.ts";
import { type ReadOptions, Report } from "./report.ts";
import { findSecretLiterals, SECRET_HINT } from "./secret-literal.ts";
import { kindOf, quote, refuseType } from "./shape.ts";

/** The result of reading a file: a definition, or all its problems. */
export interface Checked<T> {
  /** Null if and only if there are problems. */
  readonly definition: T | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** Null when the text itself cannot be parsed. */
  readonly tree: SourceTree | null;
}

/** A catalog without content: references to a library, to lenses and to workflows are not checked. */
export const EMPTY_CATALOG: Catalog = { library: null, lenses: null, workflows: null };

/** Reads and checks a file of either format. Returns all problems at once, in the order of the text. */
export function readDefinition(
  source: string | Uint8Array,
  catalog: Catalog,
  options: ReadOptions = {},
): Checked<Definition> {
  const { tree, problems: textProblems } = readSource(source);
  if (tree === null) {
    return { definition: null, problems: textProblems.slice(0, LIMITS.problemsMax), warnings: [], tree };
  }
  const report = new Report(options);
  const definition = readTree(tree, catalog, report);
  const found = placeFindings(report.problems, tree, source);
  const problems = [...textProblems, ...found].sort(comparePlaces).slice(0, LIMITS.problemsMax);
  const warnings = placeFindings(report.warnings, tree, source);
  return { definition: problems.length === 0 ? definition : null, problems, warnings, tree };
}

function readTree(tree: SourceTree, catalog: Catalog, report: Report): Definition | null {
  const document = tree.value;
  if (!isJsonObject(document)) {
    refuseType([], report, "a map with name and steps", document);
    return null;
  }
  for (const { path, message, offset } of findSecretLiterals(document)) {
    report.strict("secret_literal", path, message, { offset, hint: SECRET_HINT });
  }
  return readFormat(document, catalog, report);
}

function readFormat(document: JsonObject, catalog: Catalog, report: Report): Definition | null {
  const format = getOwn(document, "format");
  if (format === undefined || format === LOBSTER_FORMAT) return readLobster(document, catalog, report);
  if (format === LENS_GRAPH_FORMAT) return readLensGraph(document, catalog, report);
  const known = [LENS_GRAPH_FORMAT, LOBSTER_FORMAT];
  const shown = typeof format === "string" ? quote(format) : kindOf(format);
  const message = `"format" must be ${known.join(" or ")}, but it is ${shown}.`;
  const near = typeof format === "string" ? didYouMean(format, known) : undefined;
  const hint = near ?? `Leave it out for a workflow of steps, or write ${LENS_GRAPH_FORMAT}.`;
  report.problem("bad_enum", ["format"], message, { hint });
  return null;
}

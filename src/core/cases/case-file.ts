import { isJsonObject, type Json, type JsonObject, type Problem, type TreePath } from "../base/index.ts";
import { problemAt, readScriptAt, type Script, shapeProblems } from "../script/index.ts";
import { readSource, type SourceTree } from "../text/index.ts";
import { readAfter, readClock } from "./case-time.ts";
import { caseSchema, type Expected, fileSchema, type WrittenCase } from "./case-schema.ts";
import { expectationProblems } from "./expectation.ts";
import { NO_ANSWERS, type PersonAnswers, personAnswers } from "./person-answers.ts";

/** A file of cases, as written by its author. */
export interface CaseFile {
  /** Path of the workflow or, when the cases are written in code, its definition. */
  readonly workflow: string | JsonObject;
  readonly registry: readonly string[];
  readonly library: string | null;
  readonly cases: readonly TestCase[];
  /** Line and column of every part of the file. */
  readonly tree: SourceTree;
}

/** A case: one run of the workflow, with its expected result. */
export interface TestCase {
  readonly name: string;
  readonly path: TreePath;
  readonly args: JsonObject;
  readonly answers: CaseAnswers;
  readonly people: PersonAnswers;
  readonly events: readonly CaseEvent[];
  /** Start time in epoch milliseconds. */
  readonly at: number;
  /** Null means: a recorded run must end as recorded, any other run must complete. */
  readonly expect: Expected | null;
  /** Parts that the author wrote. A recording supplies the other parts. */
  readonly isWritten: {
    readonly args: boolean;
    readonly people: boolean;
    readonly events: boolean;
    readonly at: boolean;
  };
}

export type CaseAnswers =
  | { readonly kind: "script"; readonly script: Script }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "recorded"; readonly run: string };

export interface CaseEvent {
  /** Null when the event is a signal. */
  readonly type: string | null;
  readonly signal: string | null;
  readonly key: JsonObject;
  readonly data: Json;
  readonly afterMs: number;
}

const NOUN = "A file of cases";

export interface CaseReading {
  /** Null when the file is not valid. */
  readonly file: CaseFile | null;
  readonly problems: readonly Problem[];
}

export function readCases(source: string | Uint8Array): CaseReading {
  const { tree, problems } = readSource(source);
  return tree === null || problems.length > 0 ? { file: null, problems } : readCaseTree(tree);
}

/** Reads the content of a file of cases. */
export function readCaseTree(tree: SourceTree): CaseReading {
  const { value } = tree;
  if (!isJsonObject(value)) {
    const message = `${NOUN} is a map with the keys workflow and cases.`;
    return { file: null, problems: [problemAt(tree, [], "wrong_type", message)] };
  }
  const misshapen = shapeProblems({ tree, base: [], value, noun: NOUN }, fileSchema);
  if (misshapen.length > 0) return { file: null, problems: sorted(misshapen) };
  const { workflow, registry = [], library = null, cases: written } = fileSchema.parse(value);
  const found: Problem[] = [];
  const cases = written.map((one, index) => readCase(tree, ["cases", index], one, found));
  found.push(...repeatedNames(tree, cases));
  const file = { workflow, registry: [registry].flat(), library, cases, tree };
  return { file: found.length === 0 ? file : null, problems: sorted(found) };
}

/** Reads a single case that is not in a file of cases, such as the one in a recording. */
export function readCaseAt(
  tree: SourceTree,
  path: TreePath,
  value: JsonObject,
): { readonly case: TestCase | null; readonly problems: readonly Problem[] } {
  const misshapen = shapeProblems({ tree, base: path, value, noun: "A case" }, caseSchema);
  if (misshapen.length > 0) return { case: null, problems: sorted(misshapen) };
  const found: Problem[] = [];
  const read = readCase(tree, path, caseSchema.parse(value), found);
  return { case: found.length === 0 ? read : null, problems: sorted(found) };
}

/** Recognises a file of cases by its content: a workflow has steps or nodes, and a manifest has a kind. */
export function looksLikeCases(value: Json): boolean {
  return isJsonObject(value) && Object.hasOwn(value, "cases") && !Object.hasOwn(value, "kind");
}

function sorted(problems: readonly Problem[]): readonly Problem[] {
  return problems.toSorted((left, right) => left.line - right.line || left.column - right.column);
}

function readCase(tree: SourceTree, path: TreePath, written: WrittenCase, found: Problem[]): TestCase {
  const { name, args, answers, recorded, approvals, events, clock, expect } = written;
  if (answers !== undefined && recorded !== undefined) {
    const message = "A case has answers or is recorded, not both: a recording brings its own answers.";
    found.push(problemAt(tree, [...path, "recorded"], "conflicting_fields", message));
  }
  if (expect !== undefined) found.push(...expectationProblems(tree, [...path, "expect"], expect));
  return {
    name,
    path,
    args: args ?? {},
    answers: readAnswers(tree, path, written, found),
    people: approvals === undefined ? NO_ANSWERS : personAnswers(tree, [...path, "approvals"], approvals, found),
    events: readEvents(tree, [...path, "events"], events ?? [], found),
    at: readClock(tree, [...path, "clock"], clock, found),
    expect: expect ?? null,
    isWritten: {
      args: args !== undefined,
      people: approvals !== undefined,
      events: events !== undefined,
      at: clock !== undefined,
    },
  };
}

const SCRIPT_KEYS: ReadonlySet<string> = new Set(["seed", "default", "nodes"]);

/** Reads the answers: a whole script, or, when there are keys that no script has, only the answers of its nodes. */
function readAnswers(tree: SourceTree, path: TreePath, written: WrittenCase, found: Problem[]): CaseAnswers {
  const { answers = {}, recorded } = written;
  if (recorded !== undefined) return { kind: "recorded", run: recorded };
  if (typeof answers === "string") return { kind: "file", path: answers };
  const isScript = Object.keys(answers).every((key) => SCRIPT_KEYS.has(key));
  const base = [...path, "answers"];
  const { script, problems } = isScript
    ? readScriptAt(tree, base, answers)
    : readScriptAt(withoutNodesKey(tree, base), base, { nodes: answers });
  found.push(...problems);
  return { kind: "script", script };
}

/** Adapts the locations of a script whose `nodes` key is omitted. */
function withoutNodesKey(tree: SourceTree, base: TreePath): SourceTree {
  const real = (path: TreePath): TreePath => [...base, ...path.slice(base.length + 1)];
  return {
    value: tree.value,
    placeOf: (path) => tree.placeOf(real(path)),
    keyPlaceOf: (path) => tree.keyPlaceOf(real(path)),
  };
}

function readEvents(
  tree: SourceTree,
  base: TreePath,
  events: NonNullable<WrittenCase["events"]>,
  found: Problem[],
): readonly CaseEvent[] {
  return events.map(({ type = null, signal = null, key = {}, data = {}, after = 0 }, index) => {
    const path = [...base, index];
    if ((type === null) === (signal === null)) {
      const message = "An event has a type, or is a signal: write one of the two.";
      found.push(problemAt(tree, path, type === null ? "missing_field" : "conflicting_fields", message));
    }
    return { type, signal, key, data, afterMs: readAfter(tree, [...path, "after"], after, found) };
  });
}

function repeatedNames(tree: SourceTree, cases: readonly TestCase[]): readonly Problem[] {
  const seen = new Set<string>();
  return cases.flatMap(({ name, path }) => {
    const isRepeated = seen.has(name);
    seen.add(name);
    return isRepeated ? [problemAt(tree, [...path, "name"], "duplicate_id", `Two cases are called "${name}".`)] : [];
  });
}

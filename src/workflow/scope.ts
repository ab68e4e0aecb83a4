/** The steps that are being collected while a workflow function, or that of a block, runs. */
import type { JsonObject } from "../core/base/index.ts";
import { WorkflowError } from "./workflow-error.ts";

/** Where a step was written. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Steps as a file has them; `null` is the id of one that takes that of what is around it. */
export interface CollectedStep {
  readonly id: string | null;
  readonly fields: JsonObject;
  readonly place: Place | null;
  /** Places of the steps inside it, by their path below it. */
  readonly inner: Places;
}

export type Places = ReadonlyMap<string, Place>;

export interface Scope {
  readonly steps: CollectedStep[];
  /** Names that mean something here: args, steps, elements. */
  readonly names: Set<string>;
  readonly around: Scope | null;
  /** Workflows that its steps start; those of all levels together. */
  readonly children: Set<unknown>;
  /** Of the document alone. */
  last: Steps | null;
  /** What the function says about the whole workflow. */
  head: JsonObject;
}

/** Steps with what they hand on. */
export interface Steps {
  readonly steps: readonly JsonObject[];
  readonly places: Places;
}

let current: Scope | null = null;

/** Runs a function, and answers what it returned and the steps it made. */
export function collect<T>(names: readonly string[], build: () => T): { readonly result: T; readonly scope: Scope } {
  const before = current;
  const children = before?.children ?? new Set();
  const scope: Scope = { steps: [], names: new Set(names), around: before, children, last: null, head: {} };
  current = scope;
  try {
    const result = build();
    refusePromise(result);
    return { result, scope };
  } finally {
    current = before;
  }
}

function refusePromise(result: unknown): void {
  if (!(result instanceof Promise)) return;
  result.catch(() => undefined);
  throw new WorkflowError(
    "wrong_type",
    "",
    "The function of a workflow may not be async: it runs once, and only describes what happens.",
    "Remove async and await; steps wait for what they refer to by themselves.",
  );
}

export function requireScope(what: string): Scope {
  if (current !== null) return current;
  const message = `${what} was called outside of a workflow.`;
  throw new WorkflowError("outside_workflow", what, message, "Call it in the function given to workflow().");
}

/** A name that means nothing yet where it is used. */
export function freeName(wanted: readonly string[], taken: readonly string[]): string {
  const isTaken = (name: string): boolean => taken.includes(name) || isKnown(name, current);
  const [base = "x"] = wanted;
  for (let index = 0; ; index += 1) {
    const name = wanted[index] ?? `${base}${index + 1}`;
    if (!isTaken(name)) return name;
  }
}

function isKnown(name: string, scope: Scope | null): boolean {
  return scope !== null && (scope.names.has(name) || isKnown(name, scope.around));
}

/** The steps of a scope, each with an id. */
export function stepsOf(scope: Scope): Steps {
  const places = new Map<string, Place>();
  const steps = scope.steps.map(({ id, fields, place, inner }, index) => {
    if (id === null) {
      const message = "A step without an id stands alone in each() or repeat(), whose id it takes.";
      throw new WorkflowError("missing_id", `steps[${index}]`, message, 'Give it an id: agent("draft", { … }).');
    }
    if (place !== null) places.set(`[${index}]`, place);
    for (const [path, found] of inner) places.set(`[${index}].${path}`, found);
    return { id, ...fields };
  });
  return { steps, places };
}

/** The same places, below another path. */
export function placesUnder(path: string, places: Places): Places {
  return new Map([...places].map(([inner, place]) => [`${path}${inner}`, place]));
}

const FRAME = /(?:\(|at )(?:file:\/\/)?([^()]+?):(\d+):(\d+)\)?$/;
/** Frames of this library are not what the author wrote. */
const OWN = /[\\/](?:src|dist)[\\/]workflow[\\/][a-z-]+\.[jt]s$/;

/** Where the author called what is calling this. */
export function callerPlace(): Place | null {
  for (const line of (new Error("place").stack ?? "").split("\n").slice(1)) {
    const [, file = "", row = "", column = ""] = FRAME.exec(line.trim()) ?? [];
    if (file === "" || file.startsWith("node:") || OWN.test(file)) continue;
    return { file: decodeURI(file), line: Number(row), column: Number(column) };
  }
  return null;
}

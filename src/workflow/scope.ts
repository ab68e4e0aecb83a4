/** Collects the steps that the function of a workflow or a block adds while it runs. */
import type { JsonObject } from "../core/base/index.ts";
import { WorkflowError } from "./workflow-error.ts";

/** Source position at which a step was written. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** A step in the form of a file. `id` is null when the step takes the id of the step around it. */
export interface CollectedStep {
  readonly id: string | null;
  readonly fields: JsonObject;
  readonly place: Place | null;
  /** Places of the steps inside this one, by their path below it. */
  readonly inner: Places;
}

export type Places = ReadonlyMap<string, Place>;

export interface Scope {
  readonly steps: CollectedStep[];
  /** Names defined in this scope: args, steps, elements. */
  readonly names: Set<string>;
  readonly around: Scope | null;
  /** Workflows started by steps. One set is shared by the scopes of all levels. */
  readonly children: Set<unknown>;
  /** Steps of `finallyDo()`; only set in the scope of a whole workflow. */
  last: Steps | null;
  /** Fields that the function sets for the whole workflow. */
  head: JsonObject;
}

/** Steps in the form of a file, with their places. */
export interface Steps {
  readonly steps: readonly JsonObject[];
  readonly places: Places;
}

let current: Scope | null = null;

/** Runs a function; returns its result and the scope with the steps it added. */
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

/** Returns a name that is not yet used in this scope or one around it. */
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

/** Returns the steps of a scope. Throws when one has no id. */
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

/** Returns the same places with another path in front. */
export function placesUnder(path: string, places: Places): Places {
  return new Map([...places].map(([inner, place]) => [`${path}${inner}`, place]));
}

const FRAME = /(?:\(|at )(?:file:\/\/)?([^()]+?):(\d+):(\d+)\)?$/;
/** Stack frames of this library, which are skipped because the author did not write them. */
const OWN = /[\\/](?:src|dist)[\\/]workflow[\\/][a-z-]+\.[jt]s$/;

/** Returns the place in the author's code from which the library was called. */
export function callerPlace(): Place | null {
  for (const line of (new Error("place").stack ?? "").split("\n").slice(1)) {
    const [, file = "", row = "", column = ""] = FRAME.exec(line.trim()) ?? [];
    if (file === "" || file.startsWith("node:") || OWN.test(file)) continue;
    return { file: decodeURI(file), line: Number(row), column: Number(column) };
  }
  return null;
}

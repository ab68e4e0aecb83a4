/** Functions for steps that contain other steps: per element, per round, one of several, or as a unit. */
import type { JsonObject } from "../core/base/index.ts";
import { addStep } from "./add-step.ts";
import type { List } from "./function.ts";
import { expressionTextOf } from "./operand.ts";
import type { Condition } from "./operator.ts";
import { pathRef, type Plain, type Ref, type Reference, sourceOf } from "./reference.ts";
import { collect, freeName, type Place, type Places, placesUnder, type Scope, stepsOf } from "./scope.ts";
import { repeatFields } from "./step-document.ts";
import type { AttemptOptions, Concurrency, EachOptions, RepeatOptions, StepRef } from "./step-options.ts";
import { outputsDocument, valueOf } from "./value.ts";
import { WorkflowError } from "./workflow-error.ts";

/** Return value of a block's function: the one step it added, or an object with the outputs of the block. */
// oxlint-disable-next-line typescript/no-explicit-any -- whatever it is, its type is taken from it
export type BlockResult = any;

/** Outputs of the block, as other steps read them. */
export type BlockOutputs<R> = R extends { readonly outputs: Reference<infer Outputs> }
  ? Outputs
  : // oxlint-disable-next-line typescript/no-invalid-void-type -- a function that returns nothing
    R extends void
    ? // oxlint-disable-next-line typescript/no-explicit-any -- outputs of its last steps, by their ids
      Record<string, any>
    : Plain<R>;

interface Built {
  readonly fields: JsonObject;
  readonly places: Places;
}

/** Returns the steps with the outputs of the block. A single step without an id takes the place of the block. */
function built(scope: Scope, result: unknown, path: string): Built {
  const [only] = scope.steps;
  if (scope.steps.length === 1 && only?.id === null) return { fields: only.fields, places: only.inner };
  const { steps, places } = stepsOf(scope);
  return { fields: { steps, ...outputsOf(result, path) }, places: placesUnder("steps", places) };
}

/** Returns the declared outputs. Without any, the outputs are those of the last steps, by their ids. */
function outputsOf(result: unknown, path: string): JsonObject {
  if (result === undefined) return {};
  if (sourceOf(result) === undefined && typeof result === "object" && result !== null) {
    return { outputs: outputsDocument(result, `${path}.outputs`) };
  }
  const message = `${path}: what a block hands on has names.`;
  throw new WorkflowError("wrong_type", path, message, "Return an object: return { text: draft.text };");
}

/** Adds a step that runs one or several steps for each element of a list. */
export function each<T, R extends BlockResult>(
  id: string,
  list: List<T>,
  body: (element: Ref<T>, index: Ref<number>) => R,
  options: EachOptions = {},
): StepRef<{ items: BlockOutputs<R>[]; count: number; failed: number }> {
  const { as, ...rest } = options;
  const name = as ?? freeName(["item"], []);
  const { result, scope } = collect([name, "index"], () => body(pathRef<T>(name), pathRef<number>("index")));
  const { fields, places } = built(scope, result, id);
  const elements = sourceOf(list) === undefined ? valueOf(list, `${id}.for_each`) : expressionTextOf(list);
  const named = name === "item" ? {} : { as: name };
  return addStep("each", id, rest, { for_each: elements, ...named, ...fields }, places);
}

/** Data of the previous round that a round can read. */
export interface Round {
  /** Outputs of the previous round; null in the first. */
  // oxlint-disable-next-line typescript/no-explicit-any -- it is what the function makes, which is not known yet
  readonly previous: Ref<any>;
  readonly round: Ref<number>;
}

/** Adds a step that repeats one or several steps until a condition holds. */
export function repeat<R extends BlockResult>(
  id: string,
  body: (round: Round) => R,
  options: RepeatOptions<BlockOutputs<R>> & AttemptOptions & { readonly concurrency?: Concurrency },
): StepRef<BlockOutputs<R> & { rounds: number; exhausted: boolean }> {
  const { until, max, every, on_exhausted, ...rest } = options;
  const { result, scope } = collect(["previous", "round"], () =>
    body({ previous: pathRef("previous"), round: pathRef("round") }),
  );
  const { fields, places } = built(scope, result, id);
  const rounds = repeatFields({
    until: until as RepeatOptions<unknown>["until"],
    ...(max === undefined ? {} : { max }),
    ...(every === undefined ? {} : { every }),
    ...(on_exhausted === undefined ? {} : { on_exhausted }),
  });
  return addStep("repeat", id, rest, { repeat: rounds, ...fields }, places);
}

/** Adds several steps that count as one step for all others. */
export function block<R extends BlockResult>(
  id: string,
  body: () => R,
  options: AttemptOptions & { readonly concurrency?: Concurrency } = {},
): StepRef<BlockOutputs<R>> {
  const { fields, places } = stepsFields(body, id);
  return addStep("block", id, options, fields, places);
}

/** Returns the steps that a function adds, and the outputs of the block. */
export function stepsFields(body: () => unknown, path: string): Built {
  const { result, scope } = collect([], body);
  const { steps, places } = stepsOf(scope);
  return { fields: { steps, ...outputsOf(result, path) }, places: placesUnder("steps", places) };
}

/** One alternative of `choose`. */
export interface Branch<R> {
  /** Value of the output `branch` when this branch is taken. Default: its position, from 0. */
  readonly name?: string;
  readonly when: Condition;
  readonly steps: () => R;
}

export interface ElseBranch<R> {
  readonly name?: string;
  readonly else: () => R;
}

// oxlint-disable-next-line typescript/no-explicit-any -- whatever it returns, its type is taken from it
type AnyBranch = Branch<any> | ElseBranch<any>;
type BranchOutputs<B> =
  B extends Branch<infer R> ? BlockOutputs<R> : B extends ElseBranch<infer R> ? BlockOutputs<R> : never;
/** Outputs of several branches. A name that any branch returns can be read. */
type EitherOf<U> = {
  [Name in U extends unknown ? keyof U : never]: U extends unknown ? (Name extends keyof U ? U[Name] : never) : never;
};

/** Adds a step that runs the steps of the first branch whose condition holds. */
export function choose<const B extends AnyBranch>(
  id: string,
  branches: readonly B[],
  options: AttemptOptions = {},
): StepRef<EitherOf<BranchOutputs<B>> & { branch: string }> {
  const written = branchFields(branches, id);
  return addStep("choose", id, options, { choose: written.branches }, written.places);
}

export function branchFields(
  branches: readonly AnyBranch[],
  path: string,
): { readonly branches: readonly JsonObject[]; readonly places: Places } {
  const places = new Map<string, Place>();
  const written = branches.map((branch, index): JsonObject => {
    const isElse = "else" in branch;
    const { result, scope } = collect([], isElse ? branch.else : branch.steps);
    const { steps, places: inner } = stepsOf(scope);
    const key = isElse ? "else" : "steps";
    for (const [at, place] of placesUnder(`choose[${index}].${key}`, inner)) places.set(at, place);
    return {
      ...(branch.name === undefined ? {} : { name: branch.name }),
      ...(isElse ? {} : { when: expressionTextOf(branch.when) }),
      [key]: steps,
      ...outputsOf(result, path),
    };
  });
  return { branches: written, places };
}

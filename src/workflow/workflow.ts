import type { JsonObject } from "../core/base/index.ts";
import { argsOfSchema } from "./field.ts";
import { knownRef, type Nothing, pathRef, type Operand, type Plain, type Ref, sourceOf } from "./reference.ts";
import type { InputOf, ObjectSchema, OutputOf, Schema } from "./schema.ts";
import { collect, type Place, type Places, placesUnder, requireScope, stepsOf } from "./scope.ts";
import { addStep } from "./add-step.ts";
import { concurrencyFields } from "./step-document.ts";
import type { AttemptOptions, Concurrency, Duration, StepRef, Text } from "./step-options.ts";
import { outputsDocument, objectOf } from "./value.ts";
import { WorkflowError } from "./workflow-error.ts";

const WORKFLOW = Symbol.for("sluice.workflow");

/** A workflow written in code: the definition that a file would produce, and the types of its args and outputs. */
export interface Workflow<Args extends object = JsonObject, Outputs extends object = JsonObject> {
  readonly name: string;
  /** The definition in the form of a file. */
  readonly definition: JsonObject;
  /** Exists only for the compiler, and never has a value. */
  readonly types?: { readonly args: Args; readonly outputs: Outputs };
}

/** Data of a workflow for the programs that load it. Not part of its definition. */
interface WorkflowMetadata {
  /** Source places of the parts of the definition, by path. */
  readonly places: Readonly<Record<string, Place>>;
  /** The workflows that its steps start, except those given only by name. */
  readonly children: readonly Workflow[];
}

export function isWorkflow(value: unknown): value is Workflow {
  return typeof value === "object" && value !== null && WORKFLOW in value;
}

/** Facts about a run that expressions can read. */
export interface RunFacts<Args = unknown> {
  id: string;
  started_at: string;
  workflow: string;
  args: Args;
  /** `outcome` and `error` are available only in finallyDo(). */
  outcome: string;
  error: { code: string; message: string };
}

export interface Context<Args> {
  readonly args: Ref<Args>;
  readonly run: Ref<RunFacts<Args>>;
  readonly node: Ref<{ attempt: number }>;
}

export interface WorkflowOptions<S extends Schema> {
  /** Schema of the args of a run. */
  readonly args?: S;
  readonly version?: number;
  readonly description?: string;
  readonly model?: string;
  readonly gateway?: "pinned" | "any";
  readonly timeout?: Duration;
  readonly max_parallel?: number;
  readonly completion?: "strict" | "leaves";
  readonly priority?: "high" | "normal" | "low";
  readonly roles?: Readonly<Record<string, Role | null>>;
  readonly phases?: readonly (string | { readonly id: string; readonly name?: string })[];
  readonly notify?: readonly { readonly on: string; readonly where?: string; readonly channel: string }[];
  readonly allow_secret_literals?: boolean;
}

interface Role {
  readonly description?: string;
  readonly required_skills?: readonly string[];
  readonly agent?: string;
}

// oxlint-disable-next-line typescript/no-explicit-any -- outputs of the last steps, by their ids
type RunOutputs<R> = R extends object ? Plain<R> : any;
type NoArgs = Schema<Nothing, Nothing>;
// oxlint-disable-next-line typescript/no-invalid-void-type -- a function that returns nothing
type Returned = Readonly<Record<string, unknown>> | void;

/**
 * Creates a workflow. The function runs once, when the workflow is created, with references in place of values: it
 * describes a run, and never sees one. Its return value becomes the outputs of the workflow.
 */
export function workflow<S extends ObjectSchema = NoArgs, R extends Returned = Returned>(
  name: string,
  options: WorkflowOptions<S>,
  build: (context: Context<OutputOf<S>>) => R,
): Workflow<InputOf<S> & object, RunOutputs<R>> {
  const { args: schema, ...head } = options;
  const args = schema === undefined ? {} : argsOfSchema(schema);
  const names = Object.keys(args);
  const { result, scope } = collect([...names, "run", "node"], () => build(contextOf(names)));
  const { steps, places } = stepsOf(scope);
  const returned: unknown = result;
  const outputs = returned === undefined ? {} : { outputs: outputsDocument(outputsIn(returned), "outputs") };
  const definition = {
    name,
    ...objectOf(head, "workflow"),
    ...(names.length === 0 ? {} : { args }),
    ...scope.head,
    ...outputs,
    steps,
    ...(scope.last === null ? {} : { finally: scope.last.steps }),
  };
  const last = scope.last === null ? [] : placesUnder("finally", scope.last.places);
  return createWorkflowObject(definition, new Map([...placesUnder("steps", places), ...last]), [
    ...scope.children,
  ] as Workflow[]);
}

/** Creates the object that represents a definition. */
export function createWorkflowObject<Args extends object, Outputs extends object>(
  definition: JsonObject & { readonly name: string },
  places: Places,
  children: readonly Workflow[],
): Workflow<Args, Outputs> {
  const metadata: WorkflowMetadata = { places: Object.fromEntries(places), children };
  const { name } = definition;
  return Object.freeze(Object.defineProperty({ name, definition }, WORKFLOW, { value: metadata, enumerable: false }));
}

/** Gives access to declared args only, so that a wrong name throws. */
function contextOf<Args>(names: readonly string[]): Context<Args> {
  const member = (name: string): unknown => {
    if (names.includes(name)) return pathRef(name);
    const known = names.length === 0 ? "The workflow declares no args." : `Its args are ${names.join(", ")}.`;
    const message = `There is no arg "${name}". ${known}`;
    throw new WorkflowError("bad_reference", `args.${name}`, message, "Declare it in args.");
  };
  return { args: knownRef<Args>(["run", "args"], { names, member }), run: pathRef("run"), node: pathRef("node") };
}

function outputsIn(result: unknown): object {
  if (typeof result === "object" && result !== null && sourceOf(result) === undefined) return result;
  const message = "What a workflow function returns are outputs by name.";
  throw new WorkflowError("wrong_type", "outputs", message, "Return an object: return { text: draft.text };");
}

/** Adds steps that run after all others have settled, however the run ends. */
export function finallyDo(build: (context: { readonly run: Ref<RunFacts> }) => void): void {
  const scope = requireScope("finallyDo()");
  const { scope: inner } = collect([], () => build({ run: pathRef("run") }));
  scope.last = stepsOf(inner);
}

/** Limits how many runs with the same key may be open at a time. */
export function concurrency(limit: Concurrency): void {
  const scope = requireScope("concurrency()");
  scope.head = { ...scope.head, concurrency: concurrencyFields(limit) };
}

/** Sets names and short texts by which runs are found. They may read args and facts of the run. */
export function labels(values: Readonly<Record<string, Text | number | boolean>>): void {
  const scope = requireScope("labels()");
  scope.head = { ...scope.head, labels: objectOf(values, "labels") };
}

/** The args of a child run. Any of them, at any depth, may be a reference. */
type GivenArgs<Args> = { readonly [Name in keyof Args]: Operand<Args[Name]> | Given<Args[Name]> };
type Given<T> = T extends string ? string : T extends object ? GivenArgs<T> : T;

/** Adds a step that runs another workflow. The args and outputs of a workflow given by name are not checked. */
// For several overloads the compiler reports the errors of the last one, so the most used overload comes last.
// oxlint-disable-next-line typescript/no-explicit-any -- nothing is known of it
export function child<Outputs = any>(
  id: string,
  of: string,
  args?: Readonly<Record<string, unknown>>,
  options?: AttemptOptions,
): StepRef<Outputs>;
export function child<Args extends object, Outputs extends object>(
  id: string,
  of: Workflow<Args, Outputs>,
  args: GivenArgs<Args>,
  options?: AttemptOptions,
): StepRef<Outputs>;
export function child(
  id: string,
  of: string | Workflow,
  args: object = {},
  options: AttemptOptions = {},
): StepRef<unknown> {
  if (typeof of !== "string") requireScope("child()").children.add(of);
  const given = objectOf(args, `${id}.with`);
  const values = Object.keys(given).length === 0 ? {} : { with: given };
  return addStep("child", id, options, { workflow_ref: typeof of === "string" ? of : of.name, ...values });
}

/** Returns a reference by name, where no typed reference exists: a label of a lens, a variable of a library step. */
export function ref<T = unknown>(name: string): Ref<T> {
  const [head = "", ...rest] = name.split(".");
  return pathRef<T>(head, ...rest);
}

import type { JsonObject } from "../core/base/index.ts";
import { fieldsOfSchema } from "./field.ts";
import { type Nothing, pathRef, type Operand, type Plain, type Ref, sourceOf } from "./reference.ts";
import type { InputOf, ObjectSchema, OutputOf, Schema } from "./schema.ts";
import { collect, type Place, type Places, placesUnder, requireScope, stepsOf } from "./scope.ts";
import { addStep } from "./add-step.ts";
import { concurrencyFields } from "./step-document.ts";
import type { AttemptOptions, Concurrency, Duration, StepRef, Text } from "./step-options.ts";
import { handedOn, objectOf } from "./value.ts";
import { WorkflowError } from "./workflow-error.ts";

const WORKFLOW = Symbol.for("sluice.workflow");

/** A workflow that is written in code: the same definition a file makes, and the types of its args and outputs. */
export interface Workflow<Args extends object = JsonObject, Outputs extends object = JsonObject> {
  readonly name: string;
  /** As a file has it. */
  readonly definition: JsonObject;
  /** For the compiler alone; there is never a value. */
  readonly types?: { readonly args: Args; readonly outputs: Outputs };
}

/** What a workflow keeps for the programs that load it; not part of its definition. */
interface Making {
  /** Where the parts of the definition were written, by their paths. */
  readonly places: Readonly<Record<string, Place>>;
  /** The workflows that its steps start, as far as they were given as such. */
  readonly children: readonly Workflow[];
}

export function isWorkflow(value: unknown): value is Workflow {
  return typeof value === "object" && value !== null && WORKFLOW in value;
}

/** What is known of a run. */
export interface RunFacts<Args = unknown> {
  id: string;
  started_at: string;
  workflow: string;
  args: Args;
  /** In finallyDo() alone. */
  outcome: string;
  error: { code: string; message: string };
}

export interface Context<Args> {
  readonly args: Ref<Args>;
  readonly run: Ref<RunFacts<Args>>;
  readonly node: Ref<{ attempt: number }>;
}

export interface WorkflowOptions<S extends Schema> {
  /** What a run is given. */
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
 * Makes a workflow. The function runs once, now, on references in the place of values: it says what happens in a run, and
 * never sees one. What it returns are the outputs of the workflow.
 */
export function workflow<S extends ObjectSchema = NoArgs, R extends Returned = Returned>(
  name: string,
  options: WorkflowOptions<S>,
  build: (context: Context<OutputOf<S>>) => R,
): Workflow<InputOf<S> & object, RunOutputs<R>> {
  const { args: schema, ...head } = options;
  const args = schema === undefined ? {} : fieldsOfSchema(schema, "args", false);
  const names = Object.keys(args);
  const { result, scope } = collect([...names, "run", "node"], () => build(contextOf(names)));
  const { steps, places } = stepsOf(scope);
  const returned: unknown = result;
  const outputs = returned === undefined ? {} : { outputs: handedOn(outputsIn(returned), "outputs") };
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
  return made(definition, new Map([...placesUnder("steps", places), ...last]), [...scope.children] as Workflow[]);
}

/** The object that stands for a definition. */
export function made<Args extends object, Outputs extends object>(
  definition: JsonObject & { readonly name: string },
  places: Places,
  children: readonly Workflow[],
): Workflow<Args, Outputs> {
  const making: Making = { places: Object.fromEntries(places), children };
  const { name } = definition;
  return Object.freeze(Object.defineProperty({ name, definition }, WORKFLOW, { value: making, enumerable: false }));
}

/** Args by their names, so that no other name is taken for one. */
function contextOf<Args>(names: readonly string[]): Context<Args> {
  const args = new Proxy(pathRef<object>("run", "args"), {
    get(whole, key) {
      if (typeof key === "symbol" || key === "then") return Reflect.get(whole, key) as unknown;
      if (names.includes(key)) return pathRef(key);
      const known = names.length === 0 ? "The workflow declares no args." : `Its args are ${names.join(", ")}.`;
      throw new WorkflowError(
        "bad_reference",
        `args.${key}`,
        `There is no arg "${key}". ${known}`,
        "Declare it in args.",
      );
    },
  });
  return { args: args as Ref<Args>, run: pathRef("run"), node: pathRef("node") };
}

function outputsIn(result: unknown): object {
  if (typeof result === "object" && result !== null && sourceOf(result) === undefined) return result;
  const message = "What a workflow function returns are outputs by name.";
  throw new WorkflowError("wrong_type", "outputs", message, "Return an object: return { text: draft.text };");
}

/** Steps that run after everything has settled, however the run ends. */
export function finallyDo(build: (context: { readonly run: Ref<RunFacts> }) => void): void {
  const scope = requireScope("finallyDo()");
  const { scope: inner } = collect([], () => build({ run: pathRef("run") }));
  scope.last = stepsOf(inner);
}

/** How many runs with the same key may be open at a time. */
export function concurrency(limit: Concurrency): void {
  const scope = requireScope("concurrency()");
  scope.head = { ...scope.head, concurrency: concurrencyFields(limit) };
}

/** Names and short texts by which runs are found; they may read args and facts of the run. */
export function labels(values: Readonly<Record<string, Text | number | boolean>>): void {
  const scope = requireScope("labels()");
  scope.head = { ...scope.head, labels: objectOf(values, "labels") };
}

/** Any arg may be a reference. */
type GivenArgs<Args> = { readonly [Name in keyof Args]: Operand<Args[Name]> | Given<Args[Name]> };
type Given<T> = T extends string ? string : T extends object ? GivenArgs<T> : T;

/** A step that runs another workflow; one that is given by its name is not checked. */
// The compiler reports what is wrong with the last of several forms, which is the one people use most.
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

/** A reference by its name, for what has no typed reference: a label of a lens, a variable of a library step. */
export function ref<T = unknown>(name: string): Ref<T> {
  const [head = "", ...rest] = name.split(".");
  return pathRef<T>(head, ...rest);
}

import type { PathSegment } from "../base/index.ts";
import type {
  Concurrency,
  OutputField,
  Repeat,
  RunOutput,
  ShowItem,
  Step,
  StepInput,
  Value,
} from "../definition/index.ts";
import type { ParsedExpression, Path } from "../expression/index.ts";
import { pathsOfTemplate, pathsOfValue, type StepTemplate } from "../template/index.ts";
import { renamePaths } from "./rename.ts";
import type { ForEachPlan, InputBinding, Reference, RunOutputs, Scope } from "./plan.ts";
import type { ReportVariable, Resolver, VisibleNames, VariableIssue } from "./resolver.ts";

/** The parts of a step that depend on the meaning of its paths. */
export interface BoundStep {
  readonly scope: Scope;
  readonly inputs: readonly InputBinding[];
  readonly forEach: ForEachPlan | null;
  readonly repeat: Repeat | null;
  readonly condition: ParsedExpression | null;
  readonly criteria: readonly ParsedExpression[];
  readonly retryIf: ParsedExpression | null;
  readonly variableWarnings: readonly VariableWarning[];
}

/** A variable that may not mean what its author intended, and the first field of the step that reads it. */
export interface VariableWarning {
  readonly name: string;
  readonly issue: VariableIssue;
  readonly field: readonly PathSegment[];
}

/** The list of a `for_each` is evaluated before any instance exists. */
const OUTSIDE: VisibleNames = { hasElement: false, hasSelf: false, hasInputs: false };
export const BINDING: VisibleNames = { hasElement: true, hasSelf: false, hasInputs: false };
const CONDITION: VisibleNames = { ...BINDING, isBeforeRounds: true };
const BODY: VisibleNames = { hasElement: true, hasSelf: false, hasInputs: true };
const CRITERIA: VisibleNames = { hasElement: true, hasSelf: true, hasInputs: true };
const FAILURE: VisibleNames = { ...BODY, hasError: true };

interface ReadPaths {
  readonly paths: Iterable<Path>;
  readonly field: readonly PathSegment[];
}

/** Yields the paths that the texts and values of a step read once its inputs are bound, with the field of each. */
function* readByTexts(step: Step): Iterable<ReadPaths> {
  if (step.command !== null) yield { paths: pathsOfTemplate(step.command), field: ["command"] };
  if (step.stdin !== null) yield { paths: pathsOfTemplate(step.stdin), field: ["stdin"] };
  for (const [name, value] of Object.entries(step.with))
    yield { paths: pathsIn(value), field: [fieldOfValues(step), name] };
  if (step.title !== null) yield { paths: pathsOfTemplate(step.title), field: ["name"] };
  for (const [position, item] of shownBy(step).entries())
    for (const text of textsOf(item)) yield { paths: pathsOfTemplate(text), field: ["show", position] };
  for (const { field, key, template } of step.approval?.fills ?? [])
    yield { paths: pathsOfTemplate(template), field: ["form", field, key] };
}

export function bindStep(step: Step, resolver: Resolver): BoundStep {
  const warnings = new Map<string, VariableWarning>();
  const reportAt =
    (...field: readonly PathSegment[]): ReportVariable =>
    (name, issue) => {
      if (!warnings.has(name)) warnings.set(name, { name, issue, field });
    };
  const scope = new Map<string, Reference>();
  const admit = (paths: Iterable<Path>, visible: VisibleNames, report: ReportVariable): void => {
    for (const path of paths) {
      if (!scope.has(path.text)) scope.set(path.text, resolver.resolve(path, visible, report));
    }
  };

  /** Returns the reference of a value. A value that is not a reference becomes an origin that is computed from its paths. */
  const read = (text: string, value: Value, visible: VisibleNames, report: ReportVariable): Reference => {
    if (value.kind !== "reference") {
      admit(pathsIn(value), visible, report);
      return { text, origin: { kind: "value", value }, rest: [] };
    }
    const reference = resolver.resolve(value.path, visible, report);
    if (!scope.has(reference.text)) scope.set(reference.text, reference);
    return reference;
  };

  for (const { paths, field } of readByTexts(step)) admit(paths, BODY, reportAt(...field));
  const inputs = Object.entries(step.inputs).map(([name, input]): InputBinding => {
    const report = reportAt("inputs", name);
    const from =
      input.from === null ? resolver.resolveName(name, BINDING, report) : read(name, input.from, BINDING, report);
    return { name, from, field: fieldOf(input), isRequired: input.required };
  });
  const forEach = step.forEach;
  const list = forEach === null ? null : read(textOf(forEach.list), forEach.list, OUTSIDE, reportAt("for_each"));
  const condition =
    step.condition === null
      ? null
      : admitExpression(scope, step.condition, "before the inputs", (path) =>
          resolver.resolve(path, CONDITION, reportAt("condition")),
        );
  const isPerElement = condition !== null && condition.paths.some(({ text }) => isOfElement(scope.get(text)));
  const criteria = step.successCriteria.map((criterion, position) =>
    admitExpression(scope, criterion, "of this step", (path) =>
      resolver.resolve(path, CRITERIA, reportAt("success_criteria", position)),
    ),
  );
  const retryIf =
    step.retryIf === null
      ? null
      : admitExpression(scope, step.retryIf, "of the failure", (path) =>
          resolver.resolve(path, FAILURE, reportAt("on_failure", "retry", "if")),
        );
  return {
    scope,
    inputs,
    forEach:
      forEach === null || list === null ? null : { ...forEach, list, condition: isPerElement ? condition : null },
    repeat: step.repeat === null ? null : bindRepeat(scope, step.repeat, resolver, reportAt("repeat", "until")),
    condition: isPerElement ? null : condition,
    criteria,
    retryIf,
    variableWarnings: [...warnings.values()],
  };
}

function bindRepeat(scope: Map<string, Reference>, repeat: Repeat, resolver: Resolver, report: ReportVariable): Repeat {
  const resolve = (path: Path): Reference => resolver.resolve(path, CRITERIA, report);
  return { ...repeat, until: admitExpression(scope, repeat.until, "of this round", resolve) };
}

function shownBy({ approval, askRule }: Step): readonly ShowItem[] {
  return (approval ?? askRule)?.show ?? [];
}

function textsOf(item: ShowItem): readonly StepTemplate[] {
  return item.kind === "diff" ? [item.before, item.after] : [item.value];
}

function isOfElement(reference: Reference | undefined): boolean {
  return reference?.origin.kind === "element" || reference?.origin.kind === "index";
}

/**
 * Adds the paths of an expression to the scope. The scope is shared by the whole step, yet in a condition or criterion a path
 * may have another meaning than in the command (an input that is not bound yet). Such a path gets a name of its own.
 */
export function admitExpression(
  scope: Map<string, Reference>,
  expression: ParsedExpression,
  note: string,
  resolve: (path: Path) => Reference,
): ParsedExpression {
  const renamed = new Map<string, string>();
  for (const path of expression.paths) {
    const reference = resolve(path);
    const known = scope.get(path.text);
    if (known === undefined) scope.set(path.text, reference);
    else if (!isSameReference(known, reference)) {
      const text = `${path.text} (${note})`;
      renamed.set(path.text, text);
      scope.set(text, { ...reference, text });
    }
  }
  return renamed.size === 0 ? expression : renamePaths(expression, renamed);
}

function isSameReference(left: Reference, right: Reference): boolean {
  return JSON.stringify([left.origin, left.rest]) === JSON.stringify([right.origin, right.rest]);
}

function* pathsIn(value: Value): Generator<Path> {
  for (const { path } of pathsOfValue(value)) yield path;
}

/** Returns the text of a value as the author wrote it. */
function textOf(value: Value): string {
  if (value.kind === "reference") return value.path.text;
  if (value.kind === "expression") return value.expression.text;
  return value.kind === "template" ? value.template.text : "its list";
}

function fieldOfValues({ work }: Step): string {
  return work === null || work.kind === "script" || work.kind === "function" ? "with" : work.kind;
}

/** Binds the outputs of the document. They are evaluated after all nodes, so they see all of them. */
export function bindOutputs(outputs: Readonly<Record<string, RunOutput>>, resolver: Resolver): RunOutputs {
  const scope = new Map<string, Reference>();
  const fields = Object.entries(outputs).map(([name, { value, field }]) => ({ name, value, field }));
  for (const { value } of fields) {
    for (const path of pathsIn(value)) {
      if (!scope.has(path.text))
        scope.set(
          path.text,
          resolver.resolve(path, OUTSIDE, () => undefined),
        );
    }
  }
  return { scope, fields };
}

/** Binds the concurrency key. Names of steps in it were rejected when the file was checked. */
export function bindConcurrency(concurrency: Concurrency, resolver: Resolver): Concurrency & { readonly scope: Scope } {
  const scope = new Map<string, Reference>();
  for (const path of pathsIn(concurrency.key))
    scope.set(
      path.text,
      resolver.resolve(path, OUTSIDE, () => undefined),
    );
  return { ...concurrency, scope };
}

function fieldOf(input: StepInput): OutputField | null {
  const { from: _source, type: written, ...constraints } = input;
  const type = written ?? typeImpliedBy(constraints);
  return type === null ? null : { ...constraints, type };
}

/** Returns the type for a constraint without a type: the constraint still applies and implies the type. */
function typeImpliedBy(constraints: Omit<OutputField, "type">): OutputField["type"] | null {
  const { pattern, minLength, maxLength, minimum, maximum, items, properties } = constraints;
  if (pattern !== undefined || minLength !== undefined || maxLength !== undefined) return "string";
  if (minimum !== undefined || maximum !== undefined) return "number";
  if (items !== undefined) return "array";
  return properties === undefined ? null : "object";
}

import {
  fail,
  type Failure,
  type Json,
  type JsonObject,
  jsonToText,
  LIMITS,
  type Outcome,
  required,
  succeed,
  utf8Length,
  formatPath,
} from "../base/index.ts";
import type { WithValue } from "../definition/index.ts";
import { evaluate, type ParsedExpression, type Path } from "../expression/index.ts";
import { checkFields } from "../outputs/index.ts";
import type { InputBinding, PlanNode, Reference, StepBody } from "../plan/index.ts";
import {
  isExpression,
  isSingleReference,
  renderStepTemplate,
  type StepReference,
  type StepTemplate,
} from "../template/index.ts";
import { type Binding, bindingFailed, type Findings, FindingsCollector, NO_FINDINGS } from "./binding.ts";
import { type GivenReader, givenReader, givenValues, readsOf } from "./given-values.ts";
import { nodeAt, planNodeOf } from "./move.ts";
import { findValue, type Found, referenceOf } from "./references.ts";
import type { NodeState, RunState } from "./state.ts";

/** Binding under way: it continues after a first failure, so that a template is always rendered in one pass. */
interface Scene {
  readonly state: RunState;
  readonly node: NodeState;
  readonly body: StepBody;
  readonly gathering: FindingsCollector;
  /** What a person gave in place of what would be read; null: nothing. */
  readonly given: GivenReader | null;
  failure: Failure | null;
}

function beginScene(state: RunState, node: NodeState, body: StepBody): Scene {
  const given = givenReader(state, node, body);
  return { state, node, body, gathering: new FindingsCollector(), given, failure: null };
}

/** Inputs, command and stdin of a `.lobsterX` step as they would be sent now. */
export function bindStep(state: RunState, node: NodeState, planNode: PlanNode, body: StepBody): Binding {
  const scene = beginScene(state, node, body);
  const { inputs, exempt } = bindInputs(scene);
  const message = body.command === null ? "" : render(scene, body.command, "command");
  const stdin = body.stdin === null ? null : render(scene, body.stdin, "stdin");
  if (scene.failure !== null) return { kind: "failed", failure: scene.failure };
  const size = utf8Length(JSON.stringify(inputs)) + utf8Length(message) + utf8Length(stdin ?? "");
  if (size > LIMITS.boundInputBytesMax) return tooLarge(planNode, size);
  const errors = body.inputs.length === 0 ? [] : checkFields(fieldsToCheck(body, exempt), inputs);
  if (errors.length > 0) return contractBroken(planNode, errors);
  const outputStrategy = body.outputs === null ? "text" : "json";
  const { handoffs, warnings } = scene.gathering.findings;
  const request = { message, stdin, inputs, outputFields: body.outputs, outputStrategy } as const;
  return { kind: "bound", request, handoffs, warnings };
}

export function tooLarge(planNode: PlanNode, size: number): Binding {
  const limit = LIMITS.boundInputBytesMax;
  return bindingFailed("context_too_large", `the inputs of ${planNode.id} are ${size} bytes, the limit is ${limit}`);
}

export function contractBroken(
  planNode: PlanNode,
  errors: NonNullable<Extract<Binding, { kind: "failed" }>["errors"]>,
): Binding {
  const first = required(errors[0], "a broken contract has an error");
  const message = `the inputs of ${planNode.id} break their contract: ${first.field} ${first.reason}`;
  return { kind: "failed", failure: { code: "input_contract_violation", message }, errors };
}

function fieldsToCheck(body: StepBody, exempt: ReadonlySet<string>) {
  const declared = body.inputs.filter((input) => input.field !== null && !exempt.has(input.name));
  return Object.fromEntries(declared.map((input) => [input.name, required(input.field, "filtered")]));
}

const NONE_EXEMPT: ReadonlySet<string> = new Set();

/** Values for the declared inputs; those fed by skipped nodes only are '' and exempt from their constraints. */
function bindInputs(scene: Scene): { readonly inputs: JsonObject; readonly exempt: ReadonlySet<string> } {
  const given = givenValues(scene.state, scene.node);
  if (scene.body.inputs.length === 0) {
    const others = Object.entries(given).filter(([name]) => !isRead(scene.body, name));
    return { inputs: Object.fromEntries(others), exempt: NONE_EXEMPT };
  }
  const entries: [string, Json][] = [];
  const exempt = new Set<string>();
  for (const input of scene.body.inputs) {
    if (Object.hasOwn(given, input.name)) {
      entries.push([input.name, given[input.name] ?? null]);
      continue;
    }
    const value = bindInput(scene, input, exempt);
    if (value !== undefined) entries.push([input.name, value]);
  }
  return { inputs: Object.fromEntries(entries), exempt };
}

function bindInput(scene: Scene, input: InputBinding, exempt: Set<string>): Json | undefined {
  const result = findValue(scene.state, scene.node, input.from);
  if (result.kind === "value") {
    noteHandoff(scene, input.from, `inputs.${input.name}`);
    return result.value;
  }
  if (result.kind === "skipped") {
    exempt.add(input.name);
    warnSkipped(scene, result.nodeId, `inputs.${input.name}`);
    return "";
  }
  if (!input.isRequired) return undefined;
  noteUnbound(scene, input.from, `inputs.${input.name}`, result);
  return undefined;
}

function noteUnbound(scene: Scene, reference: Reference, place: string, result: Found): void {
  scene.failure ??=
    result.kind === "not_json"
      ? { code: "stdin_not_json", message: `${place}: the result of ${result.nodeId} is not JSON` }
      : { code: "unbound_reference", message: `${place}: nothing has the value ${reference.text}` };
}

function render(scene: Scene, template: StepTemplate, place: string): string {
  return renderStepTemplate(template, (reference) => jsonToText(valueOf(scene, reference, place)));
}

function valueOf(scene: Scene, reference: StepReference, place: string): Json {
  return isExpression(reference) ? valueOfExpression(scene, reference, place) : valueIn(scene, reference, place);
}

/** What an expression reads may be missing; what it gives may not, unless a node it reads was skipped. */
function valueOfExpression(scene: Scene, expression: ParsedExpression, place: string): Json {
  let skipped: string | null = null;
  const result = evaluate(expression.root, (path) => {
    const reference = referenceOf(scene.body, path);
    const given = scene.given?.find(reference, path);
    if (given !== undefined) return given;
    const found = findValue(scene.state, scene.node, reference);
    if (found.kind === "value") noteHandoff(scene, reference, place);
    if (found.kind === "skipped") skipped = found.nodeId;
    return found.kind === "value" ? found.value : undefined;
  });
  if (!result.ok) {
    scene.failure ??= { code: result.failure.code, message: `${place}: ${result.failure.message}` };
    return "";
  }
  if (result.value !== undefined) return result.value;
  if (skipped !== null) warnSkipped(scene, skipped, place);
  else scene.failure ??= { code: "unbound_reference", message: `${place}: ${expression.text} has no value` };
  return "";
}

function valueIn(scene: Scene, path: Path, place: string): Json {
  const reference = referenceOf(scene.body, path);
  // A value a person gave came from nowhere in the run.
  const given = scene.given?.find(reference, path);
  if (given !== undefined) return given;
  const result = findValue(scene.state, scene.node, reference);
  if (result.kind === "value") {
    noteHandoff(scene, reference, place);
    return result.value;
  }
  if (result.kind === "skipped") {
    warnSkipped(scene, result.nodeId, place);
    return "";
  }
  // An optional input nothing was found for is empty on purpose.
  if (reference.isOptional === true && result.kind === "missing") return "";
  // So is an arg the author declared and the caller left out.
  if (reference.origin.kind === "arg" && result.kind === "missing" && reference.rest.length === 0) return "";
  if (result.kind === "missing" && isOptionalInput(scene.body, path)) return "";
  noteUnbound(scene, reference, place, result);
  return "";
}

/** An input of the step that may be left out, and was: it is empty on purpose as well. */
function isOptionalInput({ inputs }: StepBody, { segments }: Path): boolean {
  return inputs.some(({ name, isRequired }) => !isRequired && name === segments[0]);
}

function warnSkipped(scene: Scene, nodeId: string, place: string): void {
  scene.gathering.warn(`${place}: ${nodeId} was skipped, its value is empty`);
}

function noteHandoff(scene: Scene, reference: Reference, targetInputPath: string): void {
  const { origin, rest } = reference;
  if (origin.kind === "arg") {
    const sourceOutputPath = formatPath(["args", origin.name, ...rest]);
    scene.gathering.handOff({ sourceNodeId: null, sourceOutputPath, targetInputPath });
  } else if (origin.kind === "node") {
    const sourceNodeId = nodeAt(scene.state, origin.node).id;
    scene.gathering.handOff({ sourceNodeId, sourceOutputPath: formatPath([origin.part, ...rest]), targetInputPath });
  } else if (origin.kind === "element") {
    // An element is handed over by whatever gave the list.
    const { element } = required(scene.node.instance, "an element has an instance");
    const { list } = required(planNodeOf(scene.state, scene.node).forEach, "an element comes from a list");
    noteHandoff(scene, { ...list, rest: [...list.rest, element, ...rest] }, targetInputPath);
  }
}

/** Args for a child run: a text that is one reference keeps the value as it is. */
export function bindWith(state: RunState, node: NodeState, body: StepBody): Outcome<JsonObject, Failure> {
  const scene = beginScene(state, node, body);
  const entries = bindEntries(scene, Object.entries(body.with));
  if (scene.failure !== null) return fail(scene.failure);
  const given = givenValues(state, node);
  const added = Object.entries(given).filter(([name]) => Object.hasOwn(body.with, name) || !isRead(body, name));
  return succeed(Object.fromEntries([...entries, ...added]));
}

/** What was given for a reference has gone where the reference stands. */
function isRead(body: StepBody, name: string): boolean {
  return readsOf(body, null).has(name);
}

function bindEntries(scene: Scene, entries: readonly (readonly [string, WithValue])[]): readonly [string, Json][] {
  return entries.map(([name, value]) => [name, withValue(scene, value, `${scene.body.filled}.${name}`)]);
}

/** Where those args came from; a value a person gave came from nowhere in the run. */
export function findingsOfWith(state: RunState, node: NodeState, body: StepBody): Findings {
  const scene = beginScene(state, node, body);
  bindEntries(
    scene,
    Object.entries(body.with).filter(([name]) => !Object.hasOwn(givenValues(state, node), name)),
  );
  return scene.failure === null ? scene.gathering.findings : NO_FINDINGS;
}

/** Where the list of a `for_each` node came from. */
export function findingsOfList(state: RunState, node: NodeState, body: StepBody, list: Reference): Findings {
  const scene = beginScene(state, node, body);
  noteHandoff(scene, list, "for_each");
  return scene.gathering.findings;
}

function withValue(scene: Scene, value: WithValue, place: string): Json {
  switch (value.kind) {
    case "value":
      return value.value;
    case "text": {
      const single = isSingleReference(value.template);
      return single === undefined ? render(scene, value.template, place) : valueOf(scene, single, place);
    }
    case "list":
      return value.items.map((item, index) => withValue(scene, item, `${place}[${index}]`));
    case "object":
      return Object.fromEntries(
        Object.entries(value.members).map(([key, member]) => [key, withValue(scene, member, `${place}.${key}`)]),
      );
  }
}

/** Evaluates values, texts and expressions of a node or of the whole run. Only this file decides the value of a name. */
import {
  fail,
  formatPath,
  getOwn,
  type Failure,
  type Json,
  type JsonObject,
  jsonToText,
  type Outcome,
  required,
  succeed,
} from "../base/index.ts";
import { evaluate, type ParsedExpression, type Path, walk } from "../expression/index.ts";
import type { Reference, Scope, StepBody } from "../plan/index.ts";
import {
  isExpression,
  isSingleReference,
  pathsOfValue,
  renderStepTemplate,
  type StepReference,
  type StepTemplate,
  type Value,
} from "../template/index.ts";
import { FindingsCollector } from "./binding.ts";
import { type GivenReader, givenReader } from "./given-values.ts";
import { findNode, nodeAt, planNodeOf } from "./move.ts";
import { findValue, type Found, previousRound, referenceIn } from "./references.ts";
import type { NodeState, RunState } from "./state.ts";

/** The state of one evaluation. It continues after a first failure, so that a template is always rendered in one pass. */
export interface Scene {
  readonly state: RunState;
  /** Null for an evaluation about the whole run. */
  readonly node: NodeState | null;
  readonly scope: Scope;
  /** Returns whether an input is optional. */
  readonly isOptional: (name: string) => boolean;
  readonly gathering: FindingsCollector;
  /** Values a person gave in place of those that would be read. Null when there are none. */
  readonly given: GivenReader | null;
  /** The replacement for a value of a node that did not run. */
  readonly blank: Json;
  failure: Failure | null;
}

export function sceneOf(state: RunState, node: NodeState, body: StepBody): Scene {
  return {
    state,
    node,
    scope: body.scope,
    isOptional: (name) => body.inputs.some((input) => !input.isRequired && input.name === name),
    gathering: new FindingsCollector(),
    given: givenReader(state, node, body),
    blank: "",
    failure: null,
  };
}

/** Returns the scene for the whole run after it has settled. Null replaces the values of nodes that did not complete. */
export function sceneOfRun(state: RunState, scope: Scope): Scene {
  const gathering = new FindingsCollector();
  return { state, node: null, scope, isOptional: () => false, gathering, given: null, blank: null, failure: null };
}

export function evaluateValue(scene: Scene, value: Value, place: string): Json {
  switch (value.kind) {
    case "literal":
      return value.value;
    case "reference":
      return valueIn(scene, value.path, place);
    case "expression":
      return valueOfExpression(scene, value.expression, place);
    case "template": {
      const single = isSingleReference(value.template);
      return single === undefined ? render(scene, value.template, place) : valueOf(scene, single, place);
    }
    case "list":
      return value.items.map((item, index) => evaluateValue(scene, item, `${place}[${index}]`));
    case "object":
      return Object.fromEntries(
        Object.entries(value.members).map(([key, member]) => [key, evaluateValue(scene, member, `${place}.${key}`)]),
      );
  }
}

export function render(scene: Scene, template: StepTemplate, place: string): string {
  return renderStepTemplate(template, (reference) => {
    const value = valueOf(scene, reference, place);
    return value === null && readsNothing(scene, reference) ? "" : jsonToText(value);
  });
}

function readsNothing(scene: Scene, reference: StepReference): boolean {
  const paths = isExpression(reference) ? reference.paths : [reference];
  return paths.some((path) => isKnownEmpty(scene, referenceIn(scene.scope, path)));
}

function valueOf(scene: Scene, reference: StepReference, place: string): Json {
  return isExpression(reference) ? valueOfExpression(scene, reference, place) : valueIn(scene, reference, place);
}

/** Values read by an expression may be missing. Its result may not, unless a node it reads was skipped. */
function valueOfExpression(scene: Scene, expression: ParsedExpression, place: string): Json {
  let skipped: string | null = null;
  const result = evaluate(expression.root, (path) => {
    const reference = referenceIn(scene.scope, path);
    const given = scene.given?.find(reference, path);
    if (given !== undefined) return given;
    const found = find(scene, reference, place);
    if (found.kind === "value") noteHandoff(scene, reference, place);
    if (found.kind === "skipped") skipped = found.nodeId;
    return found.kind === "value" ? found.value : undefined;
  });
  if (!result.ok) {
    scene.failure ??= { code: result.failure.code, message: `${place}: ${result.failure.message}` };
    return scene.blank;
  }
  if (result.value !== undefined) return result.value;
  if (readsNothing(scene, expression)) return null;
  if (skipped !== null) warnSkipped(scene, skipped, place);
  else scene.failure ??= { code: "unbound_reference", message: `${place}: ${expression.text} has no value` };
  return scene.blank;
}

/** Finds a value. An input written as a value is evaluated when it is read. */
function find(scene: Scene, reference: Reference, place: string): Found {
  const { origin, rest } = reference;
  if (origin.kind !== "value") {
    const source = scene.node === null && origin.kind === "node" ? nodeAt(scene.state, origin.node) : null;
    const isError = origin.kind === "node" && origin.part === "error";
    if (source !== null && source.now.status !== "completed" && !isError) return { kind: "skipped", nodeId: source.id };
    return findValue(scene.state, scene.node, reference);
  }
  const value = walk(evaluateValue(scene, origin.value, place), rest);
  return value === undefined ? { kind: "missing" } : { kind: "value", value };
}

function valueIn(scene: Scene, path: Path, place: string): Json {
  const reference = referenceIn(scene.scope, path);
  // A value given by a person has no origin in the run.
  const given = scene.given?.find(reference, path);
  if (given !== undefined) return given;
  const result = find(scene, reference, place);
  if (result.kind === "value") {
    noteHandoff(scene, reference, place);
    return result.value;
  }
  if (result.kind === "skipped") {
    warnSkipped(scene, result.nodeId, place);
    return scene.blank;
  }
  if (result.kind === "missing" && isKnownEmpty(scene, reference)) return null;
  if (result.kind === "missing" && mayBeEmpty(scene, reference, path)) return scene.blank;
  noteUnbound(scene, reference, place, result);
  return scene.blank;
}

/** True when there is no previous round, or a nullable arg has no value. The value is then null, and empty in a text. */
export function isKnownEmpty({ state, node }: Scene, { origin }: Reference): boolean {
  if (origin.kind === "arg" && origin.isNullable === true) return (getOwn(state.args, origin.name) ?? null) === null;
  return origin.kind === "previous" && node !== null && previousRound(state, node) === undefined;
}

/** True for an optional input without a value, an input that was left out, and an arg the caller did not pass. */
function mayBeEmpty(scene: Scene, { isOptional, origin, rest }: Reference, { segments }: Path): boolean {
  if (isOptional === true || (origin.kind === "arg" && rest.length === 0)) return true;
  return scene.isOptional(String(segments[0]));
}

export function noteUnbound(scene: Scene, reference: Reference, place: string, result: Found): void {
  scene.failure ??=
    result.kind === "not_json"
      ? { code: "stdin_not_json", message: `${place}: the result of ${result.nodeId} is not JSON` }
      : { code: "unbound_reference", message: `${place}: nothing has the value ${reference.text}` };
}

export function warnSkipped(scene: Scene, nodeId: string, place: string): void {
  // Inside a block, an outer step is known only by its name.
  const isSkipped = (findNode(scene.state, nodeId)?.now.status ?? "skipped") === "skipped";
  const why = isSkipped ? "was skipped, its value is empty" : "has nothing to hand over, its value is empty";
  scene.gathering.warn(`${place}: ${nodeId} ${why}`);
}

export function noteHandoff(scene: Scene, reference: Reference, targetInputPath: string): void {
  const { origin, rest } = reference;
  if (origin.kind === "arg") {
    const sourceOutputPath = formatPath(["args", origin.name, ...rest]);
    scene.gathering.handOff({ sourceNodeId: null, sourceOutputPath, targetInputPath });
  } else if (origin.kind === "node") {
    const sourceNodeId = nodeAt(scene.state, origin.node).id;
    scene.gathering.handOff({ sourceNodeId, sourceOutputPath: formatPath([origin.part, ...rest]), targetInputPath });
  } else if (origin.kind === "previous") {
    const round = scene.node === null ? undefined : previousRound(scene.state, scene.node);
    const sourceOutputPath = formatPath([origin.part, ...rest]);
    if (round !== undefined) scene.gathering.handOff({ sourceNodeId: round.id, sourceOutputPath, targetInputPath });
  } else if (origin.kind === "element") {
    // The hand-off of an element comes from the source of the list.
    const node = required(scene.node, "an element belongs to a node");
    const { element } = required(node.instance, "an element has an instance");
    const { list } = required(planNodeOf(scene.state, node).forEach, "an element comes from a list");
    if (scene.given?.find(list) !== undefined) return;
    if (list.origin.kind === "value") noteSources(scene, list.origin.value, targetInputPath);
    else noteHandoff(scene, { ...list, rest: [...list.rest, element, ...rest] }, targetInputPath);
  }
}

/** Records the hand-offs of every value that a calculated list reads. */
function noteSources(scene: Scene, value: Value, targetInputPath: string): void {
  for (const { path } of pathsOfValue(value)) noteIfRead(scene, referenceIn(scene.scope, path), targetInputPath, path);
}

/** Records a hand-off, unless the reference has no value or a person gave another value for it. */
function noteIfRead(scene: Scene, reference: Reference, targetInputPath: string, path?: Path): void {
  if (scene.given?.find(reference, path) !== undefined) return;
  if (findValue(scene.state, scene.node, reference).kind === "value") noteHandoff(scene, reference, targetInputPath);
}

/** Records the origin of the list of a `for_each` node. */
export function noteList(scene: Scene, list: Reference): void {
  if (list.origin.kind !== "value") noteIfRead(scene, list, "for_each");
  else if (scene.given?.find(list) === undefined) noteSources(scene, list.origin.value, "for_each");
}

/** Returns the list of a `for_each` node, or the reason why there is none. */
export function readList(scene: Scene, list: Reference): Outcome<Json, Failure> {
  const given = scene.given?.find(list);
  if (given !== undefined) return succeed(given);
  const found = find(scene, list, "for_each");
  if (scene.failure !== null) return fail(scene.failure);
  return found.kind === "value" ? succeed(found.value) : fail({ code: "expression_error", message: notAList(list) });
}

export function notAList({ text }: Reference): string {
  return `for_each: ${text} is not a list`;
}

/** Returns the outputs for the criteria, with the text as `outputs.stdout` unless an output has that name. */
export function withText(outputs: JsonObject, text: string): JsonObject {
  return text === "" ? outputs : { stdout: text, ...outputs };
}

/** Values that exist only for decisions about the node itself. */
export interface Seen {
  /** The outputs of the node, for its criteria. */
  readonly self?: JsonObject;
  /** The error of the node, for its retry condition. */
  readonly error?: JsonObject;
  /** True when no person has been asked about the node in its current form, so that earlier given values do not count. */
  readonly ignoresGivenValues?: boolean;
}

/** Returns the resolver for paths in conditions. The value of a skipped node is missing there. */
export function resolverFor(
  state: RunState,
  node: NodeState,
  body: StepBody,
  { self = {}, error = {}, ignoresGivenValues = false }: Seen = {},
) {
  const scene = sceneOf(state, node, body);
  const given = ignoresGivenValues ? null : scene.given;
  return (path: Path): Json | undefined => {
    const reference = referenceIn(scene.scope, path);
    if (reference.origin.kind === "self") return walk(self, reference.rest);
    if (reference.origin.kind === "error") return walk(error, reference.rest);
    const instead = given?.find(reference, path);
    if (instead !== undefined) return instead;
    const result = find(scene, reference, "");
    return result.kind === "value" ? result.value : undefined;
  };
}

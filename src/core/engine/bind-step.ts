import {
  fail,
  type Failure,
  getOwn,
  type Json,
  type JsonObject,
  LIMITS,
  type Outcome,
  required,
  succeed,
  utf8Length,
} from "../base/index.ts";
import type { ContractError } from "../definition/index.ts";
import { checkFields, schemaErrors } from "../outputs/index.ts";
import type { InputBinding, PlanNode, Reference, StepBody } from "../plan/index.ts";
import type { Value } from "../template/index.ts";
import { type Binding, bindingFailed, errorText, type Findings, NO_FINDINGS } from "./binding.ts";
import { givenValues, readsOf } from "./given-values.ts";
import { planNodeOf } from "./move.ts";
import { findValue } from "./references.ts";
import type { NodeState, RunState } from "./state.ts";
import {
  evaluateValue,
  isKnownEmpty,
  noteHandoff,
  noteList,
  noteUnbound,
  render,
  type Scene,
  sceneOf,
  warnSkipped,
} from "./value.ts";

/** Binds the inputs, command and stdin of a `.lobsterX` step as they would be sent now. */
export function bindStep(state: RunState, node: NodeState, planNode: PlanNode, body: StepBody): Binding {
  const scene = sceneOf(state, node, body);
  const { inputs, exempt } = bindInputs(scene, planNode, body, givenValues(state, node));
  const message = getOwn(state.prompts, node.id)?.text ?? messageOf(scene, planNode, body);
  const stdin = body.stdin === null ? null : render(scene, body.stdin, "stdin");
  if (scene.failure !== null) return { kind: "failed", failure: scene.failure };
  const size = utf8Length(JSON.stringify(inputs)) + utf8Length(message) + utf8Length(stdin ?? "");
  if (size > LIMITS.boundInputBytesMax) return tooLarge(planNode, size);
  const errors = body.inputs.length === 0 ? [] : checkFields(fieldsToCheck(body, exempt), inputs);
  if (errors.length > 0) return contractBroken(planNode, errors);
  const misfits = functionMisfits(planNode, inputs);
  if (misfits.length > 0) return contractBroken(planNode, misfits);
  const outputStrategy = body.outputs === null && planNode.work === null ? "text" : "json";
  const { handoffs, warnings } = scene.gathering.findings;
  const request = { message, stdin, inputs, outputFields: body.outputs, outputStrategy } as const;
  return { kind: "bound", request, handoffs, warnings };
}

/** Checks the inputs of a function against its schema. */
function functionMisfits({ work }: PlanNode, inputs: JsonObject): readonly ContractError[] {
  return work?.kind === "function" && work.input !== null ? schemaErrors(work.input, inputs, "inputs") : [];
}

/** Returns the text to send: the code of a script, the name of a function, or the rendered command. */
function messageOf(scene: Scene, { work }: PlanNode, { command }: StepBody): string {
  if (work?.kind === "script") return work.code;
  if (work?.kind === "function") return work.name;
  return command === null ? "" : render(scene, command, "command");
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
  const message = `the inputs of ${planNode.id} break their contract: ${errorText(first)}`;
  return { kind: "failed", failure: { code: "input_contract_violation", message }, errors };
}

function fieldsToCheck(body: StepBody, exempt: ReadonlySet<string>) {
  const declared = body.inputs.filter((input) => input.field !== null && !exempt.has(input.name));
  return Object.fromEntries(declared.map((input) => [input.name, required(input.field, "filtered")]));
}

const NONE_EXEMPT: ReadonlySet<string> = new Set();

/** Binds the declared inputs. Inputs fed only by skipped nodes are '' and exempt from their constraints. */
function bindInputs(
  scene: Scene,
  planNode: PlanNode,
  body: StepBody,
  given: JsonObject,
): { readonly inputs: JsonObject; readonly exempt: ReadonlySet<string> } {
  if (body.inputs.length === 0) {
    const others = Object.entries(given).filter(([name]) => !isRead(planNode, body, name));
    return { inputs: Object.fromEntries(others), exempt: NONE_EXEMPT };
  }
  const entries: [string, Json][] = [];
  const exempt = new Set<string>();
  for (const input of body.inputs) {
    if (Object.hasOwn(given, input.name)) {
      entries.push([input.name, given[input.name] ?? null]);
      continue;
    }
    const value = bindInput(scene, input, exempt);
    if (value !== undefined) entries.push([input.name, value]);
  }
  return { inputs: Object.fromEntries(entries), exempt };
}

/** An optional input may have no value. */
function bindValue(scene: Scene, input: InputBinding, value: Value): Json | undefined {
  const before = scene.failure;
  const bound = evaluateValue(scene, value, `inputs.${input.name}`);
  if (scene.failure === before) return bound;
  if (!input.isRequired && scene.failure?.code === "unbound_reference") scene.failure = before;
  return undefined;
}

function bindInput(scene: Scene, input: InputBinding, exempt: Set<string>): Json | undefined {
  const { origin } = input.from;
  if (origin.kind === "value") return bindValue(scene, input, origin.value);
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
  if (result.kind === "missing" && isKnownEmpty(scene, input.from)) {
    exempt.add(input.name);
    return undefined;
  }
  if (!input.isRequired) return undefined;
  noteUnbound(scene, input.from, `inputs.${input.name}`, result);
  return undefined;
}

/** Binds the args for a child run. A text that is a single reference keeps the type of the value. */
export function bindWith(state: RunState, node: NodeState, body: StepBody): Outcome<JsonObject, Failure> {
  const scene = sceneOf(state, node, body);
  const entries = bindEntries(scene, Object.entries(body.with));
  if (scene.failure !== null) return fail(scene.failure);
  const planNode = planNodeOf(state, node);
  const given = givenValues(state, node);
  const added = Object.entries(given).filter(
    ([name]) => Object.hasOwn(body.with, name) || !isRead(planNode, body, name),
  );
  return succeed(Object.fromEntries([...entries, ...added]));
}

/** True for a value given for a reference. It is used where the reference occurs, so it is not added as an input. */
function isRead({ forEach }: PlanNode, body: StepBody, name: string): boolean {
  return readsOf(body, forEach).has(name);
}

function bindEntries(scene: Scene, entries: readonly (readonly [string, Value])[]): readonly [string, Json][] {
  return entries.map(([name, value]) => [name, evaluateValue(scene, value, `with.${name}`)]);
}

/** Returns the origins of those args. A value given by a person has no origin in the run. */
export function findingsOfWith(state: RunState, node: NodeState, body: StepBody): Findings {
  const scene = sceneOf(state, node, body);
  bindEntries(
    scene,
    Object.entries(body.with).filter(([name]) => !Object.hasOwn(givenValues(state, node), name)),
  );
  return scene.failure === null ? scene.gathering.findings : NO_FINDINGS;
}

/** Returns the origin of the list of a `for_each` node. */
export function findingsOfList(state: RunState, node: NodeState, body: StepBody, list: Reference): Findings {
  const scene = sceneOf(state, node, body);
  noteList(scene, list);
  return scene.gathering.findings;
}

/** Turns an adapter's answer into a completed node: coerces it, checks contract and criteria, and passes inputs through. */
import { type Failure, isJsonObject, type JsonObject, required } from "../base/index.ts";
import type { ContractError } from "../definition/index.ts";
import type { Envelope } from "../event/index.ts";
import { evaluateCondition } from "../expression/index.ts";
import { makeEnvelope, outputsOfListText, schemaErrors, settleEnvelope, settleOutputs } from "../outputs/index.ts";
import type { LensBody, StepBody } from "../plan/index.ts";
import { bind } from "./bind.ts";
import { errorText } from "./binding.ts";
import { failNode } from "./failing.ts";
import type { CallbackResult } from "./input.ts";
import { planNodeOf } from "./move.ts";
import { resolverFor, withText } from "./value.ts";
import { NO_TOKENS } from "./create-state.ts";
import { completeNode, type Result, type Spent } from "./settle.ts";
import type { NodeState, RunState } from "./state.ts";
import { about, emit, type Turn } from "./turn.ts";

type Answer = Pick<
  Extract<CallbackResult, { status: "completed" }>,
  "outputs" | "stdout" | "envelope" | "tokens" | "costMicros" | "creditsCharged"
>;

type Settlement =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly failure: Failure; readonly errors?: readonly ContractError[] };

export function completeAttempt(turn: Turn, node: NodeState, answer: Partial<Answer>): void {
  const settlement = settlementOf(turn.state, node, answer);
  if (settlement.ok) {
    return completeNode(turn, node, settlement.result, { ...answer, ...withRounds(node, answer) });
  }
  if (settlement.errors !== undefined) {
    emit(turn, "contract.violated", { ...about(node), phase: "output", errors: [...settlement.errors] });
  }
  failNode(turn, node, settlement.failure);
}

/** Adds the usage of the rounds of a turn, because the report that ends the turn does not include it. */
export function withRounds(
  { turn }: Pick<NodeState, "turn">,
  { tokens = NO_TOKENS, costMicros = 0 }: Partial<Pick<Answer, "tokens" | "costMicros">>,
): Required<Pick<Spent, "tokens" | "costMicros">> {
  if (turn === null) return { tokens, costMicros };
  const { spent } = turn;
  const inputTokens = tokens.inputTokens + spent.inputTokens;
  const outputTokens = tokens.outputTokens + spent.outputTokens;
  return { tokens: { ...tokens, inputTokens, outputTokens }, costMicros: costMicros + spent.costMicros };
}

/** Returns the result an answer would have. The state is not changed. */
export function settlementOf(state: RunState, node: NodeState, answer: Partial<Answer>): Settlement {
  const { body } = planNodeOf(state, node);
  return body.kind === "step" ? settleStep(state, node, body, answer) : settleLens(node, body, answer);
}

function settleStep(state: RunState, node: NodeState, body: StepBody, answer: Partial<Answer>): Settlement {
  const fields = body.outputs ?? {};
  const settled = settleOutputs(fields, answer.outputs ?? outputsOfListText(fields, answer.stdout ?? "") ?? {});
  const errors = settled.errors.length > 0 ? settled.errors : functionErrors(state, node, answer.outputs ?? {});
  if (errors.length > 0) return broken(node, errors);
  const self = withText(settled.outputs, answer.stdout ?? answer.envelope?.output ?? "");
  const failure = checkCriteria(state, node, body, self);
  if (failure !== undefined) return { ok: false, failure };
  const outputs = passThrough(state, node, body, settled.outputs);
  const { stdout } = answer;
  const envelope = makeEnvelope({ stdout, envelope: answer.envelope, outputs });
  return { ok: true, result: { outputs, envelope: withRaw(envelope, settled.raw) } };
}

/** Checks the outputs of a function against its registered schema, whatever the step declares. */
function functionErrors(state: RunState, node: NodeState, outputs: JsonObject): readonly ContractError[] {
  const { work } = planNodeOf(state, node);
  return work?.kind === "function" && work.output !== null ? schemaErrors(work.output, outputs, "outputs") : [];
}

function broken(node: NodeState, errors: readonly ContractError[]): Settlement {
  const listed = errors.map(errorText).join(", ");
  const message = `the answer of ${node.id} breaks its contract: ${listed}`;
  return { ok: false, failure: { code: "output_contract_violation", message, cause: "contract_violated" }, errors };
}

function checkCriteria(state: RunState, node: NodeState, body: StepBody, self: JsonObject): Failure | undefined {
  if (body.criteria.length === 0) return undefined;
  const resolve = resolverFor(state, node, body, { self });
  for (const criterion of body.criteria) {
    const holds = evaluateCondition(criterion.root, resolve);
    if (!holds.ok) return { code: holds.failure.code, message: `success_criteria: ${holds.failure.message}` };
    if (!holds.value) {
      return { code: "criteria_failed", message: `not met: ${criterion.text}`, cause: "contract_violated" };
    }
  }
  return undefined;
}

/** A declared input that is not a declared output keeps its upstream value, whatever the agent returned. */
function passThrough(state: RunState, node: NodeState, body: StepBody, outputs: JsonObject): JsonObject {
  if (body.inputs.length === 0) return outputs;
  const owned = body.outputs ?? {};
  const names = body.inputs.map((input) => input.name).filter((name) => !Object.hasOwn(owned, name));
  if (names.length === 0) return outputs;
  const binding = bind(state, node);
  if (binding.kind !== "bound") return outputs;
  const { inputs } = binding.request;
  const kept = names.filter((name) => Object.hasOwn(inputs, name));
  const upstream = kept.map((name) => [name, required(inputs[name], "an own input")] as const);
  return Object.fromEntries([...Object.entries(outputs), ...upstream]);
}

function settleLens(node: NodeState, body: LensBody, answer: Partial<Answer>): Settlement {
  const contract = body.outputContract;
  const { stdout, outputs: given } = answer;
  const made = makeEnvelope({ stdout, envelope: answer.envelope, outputs: given, contract });
  const { envelope, raw, errors } = settleEnvelope(contract, made);
  if (errors.length > 0) return broken(node, errors);
  const outputs = isJsonObject(envelope.data) ? envelope.data : (answer.outputs ?? {});
  return { ok: true, result: { outputs, envelope: withRaw(envelope, raw) } };
}

/** Stores the original texts of enum values in the metadata, when an enum member has replaced them. */
function withRaw(envelope: Envelope, raw: JsonObject): Envelope {
  return Object.keys(raw).length === 0 ? envelope : { ...envelope, metadata: { ...envelope.metadata, raw } };
}

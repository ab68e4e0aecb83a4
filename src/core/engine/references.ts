import { getOwn, instantText, isJsonObject, type Json, type JsonObject, required } from "../base/index.ts";
import { type Path, walk } from "../expression/index.ts";
import type { Origin, Reference, Scope } from "../plan/index.ts";
import { errorFacts } from "./error-facts.ts";
import { nodeAt, planNodeOf } from "./move.ts";
import type { NodeState, RunState } from "./state.ts";
import type { RunOutcome } from "./block-state.ts";

/** The result of a reference: a value, nothing, or nothing because its node was skipped. */
export type Found =
  | { readonly kind: "value"; readonly value: Json }
  | { readonly kind: "missing" }
  | { readonly kind: "skipped"; readonly nodeId: string }
  | { readonly kind: "not_json"; readonly nodeId: string };

const MISSING: Found = { kind: "missing" };

/** The node's own outputs, error and values are not resolved here. They are known only where they are evaluated. */
export function findValue(state: RunState, node: NodeState | null, reference: Reference): Found {
  const { origin, rest } = reference;
  switch (origin.kind) {
    case "arg":
      return findInArg(getOwn(state.args, origin.name), origin, rest);
    case "node": {
      const source = nodeAt(state, origin.node);
      if (node !== null && isUncounted(state, node, origin.node)) return { kind: "skipped", nodeId: source.id };
      return findInNode(source, origin.part, rest);
    }
    case "element":
      return found(walk(node?.instance?.item, rest));
    case "index":
      return found(walk(node?.instance?.element, rest));
    case "previous":
      return findPrevious(state, node, origin, rest);
    case "round":
      return node === null ? MISSING : found(walk(node.instance?.element ?? 0, rest));
    case "run":
      return found(walk(factsOf(state), rest));
    case "attempt":
      return node === null ? MISSING : found(walk(attemptOf(node), rest));
    case "self":
    case "error":
    case "value":
    case "missing":
      return MISSING;
  }
}

/** Returns the round before this one. The first round has none. */
export function previousRound(state: RunState, { instance }: NodeState): NodeState | undefined {
  if (instance === null || instance.element === 0) return undefined;
  const index = nodeAt(state, instance.parent).expansion?.members[instance.element - 1];
  return index === undefined ? undefined : nodeAt(state, index);
}

function findPrevious(
  state: RunState,
  node: NodeState | null,
  origin: Extract<Origin, { kind: "previous" }>,
  rest: Reference["rest"],
): Found {
  const round = node === null ? undefined : previousRound(state, node);
  return round === undefined ? MISSING : findInNode(round, origin.part, rest);
}

/** An arg that represents a step outside a block reads like that step. A skipped step has no value. */
function findInArg(arg: Json | undefined, origin: Extract<Origin, { kind: "arg" }>, rest: Reference["rest"]): Found {
  const value = walk(arg, rest);
  if (value !== undefined || origin.isStep !== true) return found(value);
  const isSkipped = arg === undefined || (isJsonObject(arg) && getOwn(arg, "_skipped") === true);
  return isSkipped ? { kind: "skipped", nodeId: origin.name } : MISSING;
}

function factsOf({ runId, startedAt, plan, args, finally: last }: RunState): JsonObject {
  const started = startedAt === null ? {} : { started_at: instantText(startedAt) };
  const ended = last === null ? {} : { outcome: last.outcome.as, error: errorOf(last.outcome) };
  return { id: runId, workflow: plan.name, args, ...started, ...ended };
}

function errorOf({ errorCode, errorMessage, reason }: RunOutcome): Json {
  return errorCode === null ? null : { code: errorCode, message: errorMessage ?? reason ?? errorCode };
}

/** Returns the number of the running attempt, or of the next one. */
function attemptOf({ attempts, now }: NodeState): number {
  return now.status === "running" ? attempts : attempts + 1;
}

function found(value: Json | undefined): Found {
  return value === undefined ? MISSING : { kind: "value", value };
}

type Part = Extract<Origin, { kind: "node" }>["part"];

function findInNode(source: NodeState, part: Part, rest: Reference["rest"]): Found {
  const { now } = source;
  if (now.status === "skipped") {
    const marker = part === "outputs" ? walk(outputsOf(source), rest) : undefined;
    return marker === undefined || rest.length === 0 ? { kind: "skipped", nodeId: source.id } : found(marker);
  }
  if (part === "error" && (now.status === "failed" || now.status === "timed_out")) {
    const { errorCode: code, errorMessage: message } = now;
    return found(walk(errorFacts({ code, message }, source.tries), rest));
  }
  // Only a node that tolerates the failure of its parent can read it.
  if (now.status !== "completed") return { kind: "skipped", nodeId: source.id };
  switch (part) {
    case "error": {
      const value = walk(getOwn(now.outputs, "error"), rest);
      return value === undefined ? { kind: "skipped", nodeId: source.id } : found(value);
    }
    case "outputs":
      return found(walk(now.outputs, rest));
    case "stdout":
      return found(walk(now.envelope.output, rest));
    case "approved":
      return found(walk(getOwn(now.outputs, "approved") ?? source.isGateApproved, rest));
    case "json": {
      const value = jsonOf(now.envelope.output) ?? now.envelope.data;
      return value === undefined ? { kind: "not_json", nodeId: source.id } : found(walk(value, rest));
    }
  }
}

/** For a step with `join`, parents that did not count are treated as skipped, whatever their result. */
export function isUncounted(state: RunState, node: NodeState, parent: number): boolean {
  const counted = countedBy(state, node);
  return counted !== null && !counted.has(parent) && planNodeOf(state, node).parents.includes(parent);
}

/** The parents that counted for a step also count for each of its instances. */
export function countedBy(state: RunState, { counted, instance }: NodeState): NodeState["counted"] {
  return instance === null ? counted : nodeAt(state, instance.parent).counted;
}

function jsonOf(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Returns the outputs of a settled node. A tolerated failure is marked. */
export function outputsOf(node: NodeState): JsonObject {
  if (node.now.status === "completed") return node.now.outputs;
  if (node.now.status === "skipped" && (node.now.reason === "on_failure" || node.now.reason === "chosen")) {
    return { _skipped: true };
  }
  return {};
}

export function referenceIn(scope: Scope, path: Path): Reference {
  return required(scope.get(path.text), `the plan resolved ${path.text}`);
}

import {
  formatPath,
  getOwn,
  type Json,
  type JsonObject,
  jsonToText,
  LIMITS,
  type Outcome,
  succeed,
  utf8Length,
} from "../base/index.ts";
import type { LensBody, LensOverride, LensParam, LensPlanEdge, PlanNode } from "../plan/index.ts";
import { checkInputContract, isEdgeSatisfied, mergeValues, outputDataOf, resolveOutputPath } from "../outputs/index.ts";
import { normaliseLabel, renderLensTemplate } from "../template/index.ts";
import { type ExpressionFailure, walk } from "../expression/index.ts";
import type { Envelope } from "../event/index.ts";
import { contractBroken, tooLarge } from "./bind-step.ts";
import { type Binding, bindingFailed, type Handoff } from "./binding.ts";
import { errorFacts } from "./error-facts.ts";
import { givenValues } from "./given-values.ts";
import { findNode, nodeAt } from "./move.ts";
import { outputsOf, previousRound } from "./references.ts";
import type { NodeState, RunState } from "./state.ts";

/** Values by normalised label. Each entry has the label as first written, the value, and the origin of the value. */
type LabelledValues = Map<
  string,
  { readonly label: string; readonly value: Json; readonly handoffs: readonly Handoff[] }
>;

/** Binds a lens node. Later sources replace earlier ones: root inputs, edges, overrides, values given by a person. */
export function bindLens(state: RunState, node: NodeState, planNode: PlanNode, body: LensBody): Binding {
  const { counted } = node.instance === null ? node : nodeAt(state, node.instance.parent);
  const bound: Bound = { values: new Map(), warnings: new Set(), exempt: new Set(), counted };
  const { values } = bound;
  bindRound(state, planNode, node, body, values);
  bindElement(planNode, node, body, values);
  // The list of a `for_each` node may be built from any root input. Template and contract apply to each element instead.
  const isList = planNode.forEach !== null && node.instance === null;
  bindRootInputs(state, isList ? () => true : readsRootInput(body), values);
  for (const param of body.params) {
    const failure = bindParam(state, body, param, bound);
    if (failure !== undefined) return bindingFailed(failure.code, failure.message);
  }
  for (const override of body.overrides) bindOverride(state, override, bound);
  for (const [label, value] of Object.entries(givenValues(state, node))) setValue(values, label, value);

  const inputs = Object.fromEntries([...values.values()].map(({ label, value }) => [label, value]));
  const { work } = planNode;
  const edited = getOwn(state.prompts, node.id);
  const rendered = isList
    ? NOTHING_ASKED
    : edited === undefined
      ? renderWork(planNode, body, values, inputs)
      : { text: edited.text, missing: [] };
  if (rendered.missing.length > 0) return { kind: "unbound", missing: rendered.missing };
  const size = utf8Length(JSON.stringify(inputs));
  if (size > LIMITS.boundInputBytesMax) return tooLarge(planNode, size);
  const errors =
    body.inputContract === null || isList ? [] : checkInputContract(body.inputContract, inputs, bound.exempt);
  if (errors.length > 0) return contractBroken(planNode, errors);
  const isStructured = body.outputContract !== null && Object.keys(body.outputContract.schema).length > 0;
  return {
    kind: "bound",
    request: {
      message: rendered.text,
      stdin: null,
      inputs,
      outputFields: null,
      outputStrategy: isStructured || work !== null ? "json" : "text",
    },
    // A value that was replaced during binding has no hand-off.
    handoffs: [...values.values()].flatMap(({ handoffs }) => handoffs),
    warnings: [...bound.warnings],
  };
}

/** Binds `round` and `previous`: the text of the round before, or its outputs for a node that works as a step. */
function bindRound(
  state: RunState,
  { repeat }: PlanNode,
  node: NodeState,
  body: LensBody,
  values: LabelledValues,
): void {
  if (repeat === null || node.instance === null) return;
  setValue(values, "round", node.instance.element);
  const before = previousRound(state, node);
  if (before?.now.status !== "completed") return;
  const handoff = { sourceNodeId: before.id, sourceOutputPath: "output", targetInputPath: "previous" };
  const { envelope, outputs } = before.now;
  setValue(values, "previous", body.inside === undefined ? envelope.output : outputs, [handoff]);
}

/** Binds the element and its index. A contract that does not name them does not receive them. */
function bindElement({ forEach }: PlanNode, { instance }: NodeState, body: LensBody, values: LabelledValues): void {
  if (forEach === null || instance === null) return;
  const isRead = body.inputContract === null ? () => true : readsRootInput(body);
  if (isRead(forEach.as)) setValue(values, forEach.as, instance.item);
  if (isRead("index")) setValue(values, "index", instance.element);
}

function bindRootInputs(state: RunState, isRead: (label: string) => boolean, values: LabelledValues): void {
  for (const [label, value] of Object.entries(state.args)) {
    if (!isRead(label)) continue;
    const sourceOutputPath = formatPath(["args", label]);
    setValue(values, label, value, [{ sourceNodeId: null, sourceOutputPath, targetInputPath: label }]);
  }
}

/**
 * Returns a check for the root inputs that the template or contract names: a strict contract refuses others as unknown.
 * A node without a template and contract reads all of them, because it sends its inputs as they are.
 */
export function readsRootInput(body: LensBody): (label: string) => boolean {
  if (body.template === null && body.inputContract === null) return () => true;
  const wanted = wantedKeys(body);
  return (label) => wanted.has(normaliseLabel(label));
}

function wantedKeys({ template, inputContract, params }: LensBody): ReadonlySet<string> {
  const tokens = (template?.parts ?? []).flatMap((part) => (typeof part === "string" ? [] : [part.label]));
  const fields = Object.keys(inputContract?.fields ?? {});
  const alternatives = (inputContract?.requireAnyOf ?? []).flat();
  const labels = [...tokens, ...fields, ...alternatives, ...params.map((param) => param.label)];
  return new Set(labels.map(normaliseLabel));
}

function setValue(values: LabelledValues, label: string, value: Json, handoffs: readonly Handoff[] = []): void {
  const key = normaliseLabel(label);
  values.set(key, { label: values.get(key)?.label ?? label, value, handoffs });
}

const NOTHING_ASKED = { text: "", missing: [] };

/** Renders the text to send. The code of a script is sent unchanged. */
function renderWork({ work }: PlanNode, body: LensBody, values: LabelledValues, inputs: JsonObject) {
  return work?.kind === "script" ? { text: work.code, missing: [] } : renderBody(body, values, inputs);
}

function renderBody(body: LensBody, values: LabelledValues, inputs: JsonObject) {
  if (body.template === null) return { text: JSON.stringify(inputs), missing: [] };
  return renderLensTemplate(body.template, ({ key }) => {
    const bound = values.get(key);
    return bound === undefined && body.optionalKeys.has(key) ? "" : bound?.value;
  });
}

/** The state of one binding in progress. */
interface Bound {
  readonly values: LabelledValues;
  readonly warnings: Set<string>;
  /** Labels bound to an empty text for lack of a value. The contract is not checked for them. */
  readonly exempt: Set<string>;
  /** For a node with `join`: the parents that counted. Any other parent is treated as skipped. */
  readonly counted: NodeState["counted"];
}

/** Joins the values of a parameter's open edges. Without any, the root input stays, and '' is bound only for a reason. */
function bindParam(state: RunState, body: LensBody, param: LensParam, bound: Bound): ExpressionFailure | undefined {
  const sources: { label: string | null; id: string; value: Json }[] = [];
  const handoffs: Handoff[] = [];
  let untaken = 0;
  const isOne = param.edges.length === 1;
  for (const edge of param.edges) {
    const reading = readEdge(state, edge, bound.counted);
    if (!reading.ok) return reading.failure;
    const { isOpen, value } = reading.value;
    if (!isOpen && isUntaken(state, edge, bound.counted)) untaken += 1;
    if (!isOpen || value === undefined) continue;
    const source = nodeAt(state, edge.source);
    const label = state.plan.nodes[edge.source]?.label ?? null;
    sources.push({ label: label === source.id ? null : label, id: source.id, value });
    const transform = isOne && param.strategy === "last_write_wins" ? {} : { transform: param.strategy };
    const handoff = { sourceNodeId: source.id, sourceOutputPath: edge.sourceOutputKey, targetInputPath: param.label };
    handoffs.push({ ...handoff, ...transform });
  }
  if (sources.length > 0) {
    const used = param.strategy === "last_write_wins" ? handoffs.slice(-1) : handoffs;
    setValue(bound.values, param.label, mergeValues(param.strategy, sources), used);
  } else if (!bound.values.has(normaliseLabel(param.label))) {
    bindNothing(state, body, param, untaken === param.edges.length, bound);
  }
  return undefined;
}

/** Returns true when a branch was not taken: its source was skipped, or completed while the edge's condition does not hold. */
function isUntaken(state: RunState, edge: LensPlanEdge, counted: Bound["counted"]): boolean {
  if (counted?.has(edge.source) === false) return true;
  const { status } = nodeAt(state, edge.source).now;
  return status === "skipped" || status === "completed";
}

/** Binds '' when no branch was taken, or when all parents failed and `substitute_default` applies. */
function bindNothing(state: RunState, body: LensBody, param: LensParam, isUntakenOnly: boolean, bound: Bound): void {
  const hasCompleted = param.edges.some((edge) => nodeAt(state, edge.source).now.status === "completed");
  if (isUntakenOnly) bound.warnings.add(`${param.label}: no branch that feeds it was taken, its value is empty`);
  else if (body.onParentFailure !== "substitute_default" || hasCompleted) return;
  bound.exempt.add(param.label);
  setValue(bound.values, param.label, "");
}

interface EdgeReading {
  readonly isOpen: boolean;
  readonly value: Json | undefined;
}

/** Returns whether an edge lets its target run, and the value it passes. A path without a value passes nothing. */
export function readEdge(
  state: RunState,
  edge: LensPlanEdge,
  counted: Bound["counted"],
): Outcome<EdgeReading, ExpressionFailure> {
  const found = counted?.has(edge.source) === false ? null : dataOf(nodeAt(state, edge.source), edge);
  if (found === null) return succeed({ isOpen: false, value: undefined });
  const { data, envelope } = found;
  const value = resolveOutputPath(data, envelope, edge.sourceOutputKey);
  const satisfied = isEdgeSatisfied(edge.condition, value, (path) =>
    path.segments[0] === "value" ? walk(value, path.segments.slice(1)) : walk(data, path.segments),
  );
  return satisfied.ok ? succeed({ isOpen: satisfied.value, value }) : satisfied;
}

/** Returns the data a node passes on: its outputs, or its error. */
function dataOf(
  { now, tries }: NodeState,
  { mayFail }: LensPlanEdge,
): { readonly data: JsonObject; readonly envelope: Envelope } | null {
  if (now.status === "completed") return { data: outputDataOf(now.envelope, now.outputs), envelope: now.envelope };
  if (!mayFail || (now.status !== "failed" && now.status !== "timed_out")) return null;
  const data = { error: errorFacts({ code: now.errorCode, message: now.errorMessage }, tries) };
  return { data, envelope: { kind: "json", artifactKind: "json", output: now.errorMessage, data } };
}

function bindOverride(state: RunState, { label, value: written }: LensOverride, { values, counted }: Bound): void {
  if (written.kind === "value") return setValue(values, label, written.value);
  const handoffs: Handoff[] = [];
  const parts = written.template.parts.map((part) => {
    if (typeof part === "string") return part;
    const source = findNode(state, part.nodeId);
    if (source?.now.status !== "completed" || counted?.has(source.index) === false) return "";
    const { envelope } = source.now;
    const value = resolveOutputPath(outputDataOf(envelope, outputsOf(source)), envelope, part.path);
    if (value !== undefined) {
      handoffs.push({ sourceNodeId: source.id, sourceOutputPath: part.path, targetInputPath: label });
    }
    return jsonToText(value);
  });
  setValue(values, label, parts.join(""), handoffs);
}

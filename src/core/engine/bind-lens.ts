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

/** Values by normalised label, each with the label as it was first written, and where the value came from. */
type LabelledValues = Map<
  string,
  { readonly label: string; readonly value: Json; readonly handoffs: readonly Handoff[] }
>;

/** Edges, root inputs, overrides and a person's values joined and rendered, in that order of strength. */
export function bindLens(state: RunState, node: NodeState, planNode: PlanNode, body: LensBody): Binding {
  const { counted } = node.instance === null ? node : nodeAt(state, node.instance.parent);
  const bound: Bound = { values: new Map(), warnings: new Set(), exempt: new Set(), counted };
  const { values } = bound;
  bindRound(state, planNode, node, body, values);
  bindElement(planNode, node, body, values);
  // What is asked, and whether it may be, is a matter of each element; its list may be made of anything.
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
    // Whatever was replaced on the way here was not handed over.
    handoffs: [...values.values()].flatMap(({ handoffs }) => handoffs),
    warnings: [...bound.warnings],
  };
}

/** `round`, and `previous`: what the round before has said, or returned to a node that works as a step does. */
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

/** The element and its index; a contract that does not name them is not asked about them. */
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
 * Root inputs the node asks for by its template or contract: a strict contract would refuse the others as unknown.
 * A node without a template takes them all, since what it is given is what it sends.
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

/** The code of a script is sent as it is. */
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

/** Binding under way. */
interface Bound {
  readonly values: LabelledValues;
  readonly warnings: Set<string>;
  /** Labels whose contract nothing can be asked of. */
  readonly exempt: Set<string>;
  /** Of a node with `join`: any other parent is as if it had been skipped. */
  readonly counted: NodeState["counted"];
}

/** Joins the satisfied edges of one parameter; without any it keeps the root input, and says '' only for a reason. */
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

/** A branch that was not taken: its source was skipped, or completed and the edge's condition does not hold. */
function isUntaken(state: RunState, edge: LensPlanEdge, counted: Bound["counted"]): boolean {
  if (counted?.has(edge.source) === false) return true;
  const { status } = nodeAt(state, edge.source).now;
  return status === "skipped" || status === "completed";
}

/** A join over a branch not taken gets '', as does one whose failed parents are to be substituted. */
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

/** Whether an edge lets its target run, and what it hands over. A path that leads nowhere hands over nothing. */
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

/** What a node has to hand over: what it returned, or why it failed. */
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

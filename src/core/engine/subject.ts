/** Builds the subject of an approval, which is shown to the person who answers it. */
import { formatPath, isJsonObject, type Json, type JsonObject, required } from "../base/index.ts";
import type { FormFields, Shown, Subject } from "../event/index.ts";
import type { PlanNode, Reference, StepBody } from "../plan/index.ts";
import { isExpression, isSingleReference, type StepTemplate } from "../template/index.ts";
import type { ReadChanges } from "./answer-changes.ts";
import { effectsOf } from "./answer-effect.ts";
import type { Question } from "./approvals.ts";
import { bind } from "./bind.ts";
import { conversationBefore } from "./conversation.ts";
import type { BoundRequest } from "./effect.ts";
import { ownValues, unsentRequests } from "./unsent.ts";
import { givenReader, readsOf } from "./given-values.ts";
import type { HoldFacts, KnownAgent } from "./input.ts";
import { nodeAt, planNodeOf } from "./move.ts";
import { countedBy, findValue, outputsOf, referenceIn } from "./references.ts";
import type { ApprovalState, NodeState, RunState } from "./state.ts";
import { titleOf, valueOf } from "./subject-text.ts";
import type { Turn } from "./turn.ts";
import { shownMembers, shownText, shownValue, withinLimit } from "./subject-size.ts";

/** Builds the subject when the approval opens. */
export function subjectOf(turn: Turn, node: NodeState, question: Question): Subject {
  const { state, agents } = turn;
  const planNode = planNodeOf(state, node);
  const { agentId, facts } = question;
  const agent = agentId === null ? undefined : agents.get(agentId);
  return withinLimit({
    title: question.title,
    workflow: state.workflow,
    version: state.version,
    startedBy: state.startedBy,
    trigger: state.trigger,
    args: shownMembers(state.args, "args"),
    request: requestOf(turn, node, question, agent),
    ...readsOfUnsent(state, node, planNode, question),
    ...shownCall(node, question),
    shown: [
      ...conversationOf(node, question),
      ...(question.source === "gate" ? unsentRequests(state, node, planNode) : []),
      ...shownBy(state, node, planNode, question.inputs),
    ],
    parents: parentsOf(state, node, planNode),
    costMicros: state.costMicros,
    estimateMicros: facts?.estimateMicros ?? planNode.request.estimatedCostMicros,
    policies: (facts?.reasons ?? []).map((reason) => ({ ...reason })),
    agent: agentId === null ? null : { id: agentId, trust: facts?.trust ?? agent?.trustLevel ?? null },
    action: actionOf(node, planNode, question),
    answers: effectsOf(planNode, question),
  });
}

/** Builds the subject again after a person has changed part of it. */
export function revisedSubject(state: RunState, approval: ApprovalState, changes: ReadChanges): Subject {
  const { node, request, modifications, form } = changes;
  const asked = required(approval.subject, "what several people are asked about is kept");
  const planNode = planNodeOf(state, node);
  const outputs = modifications?.["outputs"];
  const binding = request === null && planNode.forEach === null ? bind(state, node) : null;
  const own = planNode.forEach === null ? ownValues(state, node, planNode) : null;
  const inputs = own ?? request?.inputs ?? (binding?.kind === "bound" ? binding.request.inputs : {});
  const isReplaced = isJsonObject(outputs);
  const callArgs = modifications?.["args"];
  if (asked.call !== undefined) {
    const changed = isJsonObject(callArgs) ? { args: shownMembers(callArgs, "call.args") } : {};
    return withinLimit({ ...asked, call: { ...asked.call, ...changed } });
  }
  const { source } = approval;
  return withinLimit({
    ...asked,
    ...(isReplaced
      ? {}
      : readsOfUnsent(state, node, planNode, { source, request: asked.request === null ? null : request, inputs })),
    title: approval.source === "gate" || approval.source === "policy" ? titleOf(state, node) : asked.title,
    request: isReplaced
      ? null
      : request === null || asked.request === null
        ? asked.request
        : sentAs(request, asked.request, readsBeside(state, node, planNode, inputs)),
    shown: [
      ...(approval.source === "gate" && !isReplaced ? unsentRequests(state, node, planNode) : []),
      ...shownBy(state, node, planNode, inputs),
      ...enteredIn(approval.rule.form, form),
      ...(isReplaced ? enteredIn(null, outputs) : []),
    ],
    answers: isReplaced
      ? asked.answers.map((answer) =>
          answer.decision === "approve" || answer.decision === "retry"
            ? { ...answer, effect: `Nothing is sent; what was given becomes the result of ${node.id}.` }
            : answer,
        )
      : asked.answers,
  });
}

function shownCall(node: NodeState, { call: asked }: Question): Pick<Subject, "call"> {
  const { turn } = node;
  const call = asked === undefined ? undefined : turn?.calls.get(asked.id);
  if (turn === null || call === undefined) return {};
  const { tool, server, args, action, round } = call;
  // A call made in the middle of a round has no text yet, because the round has not completed.
  const words = shownText(turn.rounds[round]?.text ?? "", "call.words");
  return { call: { tool, server, args: shownMembers(args, "call.args"), action, round, words } };
}

/** Returns the rounds before a call, so that a person can judge it. */
function conversationOf({ turn }: NodeState, { call: asked }: Question): readonly Shown[] {
  const call = asked === undefined ? undefined : turn?.calls.get(asked.id);
  return turn === null || call === undefined ? [] : conversationBefore(turn, call.round);
}

function actionOf({ turn }: NodeState, planNode: PlanNode, { call }: Question): string | null {
  if (call !== undefined) return turn?.calls.get(call.id)?.action ?? null;
  const { action } = planNode.request;
  // A gate acts only as far as its author says: what it lets pass may move money.
  return planNode.kind === "gate" && action === "execute" ? null : action;
}

function sentAs(
  { message, stdin, inputs }: BoundRequest,
  before: NonNullable<Subject["request"]>,
  reads: JsonObject,
): Subject["request"] {
  return {
    ...before,
    message: shownText(message, "request.message"),
    stdin: stdin === null ? null : shownText(stdin, "request.stdin"),
    inputs: shownMembers(inputs, "inputs"),
    ...(Object.keys(reads).length === 0 ? {} : { reads }),
  };
}

/** Returns the values a person may change before a list, a child run or a calculation starts. */
function readsOfUnsent(
  state: RunState,
  node: NodeState,
  planNode: PlanNode,
  { source, request, inputs }: Pick<Question, "source" | "request" | "inputs">,
): Pick<Subject, "reads"> {
  if (source !== "gate" || planNode.kind === "gate" || request !== null) return {};
  const values = boundValues(state, node, planNode, inputs).map(({ label, value }) => [label, value ?? null] as const);
  return values.length === 0 ? {} : { reads: Object.fromEntries(values) };
}

/** Returns the values that the texts of a step read besides its inputs. */
function readsBeside(state: RunState, node: NodeState, planNode: PlanNode, inputs: JsonObject): JsonObject {
  const beside = boundValues(state, node, planNode, inputs).filter(({ label }) => !Object.hasOwn(inputs, label));
  return Object.fromEntries(beside.map(({ label, value }) => [label, value ?? null]));
}

/** Returns the request to show. Before the gates have decided, its recipient is derived from step, workflow and agent. */
function requestOf(
  turn: Turn,
  node: NodeState,
  { request, facts }: Question,
  agent: KnownAgent | undefined,
): Subject["request"] {
  if (request === null) return null;
  const planNode = planNodeOf(turn.state, node);
  const { provider, model, tools } = planNode.request;
  const route: Pick<HoldFacts, "provider" | "model"> = facts ?? {
    provider: provider ?? agent?.provider ?? null,
    model: model ?? turn.model ?? turn.state.plan.model ?? agent?.model ?? null,
  };
  const nothing = { message: "", stdin: null, inputs: {} };
  const reads = readsBeside(turn.state, node, planNode, request.inputs);
  return sentAs(request, { provider: route.provider, model: route.model, tools: [...tools], ...nothing }, reads);
}

function parentsOf(state: RunState, node: NodeState, { parents }: PlanNode): Record<string, JsonObject> {
  return Object.fromEntries(
    [...(countedBy(state, node) ?? parents)].map((index) => {
      const parent = nodeAt(state, index);
      return [parent.id, givenBy(parent)];
    }),
  );
}

/** Returns the outputs of a node, or its text when it declares none. */
function givenBy(parent: NodeState): JsonObject {
  const { id, now } = parent;
  const outputs = outputsOf(parent);
  const isPlain = now.status === "completed" && Object.keys(outputs).length === 0 && now.envelope.output !== "";
  return isPlain ? shownMembers({ stdout: now.envelope.output }, id) : shownMembers(outputs, `${id}.outputs`);
}

/** Returns the values the author chose to show, else all bound values: declared inputs and other values its texts read. */
function shownBy(state: RunState, node: NodeState, planNode: PlanNode, inputs: JsonObject): readonly Shown[] {
  const { body, askRule, approval } = planNode;
  const show = (askRule ?? approval)?.show ?? [];
  if (show.length === 0) return boundValues(state, node, planNode, inputs);
  if (body.kind !== "step") return [];
  return show.map((item, index): Shown => {
    const shown = (template: StepTemplate): Json =>
      shownValue(valueOf(state, node, body, template), placeOf(state, body, template) ?? `show[${index}]`);
    if (item.kind === "diff") {
      const label = item.label ?? `${item.before.text} → ${item.after.text}`;
      return { label, kind: "diff", before: shown(item.before), after: shown(item.after) };
    }
    const label = item.label ?? labelOf(item.value);
    return { label, kind: kindOf(item.kind, item.value), value: shown(item.value) };
  });
}

/** Returns where in the run the value of a single reference comes from. */
function placeOf(state: RunState, body: StepBody, template: StepTemplate): string | undefined {
  const single = isSingleReference(template);
  return single === undefined || isExpression(single) ? undefined : placeIn(state, referenceIn(body.scope, single));
}

function placeIn(state: RunState, { origin, rest, text }: Reference): string {
  if (origin.kind === "arg") return formatPath(["args", origin.name, ...rest]);
  return origin.kind === "node" ? formatPath([nodeAt(state, origin.node).id, origin.part, ...rest]) : text;
}

/** Returns how a value is shown: a template with text around its references is a text; a single reference has the kind of its value. */
function kindOf(kind: Shown["kind"], template: StepTemplate): Shown["kind"] {
  return kind === "value" && isSingleReference(template) === undefined ? "text" : kind;
}

function labelOf(template: StepTemplate): string {
  return isSingleReference(template) === undefined ? "" : template.text;
}

function boundValues(
  state: RunState,
  node: NodeState,
  { body, forEach }: PlanNode,
  inputs: JsonObject,
): readonly Shown[] {
  const values = new Map<string, Json>();
  for (const [name, value] of Object.entries(inputs)) values.set(name, shownValue(value, `inputs.${name}`));
  if (body.kind === "step") {
    for (const [name, reference] of readsOf(body, forEach)) {
      const found = values.has(name) ? undefined : findValue(state, node, reference);
      if (found?.kind !== "value") continue;
      const value = givenReader(state, node, body)?.find(reference) ?? found.value;
      values.set(name, shownValue(value, placeIn(state, reference)));
    }
  }
  return [...values].map(([label, value]) => ({ label, kind: "value", value }));
}

function enteredIn(form: FormFields | null, entered: JsonObject | null): readonly Shown[] {
  return Object.entries(entered ?? {}).map(([name, value]) => ({
    label: form?.[name]?.label ?? name,
    kind: "value",
    value: shownValue(value, name),
  }));
}

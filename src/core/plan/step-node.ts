import { LIMITS } from "../base/index.ts";
import type { Step } from "../definition/index.ts";
import type { NodeOutcomes } from "./outcomes.ts";
import type { NodeKind, PlanNode, RequestHints } from "./plan.ts";
import { outcomeOf, retryPolicyOf } from "./retry-policy.ts";
import type { BoundBlocks } from "./block.ts";
import type { BoundStep } from "./scope.ts";

/** Position of a node in the graph, independent of its work. */
export type NodePosition = Pick<PlanNode, "index" | "wave" | "parents" | "dependents">;

/** Builds the node field by field: spreading into an object of this size is many times slower, with up to 10,000 nodes. */
export function planStep(
  step: Step,
  position: NodePosition,
  outcomes: NodeOutcomes,
  bound: BoundStep & BoundBlocks,
): PlanNode {
  const kind = kindOfStep(step);
  return {
    index: position.index,
    id: step.id,
    label: step.name ?? step.id,
    title: step.title,
    kind,
    phase: step.phase,
    wave: position.wave,
    parents: position.parents,
    dependents: position.dependents,
    outcomes: outcomes.outcomes,
    join: outcomes.join,
    tolerantDependents: outcomes.tolerantDependents,
    hasFailureHandler: outcomes.hasFailureHandler,
    timeoutMs: timeoutOf(step, kind),
    queueTimeoutMs: step.queueTimeoutMs,
    retry: { ...retryPolicyOf(step.onFailure, step.retry), condition: bound.retryIf },
    onFailure: outcomeOf(step.onFailure),
    isFailFast: step.parallelFailurePolicy === "fail_fast",
    effects: step.effects,
    approval: step.approval,
    askRule: step.askRule ?? step.approval,
    child: step.workflowRef === null ? bound.child : { workflow: step.workflowRef },
    choose: bound.choose,
    work: step.work,
    forEach: bound.forEach,
    repeat: bound.repeat,
    request: hintsOf(step),
    body: {
      kind: "step",
      scope: bound.scope,
      condition: bound.condition,
      command: step.command,
      stdin: step.stdin,
      inputs: bound.inputs,
      outputs: step.outputs,
      criteria: bound.criteria,
      with: step.block === null ? step.with : bound.with,
    },
    isRetryWritten: step.retry !== null || RETRYING.has(step.onFailure),
    isOnFailureWritten: step.isOnFailureWritten,
    duty: null,
  };
}

const RETRYING: ReadonlySet<Step["onFailure"]> = new Set(["retry_once", "retry", "retry_once_then_escalate"]);

const KIND_OF_WORK = {
  set: "set",
  script: "script",
  function: "function",
  cancel: "end",
  fail: "end",
  wait: "wait",
  emit: "emit",
} as const;

/** Returns the kind of a step. An unavailable library step may contain a command, so an approval on it does not make it a gate. */
function kindOfStep(step: Step): NodeKind {
  if (step.workflowRef !== null) return "child";
  if (step.block !== null) return "block";
  if (step.choose !== null) return "choose";
  if (step.work !== null) return KIND_OF_WORK[step.work.kind];
  const hasWork = step.command !== null || step.unresolvedLibraryStep !== null;
  return step.approval !== null && !hasWork ? "gate" : "agent";
}

/** A gate has no attempt that could time out; `expires` limits how long it waits. */
function timeoutOf(step: Step, kind: NodeKind): number | null {
  const hasAttempts = step.work === null || kind === "script" || kind === "function";
  if (kind === "gate" || !hasAttempts) return null;
  return step.timeoutMs ?? (isRun(kind) ? null : LIMITS.stepTimeoutMsDefault);
}

/** Returns whether the kind starts a run of its own, which has its own end. */
function isRun(kind: NodeKind): boolean {
  return kind === "child" || kind === "block" || kind === "choose";
}

function hintsOf(step: Step): RequestHints {
  return {
    agent: step.agent,
    role: step.role,
    model: step.model,
    provider: step.provider,
    capabilities: step.capabilities,
    models: step.models,
    tools: step.tools,
    toolActions: step.toolActions,
    ...(step.stepTools.length === 0 ? {} : { stepTools: step.stepTools }),
    turn: step.turn,
    action: step.action,
    contextSources: step.contextSources,
    estimatedCostMicros: step.estimatedCostMicros,
  };
}

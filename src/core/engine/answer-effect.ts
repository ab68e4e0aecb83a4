/** Describes the effect of each possible answer, in words for the person who answers. */
import type { Decision, Subject } from "../event/index.ts";
import type { PlanNode } from "../plan/index.ts";
import type { Question } from "./approvals.ts";

type Asked = Pick<Question, "source" | "choices" | "rule" | "request" | "call">;

export function effectsOf(planNode: PlanNode, question: Asked): Subject["answers"] {
  return question.choices.map((decision) => ({ decision, effect: effectOf(decision, planNode, question) }));
}

/** The effect of an answer on a held call, or on a call that may already have been made. */
function effectOnCall(decision: Decision, planNode: PlanNode, isUnknown: boolean): string {
  switch (decision) {
    case "approve":
      return isUnknown
        ? "The agent continues with the result that is given."
        : "The call is made exactly as it is shown.";
    case "retry":
      return "The call is made again.";
    case "abort":
      return `The call is not made; ${failed(planNode)}`;
    default:
      return isUnknown
        ? "The agent continues, and learns that the call failed."
        : "The call is not made; the agent learns why, and continues.";
  }
}

function effectOf(decision: Decision, planNode: PlanNode, question: Asked): string {
  const { call } = question;
  if (call !== undefined)
    return `${decision === "approve" ? afterQuorum(question) : ""}${effectOnCall(decision, planNode, call.isUnknown)}`;
  switch (decision) {
    case "approve":
      return `${afterQuorum(question)}${approved(planNode, question)}`;
    case "reject":
      return rejected(planNode);
    case "retry":
      return `${afterQuorum(question)}${planNode.id} is tried again.`;
    case "skip":
      return `${planNode.id} is skipped, and the run continues.`;
    case "abort":
      return failed(planNode);
  }
}

function afterQuorum({ rule }: Asked): string {
  return rule.quorum === 1 ? "" : `Once ${rule.quorum} people have approved: `;
}

function approved({ id, kind, child, forEach, repeat, work }: PlanNode, { rule, request, source }: Asked): string {
  const times = forEach === null || source !== "gate" ? "" : ` for each element of ${forEach.list.text}`;
  if (child !== null && "workflow" in child) return `A run of ${child.workflow.name} is started${times}.`;
  if (work?.kind === "emit") return `The event ${work.emit.type} is emitted${times}.`;
  if (times !== "") return `${id} starts, once${times}.`;
  if (repeat !== null && source === "gate") {
    const first = request === null ? "" : " The first sends the request as it is shown.";
    return `${id} starts, and is repeated in up to ${repeat.max} rounds.${first}`;
  }
  if (kind !== "gate") return request === null ? `${id} starts.` : "The request is sent exactly as it is shown.";
  return rule.form === null
    ? "Nothing is sent; the run continues."
    : `Nothing is sent; what is entered becomes the result of ${id}, and the run continues.`;
}

function rejected(planNode: PlanNode): string {
  const { id, kind, onFailure } = planNode;
  if (onFailure === "skip") {
    return kind === "gate"
      ? `${id} completes as not approved, and the run continues.`
      : `Nothing is sent; ${id} is skipped, and the run continues.`;
  }
  if (onFailure === "escalate") return `Nothing is sent; ${id} fails, and a person decides what happens next.`;
  return `Nothing is sent; ${failed(planNode)}`;
}

function failed({ id, onFailure, hasFailureHandler, tolerantDependents }: PlanNode): string {
  if (hasFailureHandler) return `${id} fails, and the steps that handle it run.`;
  if (tolerantDependents.length > 0) return `${id} fails, the steps that wait for any end of it run, and the run ends.`;
  return onFailure === "isolate"
    ? `${id} fails, and what depends on it does not run.`
    : `${id} fails, and the run ends.`;
}

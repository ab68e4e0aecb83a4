import { type Decision, isTerminal } from "../core/event/index.ts";
import { applyToView, createView, eventOfFrame, type RunView } from "../core/view/index.ts";
import type { Api } from "./api.ts";
import type { Question } from "./approvals.ts";

/** A question that a person has to answer before a run can continue: an approval, or a blocked node. */
export interface OpenQuestion extends Pick<Question, "approvalId" | "nodeId" | "summary"> {
  readonly runId: string;
  readonly choices: readonly Decision[];
}

interface BlockedNode {
  readonly runId: string;
  readonly nodeId: string;
}

export interface Waiting {
  readonly questions: readonly OpenQuestion[];
  readonly blocked: readonly BlockedNode[];
}

/**
 * Returns the questions that keep a run on a server waiting for a person. Null while the run or a child run can continue
 * without one. The view must contain all committed events of the run.
 */
export async function waitingOf(api: Api, runId: string, view: RunView): Promise<Waiting | null> {
  if (isTerminal(view.status)) return null;
  const nodes = [...view.nodes.values()];
  const children = nodes.filter(({ status, childRunId }) => status === "running" && childRunId !== null);
  const { queued, retrying, running, streaming } = view.counts;
  const expanded = nodes.filter(({ isExpanded }) => isExpanded).length;
  // A `for_each` node progresses only through its instances, and a node with a child run only through that run.
  if (queued + retrying + running + streaming - expanded > children.length) return null;
  const own = ownWaiting(runId, view);
  const questions = [...own.questions];
  const blocked = [...own.blocked];
  for (const { childRunId } of children) {
    const child = childRunId === null ? null : await waitingOf(api, childRunId, await viewOf(api, childRunId));
    if (child === null) return null;
    questions.push(...child.questions);
    blocked.push(...child.blocked);
  }
  return questions.length + blocked.length === 0 ? null : { questions, blocked };
}

function ownWaiting(runId: string, view: RunView): Waiting {
  const questions = [...view.approvals.values()]
    .filter(({ status }) => status === "pending")
    .map(({ id, nodeId, summary, choices }) => ({ runId, approvalId: id, nodeId, summary, choices }));
  const asked = new Set(questions.map(({ nodeId }) => nodeId));
  const blocked = [...view.nodes.values()]
    .filter(
      ({ id, status, waitingReason }) => status === "blocked" && waitingReason === "human_input" && !asked.has(id),
    )
    .map(({ id }) => ({ runId, nodeId: id }));
  return { questions, blocked };
}

const PAGE = 1_000;

async function viewOf(api: Api, runId: string): Promise<RunView> {
  const view = createView();
  for (;;) {
    const { data, nextCursor } = await api.listEvents(runId, { afterEventId: view.lastEventId, limit: PAGE });
    const before = view.lastEventId;
    for (const frame of data) {
      const event = eventOfFrame(frame);
      if (event !== null) applyToView(view, event);
    }
    if (nextCursor === undefined || view.lastEventId === before) return view;
  }
}

/** Returns the command that answers an approval. An escalation does not offer `approve`. */
export function answerCommand({ approvalId, choices }: Pick<OpenQuestion, "approvalId" | "choices">): string {
  const [first = "approve"] = choices;
  return choices.includes("approve")
    ? `sluice approvals approve ${approvalId}`
    : `sluice approvals resolve ${approvalId} --choice ${first}`;
}

import type { JsonObject } from "../base/index.ts";
import type { Decision, Subject } from "../event/index.ts";
import type { BoundRequest } from "./effect.ts";
import { nodeAt, planNodeOf } from "./move.ts";
import { outputsOf } from "./references.ts";
import type { NodeState, RunState } from "./state.ts";

/** What is known of an approval when it opens, besides the state of the run. */
export interface AboutApproval {
  readonly title: string;
  /** Null: nothing is sent when it is approved. */
  readonly request: BoundRequest | null;
  readonly agentId: string | null;
  readonly choices: readonly Decision[];
}

/** What the person who answers is shown. */
export function subjectOf(state: RunState, node: NodeState, about: AboutApproval): Subject {
  const planNode = planNodeOf(state, node);
  const { request, agentId } = about;
  return {
    title: about.title,
    workflow: state.workflow,
    version: state.version,
    startedBy: state.startedBy,
    trigger: state.trigger,
    args: state.args,
    request:
      request === null
        ? null
        : {
            provider: planNode.request.provider,
            model: planNode.request.model,
            message: request.message,
            stdin: request.stdin,
            inputs: request.inputs,
            tools: [...planNode.request.tools],
          },
    shown: Object.entries(request?.inputs ?? {}).map(([label, value]) => ({ label, kind: "value", value })),
    parents: parentsOf(state, planNode.parents),
    costMicros: state.costMicros,
    estimateMicros: planNode.request.estimatedCostMicros,
    policies: [],
    agent: agentId === null ? null : { id: agentId, trust: null },
    action: planNode.request.action,
    answers: about.choices.map((decision) => ({ decision, effect: decision })),
  };
}

function parentsOf(state: RunState, parents: readonly number[]): Record<string, JsonObject> {
  return Object.fromEntries(
    parents.map((index) => {
      const parent = nodeAt(state, index);
      return [parent.id, outputsOf(parent)];
    }),
  );
}

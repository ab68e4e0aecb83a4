import type { DispatchFacts } from "../facts.ts";
import { type Gate, type GateOutcome, PASS, type Unblock } from "../gate.ts";

export const concurrency: Gate<DispatchFacts> = {
  name: "concurrency",
  evaluate({ agent, openAttempts, openExamples, waitingAhead }): GateOutcome {
    // Nodes that already wait are served first: their slots are taken.
    if (agent === null || openAttempts + waitingAhead < agent.maxConcurrent) return PASS;
    const { id, maxConcurrent } = agent;
    const isFull = openAttempts >= agent.maxConcurrent;
    const ahead = isFull ? "" : ` and ${waitingAhead} nodes waiting before this one`;
    const [first] = openExamples;
    const wait = first === undefined ? "one of them to end" : `${first.runId} node ${first.nodeId}`;
    const waits = openExamples.map(({ runId, nodeId }): Unblock => ({
      action: "wait",
      target: `${runId}/${nodeId}`,
      detail: `its slot frees when node ${nodeId} of ${runId} ends`,
    }));
    return {
      kind: "block",
      code: "agent_busy",
      message: `${id} has ${openAttempts} of ${maxConcurrent} attempts open${ahead}; raise max_concurrent, or wait for ${wait}`,
      after: "queue",
      waitingReason: "queued",
      facts: { agent: id, openAttempts, maxConcurrent, waitingAhead },
      unblock: [
        { action: "raise_limit", target: `Agent/${id}`, detail: `raise max_concurrent above ${maxConcurrent}` },
        ...waits,
      ],
    };
  },
};

import type { DispatchFacts, ParallelFact } from "../facts.ts";
import { type Gate, type GateOutcome, PASS, type Unblock } from "../gate.ts";

export const concurrency: Gate<DispatchFacts> = {
  name: "concurrency",
  evaluate({ at, agent, openAttempts, openExamples, waitingAhead, parallel }): GateOutcome {
    if (parallel !== undefined && isFull(parallel)) return blockByRun(parallel, at);
    // Nodes that already wait go first, so their slots count as taken.
    if (agent === null || openAttempts + waitingAhead < agent.maxConcurrent) return PASS;
    const { id, maxConcurrent } = agent;
    const hasNoSlot = openAttempts >= agent.maxConcurrent;
    const ahead = hasNoSlot ? "" : ` and ${waitingAhead} nodes waiting before this one`;
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

const DAY_MS = 86_400_000;

function isFull({ open, waitingAhead, limit }: ParallelFact): boolean {
  return open + waitingAhead >= limit;
}

/** A busy run is not an error: the node waits without a time limit, and the gates are checked again after one to two days. */
function blockByRun({ runId, open, limit, waitingAhead }: ParallelFact, at: number): GateOutcome {
  const ahead = open >= limit ? "" : ` and ${waitingAhead} nodes waiting before this one`;
  return {
    kind: "block",
    code: "run_busy",
    message: `the run and its blocks have ${open} of ${limit} nodes in flight${ahead}; raise max_parallel, or wait for one of them to end`,
    after: "queue",
    waitingReason: "queued",
    until: (Math.floor(at / DAY_MS) + 2) * DAY_MS,
    isOfRun: true,
    facts: { runId, open, maxParallel: limit, waitingAhead },
    unblock: [
      { action: "raise_limit", target: runId, detail: `raise max_parallel of the workflow above ${limit}` },
      { action: "wait", target: runId, detail: "a place frees when one of its nodes ends" },
    ],
  };
}

import { type Checker, type Seen, Violation } from "./checker.ts";

const UNRUN_REASONS: ReadonlySet<string> = new Set([
  "condition_false",
  "parents_skipped",
  "parent_failed",
  "no_failure",
  "join_unreachable",
]);

/** E11. Skipped nodes never dispatch. */
export function skippedNeverRuns(): Checker {
  return {
    id: "E11",
    beforeEvent({ facts, node, event }: Seen): void {
      if (node === undefined) return;
      const fail = (message: string) => new Violation("E11", facts.runId, `${node.id} ${message}`);
      if (event.type === "node.started" && node.status === "skipped") throw fail("is skipped and starts");
      if (event.type !== "node.skipped" || !UNRUN_REASONS.has(event.payload.reason)) return;
      if (node.epoch === facts.epoch && node.tries > 0) throw fail(`ran and is skipped for ${event.payload.reason}`);
    },
    sent(facts, dispatch): void {
      const node = facts.nodes.get(dispatch.nodeId);
      // What was committed before a rewind may be sent while the next epoch has skipped the node already.
      if (dispatch.epoch !== facts.epoch) return;
      if (node?.status === "skipped" && node.skipReason !== null && UNRUN_REASONS.has(node.skipReason)) {
        throw new Violation(
          "E11",
          facts.runId,
          `${dispatch.dispatchId} was sent for a node skipped for ${node.skipReason}`,
        );
      }
    },
  };
}

/** E12. A cancelled run dispatches nothing; no more does one that halts or has timed out. */
export function cancelledNeverRuns(): Checker {
  return {
    id: "E12",
    beforeEvent({ facts, event }: Seen): void {
      const isStart = event.type === "node.started" || event.type === "child.started" || event.type === "node.queued";
      if (!isStart || (facts.ending === null && !facts.hasEnded)) return;
      throw new Violation(
        "E12",
        facts.runId,
        `${event.type} of ${event.payload.nodeId} while ${facts.ending ?? facts.status}`,
      );
    },
    afterTurn(facts, turn): void {
      const isOver = facts.ending === "cancelled" || facts.ending === "timed_out" || facts.hasEnded;
      if (!isOver) return;
      const effect = turn.effects.find(({ type }) => type === "dispatch");
      if (effect !== undefined)
        throw new Violation("E12", facts.runId, `dispatch while ${facts.ending ?? facts.status}`);
    },
  };
}

/** E13. Event ids per run are 1, 2, 3, … without gaps, and what was written is never rewritten. */
export function idsCount(_around: unknown, seed: number): Checker {
  const written = new Map<string, string[]>();
  const isSampled = seed % 16 === 0;
  return {
    id: "E13",
    beforeEvent({ facts, event }: Seen): void {
      if (event.eventId !== facts.lastEventId + 1) {
        throw new Violation("E13", facts.runId, `event ${event.eventId} follows event ${facts.lastEventId}`);
      }
      if (!isSampled) return;
      const lines = written.get(facts.runId) ?? [];
      lines.push(JSON.stringify(event));
      written.set(facts.runId, lines);
    },
    quiet(runs): void {
      for (const { facts, log } of runs) {
        const lines = written.get(facts.runId) ?? [];
        const changed = lines.findIndex((line, index) => line !== JSON.stringify(log[index]));
        if (changed >= 0) throw new Violation("E13", facts.runId, `event ${changed + 1} was rewritten`);
      }
    },
  };
}

/** E17. Every dispatch has exactly one allowing verdict, and every verdict is stored. */
export function everyDispatchIsAllowed(): Checker {
  const used = new Set<string>();
  return {
    id: "E17",
    afterTurn(facts, { input, events, effects }): void {
      const fail = (message: string) => new Violation("E17", facts.runId, message);
      for (const effect of effects) {
        if (effect.type !== "dispatch" || effect.isResend) continue;
        const verdict = input.type === "verdict" && input.nodeId === effect.nodeId ? input.verdict : null;
        if (verdict?.disposition !== "allow")
          throw fail(`${effect.dispatchId} was dispatched without an allowing verdict`);
        if (used.has(verdict.verdictId)) throw fail(`verdict ${verdict.verdictId} allowed two dispatches`);
        used.add(verdict.verdictId);
        const started = events.find((event) => event.type === "node.started" && event.payload.nodeId === effect.nodeId);
        const named = started?.type === "node.started" ? started.payload.verdictId : null;
        if (named !== verdict.verdictId)
          throw fail(`${effect.dispatchId} names verdict ${named}, not ${verdict.verdictId}`);
      }
      if (input.type !== "verdict" || events.length === 0 || !("verdictId" in input.verdict)) return;
      const { verdictId, disposition } = input.verdict;
      const stored = events.filter((event) => event.type === "gate.decided" && event.payload.verdictId === verdictId);
      const [only] = stored;
      if (stored.length !== 1) throw fail(`verdict ${verdictId} is stored ${stored.length} times`);
      if (only?.type === "gate.decided" && only.payload.disposition !== disposition) {
        throw fail(`verdict ${verdictId} is stored as ${only.payload.disposition}, not ${disposition}`);
      }
    },
  };
}

/** E18. `deltaIndex` per node strictly increases, across attempts. */
export function deltasIncrease(): Checker {
  return {
    id: "E18",
    beforeEvent({ facts, node, event }: Seen): void {
      if (event.type !== "node.stream.delta" || node === undefined) return;
      const { deltaIndex } = event.payload;
      if (deltaIndex > node.deltaIndex) return;
      throw new Violation("E18", facts.runId, `${node.id} delta ${deltaIndex} follows ${node.deltaIndex}`);
    },
  };
}

import { isSettled, type RunEvent } from "../../../src/core/event/index.ts";
import type { Dispatch } from "../../../src/core/engine/index.ts";
import type { NodeFacts } from "../world/facts.ts";
import { statusAfter } from "../world/status-after.ts";
import { type Checker, type Seen, Violation } from "./checker.ts";

/** E2. A settled node changes only through `invalidated`, and only a rewind or a recover invalidates. */
export function settledStays(): Checker {
  return {
    id: "E2",
    beforeEvent({ facts, node, event, turn }: Seen): void {
      if (node === undefined) return;
      const to = statusAfter(event, node.status);
      if (to === "invalidated") {
        const { type } = turn.input;
        // Instances of a node that a person lets run again are taken back without touching the run.
        const isReopened =
          type === "rewind" || type === "recover" || (node.owner !== null && !isSettled(node.owner.status));
        if (!isReopened) throw new Violation("E2", facts.runId, `${node.id} invalidated by ${type}`);
        return;
      }
      if (to !== null && isSettled(node.status)) {
        throw new Violation("E2", facts.runId, `${node.id} went from ${node.status} to ${to}`);
      }
    },
  };
}

/** E3. At most one open execution per node; attempts count 1, 2, 3 and never restart in a run, segments of each 0, 1, 2. */
export function oneOpenAttempt(): Checker {
  return {
    id: "E3",
    beforeEvent({ facts, node, event }: Seen): void {
      if (node === undefined || event.type !== "node.started") return;
      const attempt = event.payload.attempt ?? 0;
      const fail = (message: string) => new Violation("E3", facts.runId, `${node.id} attempt ${attempt} ${message}`);
      if (node.openAttempt > 0) throw fail(`began while attempt ${node.openAttempt} is open`);
      const { segment = 0 } = event.payload;
      const isNext =
        segment === 0 ? attempt === node.attempts + 1 : attempt === node.attempts && segment === node.segment + 1;
      if (!isNext) throw fail(`segment ${segment} followed attempt ${node.attempts} segment ${node.segment}`);
    },
    afterTurn(facts, turn): void {
      for (const effect of turn.effects) {
        if (effect.type !== "dispatch") continue;
        const node = facts.nodes.get(effect.nodeId);
        if (node !== undefined && mayDispatch(node, effect)) continue;
        throw new Violation("E3", facts.runId, `dispatch of ${effect.dispatchId} without that attempt being open`);
      }
    },
  };
}

function mayDispatch(node: NodeFacts, { attempt, segment }: Dispatch): boolean {
  return node.openAttempt === attempt && node.segment === segment;
}

/** Written out here and not taken from the core: a checker must not trust the lists it checks. */
const RESULTS: ReadonlySet<string> = new Set([
  "node.completed",
  "node.failed",
  "node.timed_out",
  "node.retried",
  "node.skipped",
  "node.blocked",
  "node.cancelled",
]);

/** E4. At most one result is applied per execution: a second report, or one that comes too late, changes nothing but cost. */
export function oneResult(): Checker {
  /** The highest cost that was reported. */
  const reported = new Map<string, number>();
  let isOpen = false;
  let key = "";
  return {
    id: "E4",
    beforeTurn(facts, { input }): void {
      key = "";
      if (input.type === "callback" && input.result.status !== "deferred") {
        const { nodeId, attempt, segment = 0 } = input;
        const node = facts.nodes.get(nodeId);
        isOpen = node?.openAttempt === attempt && node.segment === segment;
        key = `${facts.runId}/${nodeId}/${attempt}#${segment}`;
      } else if (input.type === "child_finished") key = input.childRunId;
    },
    afterTurn(facts, { input, events }): void {
      if (key === "") return;
      const before = reported.get(key);
      // A child reports its cost again when it has grown; every other repeated report adds nothing.
      const costMicros = input.type === "child_finished" ? input.costMicros : 0;
      reported.set(key, Math.max(before ?? 0, costMicros));
      const fail = (message: string) => new Violation("E4", facts.runId, `${key} ${message}`);
      if (before !== undefined) {
        const other = costMicros > before ? events.find(({ type }) => type !== "cost.recorded") : events[0];
        if (other !== undefined) throw fail(`reported again and led to ${other.type}`);
        return;
      }
      if (input.type !== "callback") return;
      const results = events.filter(
        (event) => RESULTS.has(event.type) && "nodeId" in event.payload && event.payload.nodeId === input.nodeId,
      );
      if (isOpen) {
        if (results.length !== 1 && !isStoppedAfter(results))
          throw fail(`was reported while open and led to ${results.length} results`);
      } else {
        const other = events.find(({ type }) => type !== "cost.recorded");
        if (other !== undefined) throw fail(`was reported after its end and led to ${other.type}`);
      }
    },
  };
}

/** The attempt left its node waiting, and in the same turn the run halted or a race was lost: that is no second result. */
function isStoppedAfter(results: readonly RunEvent[]): boolean {
  const [first, second] = results;
  if (results.length !== 2 || (first?.type !== "node.retried" && first?.type !== "node.blocked")) return false;
  // The agent that is to try again waits for an answer about a call first.
  if (first.type === "node.retried" && second?.type === "node.blocked")
    return second.payload.waitingReason === "human_input";
  if (second?.type === "node.failed") return second.payload.errorCode === "upstream_failure";
  if (second?.type === "node.skipped") return second.payload.reason === "race_lost";
  return second?.type === "node.cancelled";
}

/** E5. A finished run emits nothing but cost until it is reopened, and the end is the last of its commit. */
export function finishedIsQuiet(): Checker {
  return {
    id: "E5",
    beforeEvent({ facts, event, turn }: Seen): void {
      if (!facts.hasEnded || event.type === "cost.recorded") return;
      const { type } = turn.input;
      if (event.type === "run.status.changed" && (type === "rewind" || type === "recover")) return;
      throw new Violation("E5", facts.runId, `${event.type} after the run has ${facts.status}`);
    },
    afterTurn(facts, turn): void {
      if (!facts.hasEnded || turn.events.length === 0) return;
      const busy = turn.effects.find(({ type }) => type === "dispatch" || type === "start-child");
      if (busy !== undefined) throw new Violation("E5", facts.runId, `${busy.type} by a run that has ${facts.status}`);
    },
  };
}

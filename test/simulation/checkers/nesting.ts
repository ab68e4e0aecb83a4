import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../../../src/core/base/index.ts";
import { leafOutputs, type SimRun } from "../world/run.ts";
import { type Checker, type Seen, type Surroundings, Violation } from "./checker.ts";

const ENDS: ReadonlySet<string> = new Set(["run.completed", "run.failed", "run.cancelled", "run.timed_out"]);

/** What a block hands on is what its step returns; of `choose`, with the branch that was taken. */
export function blocksHandOn({ runs }: Surroundings): Checker {
  return {
    id: "block",
    beforeEvent({ facts, node, event }: Seen): void {
      if (event.type !== "node.completed" || node === undefined || event.payload.carried === true) return;
      const { kind, choose } = node.plan;
      if ((kind !== "block" && kind !== "choose") || node.instances.length > 0 || node.openAttempt === 0) return;
      const child = newestChild(runs, facts.runId, node.id, node.attempts);
      const fail = (message: string) => new Violation("block", facts.runId, `${node.id} ${message}`);
      if (child === undefined) throw fail("completed without a run of its block");
      if (!child.facts.hasEnded) throw fail("completed before its block ended");
      const branch = choose?.find(({ block }) => block === child.start.block);
      const given: JsonObject = leafOutputs(child);
      const expected = branch === undefined ? given : { ...given, branch: branch.name };
      const isEnded = child.log.some(({ type, payload }) => type === "run.ending" && payload.isOfOwner === true);
      if (isEnded) return;
      if (!isDeepStrictEqual(expected, event.payload.outputs)) throw fail("does not return what its block hands on");
    },
  };
}

function newestChild(runs: Surroundings["runs"], runId: string, nodeId: string, attempt: number): SimRun | undefined {
  return [...runs.values()].findLast(
    ({ parent }) => parent?.run.facts.runId === runId && parent.nodeId === nodeId && parent.attempt === attempt,
  );
}

/** A step of a block that ends the run ends the run the block belongs to. */
export function blocksEndTheirRun({ runs }: Surroundings): Checker {
  return {
    id: "block-end",
    afterTurn(facts, { input, events }): void {
      if (input.type !== "child_finished" || input.ends === undefined) return;
      const finished = events.findIndex(({ type }) => type === "child.finished");
      const settled = events.find(
        ({ type, payload }) => type.startsWith("node.") && "nodeId" in payload && payload.nodeId === input.nodeId,
      );
      const isEnding = facts.ending !== null || facts.hasEnded || events.some(({ type }) => type === "run.ending");
      if (finished < 0 || settled === undefined || isEnding) return;
      throw new Violation("block-end", facts.runId, `its block ended it as ${input.ends.as}, and it continues`);
    },
    quiet(all): void {
      for (const { start, facts, parent } of all) {
        if (start.block === undefined || parent === null) continue;
        const ended = parent.run.facts.hasEnded && !facts.hasEnded && runs.has(facts.runId);
        if (ended) throw new Violation("block-end", facts.runId, "outlives the run it belongs to");
      }
    },
  };
}

/** What comes last comes once before each end, after all nodes, and only a failure of it changes the end. */
export function finallyComesLast({ runs }: Surroundings): Checker {
  const begun = new Map<string, { readonly as: string; ended: string | null }>();
  return {
    id: "finally",
    beforeEvent({ facts, event }: Seen): void {
      const { runId } = facts;
      const fail = (message: string) => new Violation("finally", runId, `${event.type}: ${message}`);
      if (event.type === "run.finally") {
        if (begun.has(runId)) throw fail("a second one for one end");
        const open = [...facts.nodes.values()].find(
          ({ owner, status }) =>
            owner === null && !["completed", "failed", "skipped", "cancelled", "timed_out"].includes(status),
        );
        if (open !== undefined) throw fail(`${open.id} is ${open.status}`);
        begun.set(runId, { as: event.payload.as, ended: null });
      }
      if (event.type === "run.rewound") begun.delete(runId);
      if (event.type === "run.finally.ended" && begun.has(runId)) {
        const status = runs.get(event.payload.childRunId)?.facts.status;
        const hasFailed = status === "failed" || status === "timed_out";
        if (hasFailed && event.payload.errorCode === undefined) throw fail(`it ended ${status}, which is not said`);
        const before = begun.get(runId);
        if (before !== undefined) before.ended = event.payload.errorCode ?? "";
      }
      if (!ENDS.has(event.type) || facts.workflow.plan.finally === null || facts.status === "queued") return;
      const last = begun.get(runId);
      begun.delete(runId);
      if (last === undefined || last.ended === null) throw fail("without what comes last");
      const isTurned = last.as === "completed" && last.ended !== "";
      const expected = `run.${isTurned ? "failed" : last.as}`;
      if (event.type !== expected) throw fail(`it was to end as ${expected}`);
    },
  };
}

/** A recover continues the block that was broken off; a retry and a rewind begin it anew. */
export function blocksAreContinued(): Checker {
  const newest = new Map<string, { readonly runId: string; readonly block: string; readonly epoch: number }>();
  const isRecovered = new Map<string, boolean>();
  return {
    id: "block-carry",
    beforeEvent({ facts, node, event }: Seen): void {
      if (event.type === "run.rewound") isRecovered.set(facts.runId, false);
      if (event.type === "run.status.changed" && event.payload.reason === "recover") isRecovered.set(facts.runId, true);
      if (event.type !== "child.started" || event.payload.block === undefined || node === undefined) return;
      const { childRunId: runId, block, sourceRunId } = event.payload;
      const key = `${facts.runId}/${node.id}`;
      const before = newest.get(key);
      newest.set(key, { runId, block, epoch: facts.epoch });
      // The first of a run may continue one of the run it was started from.
      if (before === undefined) return;
      const isOpen = isRecovered.get(facts.runId) === true && before.epoch < facts.epoch && node.tries <= 1;
      const wanted = isOpen && before.block === block ? before.runId : undefined;
      if (sourceRunId === wanted) return;
      const message = `the block of ${node.id} continues ${sourceRunId ?? "nothing"} and not ${wanted ?? "nothing"}`;
      throw new Violation("block-carry", facts.runId, message);
    },
  };
}

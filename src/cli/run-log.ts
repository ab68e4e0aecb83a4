import { isRunEnding, type RunEvent } from "../core/event/index.ts";
import type { Runtime } from "../driver/index.ts";
import type { Log } from "./log.ts";

/** Logs the progress of runs for operators. Texts of authors, models and people are only in the log of the run, not here. */
export function logRuns(runtime: Pick<Runtime, "onCommitted">, log: Log): () => void {
  return runtime.onCommitted((runId, events, owner) => {
    for (const event of events) logEvent(log, event, { runId, orgId: owner.orgId, traceId: owner.traceId });
  });
}

type Place = Readonly<Record<"runId" | "orgId" | "traceId", string | undefined>>;

function logEvent(log: Log, event: RunEvent, run: Place): void {
  // A block is a part of a run and does not count as a run.
  const isRun = !("block" in event.payload);
  const place = "nodeId" in event.payload ? { ...run, nodeId: event.payload.nodeId } : run;
  switch (event.type) {
    case "run.started": {
      const { workflow, version, trigger } = event.payload;
      if (isRun) log.info(event.type, { ...place, workflow, version: version ?? undefined, trigger });
      return;
    }
    case "node.retried": {
      const { errorCode, nextAttempt, delayMs, cause } = event.payload;
      return log.warn(event.type, { ...place, errorCode, cause, nextAttempt, delayMs });
    }
    case "node.failed":
    case "node.timed_out":
      return log.warn(event.type, { ...place, errorCode: event.payload.errorCode });
    case "node.blocked":
      return log.info(event.type, { ...place, waitingReason: event.payload.waitingReason });
    default:
      if (!isRunEnding(event)) return log.debug(event.type, place);
      if (!isRun) return;
      return event.type === "run.completed" ? log.info(event.type, place) : log.warn(event.type, place);
  }
}

import { compareCodeUnits, invariant } from "../core/base/index.ts";
import { type Timer, timerKey } from "../core/engine/index.ts";
import { attemptKey } from "../core/event/index.ts";
import type { OpenAttempt, RunCommit } from "./store.ts";
import type { NodeWait } from "./waiting-store.ts";
import { UnstorableText } from "./store-error.ts";

/** Checks that every store makes on a batch before it writes anything. */
export function checkBatch(batch: readonly RunCommit[]): void {
  invariant(new Set(batch.map(({ runId }) => runId)).size === batch.length, "a run has one share of a commit");
  for (const commit of batch) {
    invariant((commit.create !== null) === (commit.expectedVersion === 0), `${commit.runId}: version 0 means create`);
    checkEventIds(commit);
    checkTexts(commit);
  }
}

/** Ids and names are written to columns unchanged. Everything else is kept as JSON, which escapes characters a column rejects. */
function checkTexts({ runId, orgId, opened, closed, waits, create }: RunCommit): void {
  checkText("a run id", runId);
  checkText(`the organisation of ${runId}`, orgId);
  for (const { nodeId, replicaId } of opened) {
    checkText(`a node id of ${runId}`, nodeId);
    checkText(`a replica id of ${runId}`, replicaId);
  }
  for (const { nodeId } of closed) checkText(`a node id of ${runId}`, nodeId);
  for (const { nodeId, queue } of waits) {
    checkText(`a node id of ${runId}`, nodeId);
    checkText(`a queue of ${runId}`, queue);
  }
  if (create === null) return;
  for (const [name, value] of [...Object.entries(create), ...Object.entries(create.idempotency ?? {})]) {
    if (typeof value === "string") checkText(`${name} of ${runId}`, value);
  }
}

function checkEventIds({ runId, events, head, create }: RunCommit): void {
  const first = firstEventId(events, head.lastEventId);
  invariant(create === null || first === 1, `${runId}: the log begins with event 1`);
  const isContiguous = events.every(({ eventId }, index) => eventId === first + index);
  invariant(isContiguous && first + events.length - 1 === head.lastEventId, `${runId}: event ids have a gap`);
}

/** Returns the id of the first event of a commit: the next one after the log as it was before the commit. */
export function firstEventId(events: readonly { readonly eventId: number }[], lastEventId: number): number {
  return events[0]?.eventId ?? lastEventId + 1;
}

function checkText(place: string, text: string): void {
  if (text.includes("\0") || /\p{Surrogate}/u.test(text)) throw new UnstorableText(place);
}

/** Returns the timer for the deadline of a node that waits at a gate. */
export function queueTimer({ nodeId, since }: Pick<NodeWait, "nodeId" | "since">): Timer {
  return { kind: "queue", nodeId, limitedSince: since };
}

/** Returns the attempts still open after a commit. An attempt that is opened and closed in one commit is closed. */
export function attemptsLeftOpen({ opened, closed }: RunCommit): readonly OpenAttempt[] {
  if (opened.length === 0 || (opened.length === 1 && closed.length === 0)) return opened;
  const gone = new Set(closed.map(attemptKey));
  const left = new Map(opened.map((attempt) => [attemptKey(attempt), attempt]));
  return [...left].filter(([key]) => !gone.has(key)).map(([, attempt]) => attempt);
}

/** Returns the timers a commit sets and clears. A timer that is cleared and set in one commit is set: it was due, and becomes due again. */
export function timersOf({ timersSet, timersCleared }: RunCommit): {
  readonly set: ReadonlyMap<string, { readonly timer: Timer; readonly dueAt: number }>;
  readonly cleared: readonly string[];
} {
  const set = new Map(timersSet.map((one) => [timerKey(one.timer), one]));
  return { set, cleared: timersCleared.map(timerKey).filter((key) => !set.has(key)) };
}

/** Returns the commits by run id, the order in which the rows of the runs are locked. */
export function inLockOrder(batch: readonly RunCommit[]): readonly RunCommit[] {
  return [...batch].sort((left, right) => compareCodeUnits(left.runId, right.runId));
}

/** One attempt of a node. */
export interface AttemptKey {
  readonly nodeId: string;
  readonly attempt: number;
}

export interface AttemptAddress extends AttemptKey {
  readonly runId: string;
  /** The execution of the attempt, when a turn was suspended or lost. Absent for the first. */
  readonly segment?: number;
}

/** Returns the key of an attempt within its run. */
export function attemptKey({ nodeId, attempt }: AttemptKey): string {
  return `${nodeId}/${attempt}`;
}

/** Returns the unique id of an execution: run/node/attempt, plus `#` and its number unless it is the first. */
export function dispatchIdOf({ runId, nodeId, attempt, segment = 0 }: AttemptAddress): string {
  return `${runId}/${nodeId}/${attempt}${segment === 0 ? "" : `#${segment}`}`;
}

/** Parses a dispatch id. Undefined when no dispatch can have such an id. Run ids contain no slash. */
export function readDispatchId(dispatchId: string): AttemptAddress | undefined {
  const first = dispatchId.indexOf("/");
  const last = dispatchId.lastIndexOf("/");
  const [, attempt, segment] = /^([1-9]\d{0,8})(?:#([1-9]\d{0,8}))?$/.exec(dispatchId.slice(last + 1)) ?? [];
  if (first < 1 || last <= first + 1 || attempt === undefined) return undefined;
  const address = {
    runId: dispatchId.slice(0, first),
    nodeId: dispatchId.slice(first + 1, last),
    attempt: Number(attempt),
  };
  return segment === undefined ? address : { ...address, segment: Number(segment) };
}

const PLACE = /^\d{1,9}\/\d{1,9}$/u;

/** Checks whether the id can belong to a call of this turn: the key of the turn, then round and position, each counted from 0. */
export function isCallIdOf(idempotencyKey: string, callId: string): boolean {
  return callId.startsWith(`${idempotencyKey}/`) && PLACE.test(callId.slice(idempotencyKey.length + 1));
}

/** One attempt of a node. */
export interface AttemptKey {
  readonly nodeId: string;
  readonly attempt: number;
}

export interface AttemptAddress extends AttemptKey {
  readonly runId: string;
  /** Which execution of the attempt, where a turn was suspended or lost; absent: the first. */
  readonly segment?: number;
}

/** Names an attempt within its run. */
export function attemptKey({ nodeId, attempt }: AttemptKey): string {
  return `${nodeId}/${attempt}`;
}

/** Names an execution of an attempt everywhere: run/node/attempt, and `#` with its number if it is not the first. */
export function dispatchIdOf({ runId, nodeId, attempt, segment = 0 }: AttemptAddress): string {
  return `${runId}/${nodeId}/${attempt}${segment === 0 ? "" : `#${segment}`}`;
}

/** Undefined: nothing was ever dispatched by such an id. Run ids hold no slash. */
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

/** Whether it can be the id of a call of this turn: its round and position, each counted from 0, after the key of the turn. */
export function isCallIdOf(idempotencyKey: string, callId: string): boolean {
  return callId.startsWith(`${idempotencyKey}/`) && PLACE.test(callId.slice(idempotencyKey.length + 1));
}

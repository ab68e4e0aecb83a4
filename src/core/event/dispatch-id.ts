/** One attempt of a node. */
export interface AttemptKey {
  readonly nodeId: string;
  readonly attempt: number;
}

export interface AttemptAddress extends AttemptKey {
  readonly runId: string;
}

/** Names an attempt within its run. */
export function attemptKey({ nodeId, attempt }: AttemptKey): string {
  return `${nodeId}/${attempt}`;
}

/** Names an attempt everywhere: run/node/attempt. Run ids hold no slash. */
export function dispatchIdOf({ runId, nodeId, attempt }: AttemptAddress): string {
  return `${runId}/${nodeId}/${attempt}`;
}

/** Undefined: nothing was ever dispatched by such an id. */
export function readDispatchId(dispatchId: string): AttemptAddress | undefined {
  const first = dispatchId.indexOf("/");
  const last = dispatchId.lastIndexOf("/");
  const attempt = dispatchId.slice(last + 1);
  if (first < 1 || last <= first + 1 || !/^[1-9]\d{0,8}$/.test(attempt)) return undefined;
  return { runId: dispatchId.slice(0, first), nodeId: dispatchId.slice(first + 1, last), attempt: Number(attempt) };
}

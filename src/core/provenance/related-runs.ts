import { getOwn, type Json, sameJson, type TreePath } from "../base/index.ts";
import type { ArgOrigin, RunLog } from "./log.ts";
import { isRelated, readPath } from "./path.ts";
import type { Input, NodeHistory, RunHistory } from "./run-history.ts";
import { readRun } from "./read-run.ts";

/** Related runs: parents, children, and runs that were restarted, branched or fed from one another. */
export interface RelatedRuns {
  readonly runs: ReadonlyMap<string, RunHistory>;
  /** Runs that kept results of another run, by the id of that run. */
  readonly derivedRuns: ReadonlyMap<string, readonly RunHistory[]>;
  /** Runs that took an arg from an output of another run, by the id of that run. */
  readonly argTransfers: ReadonlyMap<string, readonly ArgTransfer[]>;
}

export interface ArgTransfer {
  readonly run: RunHistory;
  readonly arg: string;
  readonly origin: ArgOrigin;
}

export function readRelatedRuns(logs: Iterable<RunLog>): RelatedRuns {
  const runs = new Map<string, RunHistory>();
  for (const log of logs) runs.set(log.runId, readRun(log));
  const derivedRuns = new Map<string, RunHistory[]>();
  const argTransfers = new Map<string, ArgTransfer[]>();
  for (const run of runs.values()) {
    if (typeof run.start?.sourceRunId === "string") push(derivedRuns, run.start.sourceRunId, run);
    for (const [arg, origin] of run.start?.origins ?? []) push(argTransfers, origin.runId, { run, arg, origin });
  }
  return { runs, derivedRuns, argTransfers };
}

function push<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** Returns the history of a node at a moment: the last one with a result before it, else the last one. */
export function historyAt(
  run: RunHistory,
  nodeId: string,
  until: { readonly eventId?: number; readonly at?: number } = {},
): NodeHistory | undefined {
  const { eventId = Infinity, at = Infinity } = until;
  const histories = run.nodes.get(nodeId)?.histories ?? [];
  return (
    histories.findLast(({ result }) => result !== null && result.eventId < eventId && result.at <= at) ??
    histories.at(-1)
  );
}

/** Returns the history whose result another run kept: the newest that had this result when that run began. */
export function inheritedHistory(
  source: RunHistory,
  derived: RunHistory,
  history: NodeHistory,
): NodeHistory | undefined {
  const at = derived.start?.at ?? Infinity;
  const kept = history.result?.outputs ?? {};
  const histories = source.nodes.get(history.nodeId)?.histories ?? [];
  const same = histories.findLast(
    ({ result }) => result !== null && result.at <= at && sameJson(result.outputs as Json, kept as Json),
  );
  return same ?? historyAt(source, history.nodeId, { at });
}

/** The source of an arg outside its run. */
export interface ArgSource {
  readonly runId: string;
  readonly nodeId: string | null;
  readonly path: string;
  /** The part of the arg that received the value. */
  readonly target: string;
  readonly transform: string | null;
  readonly history: NodeHistory | undefined;
}

/**
 * Returns the sources of an arg: the output it was explicitly taken from, the values that the parent's node passed to its
 * child, or the same arg of the run that this one was started from. Null when the log with the answer is missing.
 */
export function argSources({ runs }: RelatedRuns, run: RunHistory, arg: string): readonly ArgSource[] | null {
  const { start } = run;
  if (start === null) return [];
  const target = `args.${arg}`;
  const origin = start.origins.get(arg);
  if (origin !== undefined) {
    const source = runs.get(origin.runId);
    if (source === undefined) return null;
    const history = historyAt(source, origin.nodeId, { at: start.at });
    return [{ runId: origin.runId, nodeId: origin.nodeId, path: origin.output, target, transform: null, history }];
  }
  if (start.parentRunId !== null) {
    const parent = runs.get(start.parentRunId);
    return parent === undefined ? null : handedToChild(parent, run.runId, arg);
  }
  if (start.sourceRunId === null) return [];
  const source = runs.get(start.sourceRunId);
  if (source === undefined) return null;
  const before = getOwn(source.start?.args ?? {}, arg);
  const now = getOwn(start.args, arg);
  if (before === undefined || now === undefined || !sameJson(before, now)) return [];
  return [{ runId: source.runId, nodeId: null, path: target, target, transform: "carried", history: undefined }];
}

function handedToChild(parent: RunHistory, childRunId: string, arg: string): readonly ArgSource[] {
  const caller = parent.callers.get(childRunId);
  return (caller?.inputs ?? []).flatMap((input) => {
    const target = argOf(input);
    if (target === null || !isRelated(readPath(target), ["args", arg])) return [];
    const { sourceNodeId, sourceOutputPath: path, transform } = input;
    return [
      {
        runId: input.sourceRunId,
        nodeId: sourceNodeId,
        path,
        target,
        transform,
        history: sourceHistory(parent, input),
      },
    ];
  });
}

/** Maps `with.x` of a node that starts a child run to `args.x` of the child run. */
export function argOf({ targetInputPath }: Input): string | null {
  return targetInputPath.startsWith("with.") ? `args.${targetInputPath.slice("with.".length)}` : null;
}

/** Returns the history of the node from which an input was read. */
export function sourceHistory(run: RunHistory, { sourceNodeId, eventId }: Input): NodeHistory | undefined {
  return sourceNodeId === null ? undefined : historyAt(run, sourceNodeId, { eventId });
}

/** Returns the child run that produced the result of a node. Null when no child run did. */
export function childOf({ result, attempts }: NodeHistory): string | null {
  if (result === null) return null;
  return attempts.find(({ attempt }) => attempt === result.attempt)?.childRunId ?? null;
}

/** Returns the leaves of a child run that are part of a node's result, at or below a path inside it. */
export function leavesIn({ result }: NodeHistory, child: RunHistory | undefined, inside: TreePath): readonly string[] {
  const [head] = inside;
  const keys = Object.keys(result?.outputs ?? {}).filter((key) => child === undefined || child.nodes.has(key));
  return head === undefined ? keys : keys.filter((key) => key === head);
}

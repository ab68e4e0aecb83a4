/** Single steps of a lineage: from a value to the values it was made from, or to the values made from it. */
import { formatPath, type TreePath } from "../base/index.ts";
import {
  argOf,
  argSources,
  childOf,
  type RelatedRuns,
  inheritedHistory,
  leavesIn,
  historyAt,
  sourceHistory,
} from "./related-runs.ts";
import { insideOutputs, isRelated, outputPath, readPath } from "./path.ts";
import { type Input, isUsed, type NodeHistory, type RunHistory, type Use } from "./run-history.ts";

/** A value of one history of a node. A null node means an arg. */
export interface Place {
  readonly runId: string;
  readonly nodeId: string | null;
  readonly path: string;
  readonly history: NodeHistory | undefined;
}

export interface Step {
  readonly place: Place;
  readonly input: string;
  readonly transform: string | null;
}

/** Returns the values from which a value was made. Null when the log with the answer is missing. */
export function stepsUp(related: RelatedRuns, place: Place): readonly Step[] | null {
  const run = related.runs.get(place.runId);
  if (run === undefined) return null;
  if (place.nodeId === null) return fromOutside(related, run, readPath(place.path));
  const { history } = place;
  if (history === undefined) return [];
  if (typeof history.result?.by === "string") return [];
  if (history.result?.isCarried === true) return fromSource(related, run, history, place.path);
  if (history.instanceIds !== null) return fromInstances(run, history, insideOutputs(place.path));
  const childRunId = childOf(history);
  if (childRunId !== null) return fromLeaves(related, childRunId, history, insideOutputs(place.path));
  return isUsed(history) ? history.inputs.map((input) => stepOf(run, input)) : [];
}

function stepOf(run: RunHistory, input: Input): Step {
  const { sourceRunId: runId, sourceNodeId: nodeId, sourceOutputPath: path, targetInputPath, transform } = input;
  return { place: { runId, nodeId, path, history: sourceHistory(run, input) }, input: targetInputPath, transform };
}

/** Returns the sources of an arg, or of all args, outside the run. */
function fromOutside(related: RelatedRuns, run: RunHistory, path: TreePath): readonly Step[] | null {
  const [, named, ...rest] = path;
  if (named === undefined) {
    const names = Object.keys(run.start?.args ?? {});
    const { runId } = run;
    return names.map((name) => {
      const arg = formatPath(["args", name]);
      return { place: { runId, nodeId: null, path: arg, history: undefined }, input: arg, transform: null };
    });
  }
  const sources = argSources(related, run, String(named));
  if (sources === null) return null;
  return sources
    .filter(({ target }) => isRelated(readPath(target), path))
    .map(({ runId, nodeId, path: from, target, transform, history }) => {
      // A value that was passed unchanged keeps its inner paths.
      const deeper = readPath(target).length === 2 ? formatPath([...readPath(from), ...rest]) : from;
      return { place: { runId, nodeId, path: deeper, history }, input: target, transform };
    });
}

function fromSource(related: RelatedRuns, run: RunHistory, history: NodeHistory, path: string): readonly Step[] | null {
  const source = related.runs.get(run.start?.sourceRunId ?? "");
  if (source === undefined) return null;
  const { nodeId } = history;
  const place = { runId: source.runId, nodeId, path, history: inheritedHistory(source, run, history) };
  return [{ place, input: path, transform: "carried" }];
}

/** An element of a result list comes from its instance, the count from the inputs of the node, anything else from both. */
function fromInstances(run: RunHistory, history: NodeHistory, inside: TreePath): readonly Step[] {
  const [head, element, ...rest] = inside;
  const isOne = head === "items" && typeof element === "number";
  if (head === "count") return history.inputs.map((input) => stepOf(run, input));
  const steps = (history.instanceIds ?? []).flatMap((nodeId, index): readonly Step[] => {
    const instance = historyAt(run, nodeId, { eventId: history.result?.eventId ?? Infinity });
    if ((isOne && index !== element) || instance === undefined) return [];
    const place = { runId: run.runId, nodeId, path: outputPath(isOne ? rest : []), history: instance };
    return [{ place, input: formatPath(["items", index]), transform: "collect" }];
  });
  return isOne ? steps : [...steps, ...history.inputs.map((input) => stepOf(run, input))];
}

function fromLeaves(
  { runs }: RelatedRuns,
  childRunId: string,
  history: NodeHistory,
  inside: TreePath,
): readonly Step[] | null {
  const child = runs.get(childRunId);
  if (child === undefined) return null;
  return leavesIn(history, child, inside).map((leaf) => {
    const path = outputPath(inside.slice(1));
    const place = { runId: childRunId, nodeId: leaf, path, history: historyAt(child, leaf) };
    return { place, input: formatPath(["outputs", leaf]), transform: "child" };
  });
}

/** Returns the values made from a value. Null when a log with the answer is missing. */
export function stepsDown(related: RelatedRuns, place: Place): readonly Step[] | null {
  const run = related.runs.get(place.runId);
  if (run === undefined) return null;
  return [
    ...intoNodes(related, run, place),
    ...intoList(run, place),
    ...intoParent(related, run, place),
    ...intoDerivedRuns(related, run, place),
    ...intoArgs(related, place),
  ];
}

function intoNodes(related: RelatedRuns, run: RunHistory, { nodeId, path, history }: Place): readonly Step[] {
  const uses = run.uses.get(nodeId ?? "") ?? [];
  const inside = nodeId === null ? readPath(path) : insideOutputs(path);
  return uses.flatMap((use): readonly Step[] => {
    const { sourceNodeId, sourceOutputPath } = use.input;
    const isTaken = isRelated(
      sourceNodeId === null ? readPath(sourceOutputPath) : insideOutputs(sourceOutputPath),
      inside,
    );
    return isTaken && sourceHistory(run, use.input) === history ? afterUse(related, run, use) : [];
  });
}

/** A value passed to a child run becomes an arg there, and the lineage continues in the child run. */
function afterUse({ runs }: RelatedRuns, { runId }: RunHistory, { history, input }: Use): readonly Step[] {
  const { targetInputPath, transform } = input;
  const arg = argOf(input);
  const children = history.attempts.flatMap(({ childRunId }) => (childRunId === null ? [] : [childRunId]));
  if (arg !== null && children.length > 0 && children.every((child) => runs.has(child))) {
    return children.map((child) => ({
      place: { runId: child, nodeId: null, path: arg, history: undefined },
      input: targetInputPath,
      transform,
    }));
  }
  // Only the number of elements matters here: each element has its own path through its instance.
  const path = history.instanceIds === null ? "outputs" : outputPath(["count"]);
  return [{ place: { runId, nodeId: history.nodeId, path, history }, input: targetInputPath, transform }];
}

function intoList(run: RunHistory, { nodeId, path }: Place): readonly Step[] {
  const [, listId, element] = /^(.+)\[(\d+)\]$/.exec(nodeId ?? "") ?? [];
  const list = listId === undefined ? undefined : historyAt(run, listId);
  if (listId === undefined || list === undefined || list.instanceIds?.includes(nodeId ?? "") !== true) return [];
  const input = formatPath(["items", Number(element)]);
  const place = {
    runId: run.runId,
    nodeId: listId,
    path: outputPath(["items", Number(element), ...insideOutputs(path)]),
    history: list,
  };
  return [{ place, input, transform: "collect" }];
}

function intoParent({ runs }: RelatedRuns, run: RunHistory, { nodeId, path }: Place): readonly Step[] {
  const parent = runs.get(run.start?.parentRunId ?? "");
  const history = parent?.callers.get(run.runId);
  if (parent === undefined || history === undefined || nodeId === null || childOf(history) !== run.runId) return [];
  if (!leavesIn(history, run, []).includes(nodeId)) return [];
  const inside = [nodeId, ...insideOutputs(path)];
  const place = { runId: parent.runId, nodeId: history.nodeId, path: outputPath(inside), history };
  return [{ place, input: outputPath([nodeId]), transform: "child" }];
}

function intoDerivedRuns(related: RelatedRuns, run: RunHistory, { nodeId, path, history }: Place): readonly Step[] {
  return (related.derivedRuns.get(run.runId) ?? []).flatMap((derived): readonly Step[] => {
    if (nodeId === null) return argKept(related, derived, path);
    const kept = derived.nodes
      .get(nodeId)
      ?.histories.find(({ result }) => result?.isCarried === true && result.by === null);
    if (kept === undefined || inheritedHistory(run, derived, kept) !== history) return [];
    return [{ place: { runId: derived.runId, nodeId, path, history: kept }, input: path, transform: "carried" }];
  });
}

function argKept(related: RelatedRuns, derived: RunHistory, path: string): readonly Step[] {
  const [, name] = readPath(path);
  const sources = name === undefined ? [] : (argSources(related, derived, String(name)) ?? []);
  const isKept = sources.some(({ transform }) => transform === "carried");
  const place = { runId: derived.runId, nodeId: null, path, history: undefined };
  return isKept ? [{ place, input: path, transform: "carried" }] : [];
}

function intoArgs(related: RelatedRuns, { runId, nodeId, path }: Place): readonly Step[] {
  return (related.argTransfers.get(runId) ?? []).flatMap(({ run, arg, origin }): readonly Step[] => {
    const isTaken = origin.nodeId === nodeId && isRelated(insideOutputs(origin.output), insideOutputs(path));
    const place = { runId: run.runId, nodeId: null, path: formatPath(["args", arg]), history: undefined };
    return isTaken ? [{ place, input: place.path, transform: null }] : [];
  });
}

/** Single steps of a lineage: from a value to the values it was made from, or to the values made from it. */
import { formatPath, type TreePath } from "../base/index.ts";
import { argOf, argSources, childOf, type Family, inheritedLife, leavesIn, lifeAt, sourceLife } from "./family.ts";
import { insideOutputs, isRelated, outputPath, readPath } from "./path.ts";
import { type Input, isUsed, type Life, type RunHistory, type Use } from "./run-history.ts";

/** A value of one life of a node. A null node means an arg. */
export interface Place {
  readonly runId: string;
  readonly nodeId: string | null;
  readonly path: string;
  readonly life: Life | undefined;
}

export interface Step {
  readonly place: Place;
  readonly input: string;
  readonly transform: string | null;
}

/** Returns the values from which a value was made. Null when the log with the answer is missing. */
export function stepsUp(family: Family, place: Place): readonly Step[] | null {
  const run = family.runs.get(place.runId);
  if (run === undefined) return null;
  if (place.nodeId === null) return fromOutside(family, run, readPath(place.path));
  const { life } = place;
  if (life === undefined) return [];
  if (typeof life.result?.by === "string") return [];
  if (life.result?.isCarried === true) return fromSource(family, run, life, place.path);
  if (life.instanceIds !== null) return fromInstances(run, life, insideOutputs(place.path));
  const childRunId = childOf(life);
  if (childRunId !== null) return fromLeaves(family, childRunId, life, insideOutputs(place.path));
  return isUsed(life) ? life.inputs.map((input) => stepOf(run, input)) : [];
}

function stepOf(run: RunHistory, input: Input): Step {
  const { sourceRunId: runId, sourceNodeId: nodeId, sourceOutputPath: path, targetInputPath, transform } = input;
  return { place: { runId, nodeId, path, life: sourceLife(run, input) }, input: targetInputPath, transform };
}

/** Returns the sources of an arg, or of all args, outside the run. */
function fromOutside(family: Family, run: RunHistory, path: TreePath): readonly Step[] | null {
  const [, named, ...rest] = path;
  if (named === undefined) {
    const names = Object.keys(run.start?.args ?? {});
    const { runId } = run;
    return names.map((name) => {
      const arg = formatPath(["args", name]);
      return { place: { runId, nodeId: null, path: arg, life: undefined }, input: arg, transform: null };
    });
  }
  const sources = argSources(family, run, String(named));
  if (sources === null) return null;
  return sources
    .filter(({ target }) => isRelated(readPath(target), path))
    .map(({ runId, nodeId, path: from, target, transform, life }) => {
      // A value that was passed unchanged keeps its inner paths.
      const deeper = readPath(target).length === 2 ? formatPath([...readPath(from), ...rest]) : from;
      return { place: { runId, nodeId, path: deeper, life }, input: target, transform };
    });
}

function fromSource(family: Family, run: RunHistory, life: Life, path: string): readonly Step[] | null {
  const source = family.runs.get(run.start?.sourceRunId ?? "");
  if (source === undefined) return null;
  const { nodeId } = life;
  const place = { runId: source.runId, nodeId, path, life: inheritedLife(source, run, life) };
  return [{ place, input: path, transform: "carried" }];
}

/** An element of a result list comes from its instance, the count from the inputs of the node, anything else from both. */
function fromInstances(run: RunHistory, life: Life, inside: TreePath): readonly Step[] {
  const [head, element, ...rest] = inside;
  const isOne = head === "items" && typeof element === "number";
  if (head === "count") return life.inputs.map((input) => stepOf(run, input));
  const steps = (life.instanceIds ?? []).flatMap((nodeId, index): readonly Step[] => {
    const instance = lifeAt(run, nodeId, { eventId: life.result?.eventId ?? Infinity });
    if ((isOne && index !== element) || instance === undefined) return [];
    const place = { runId: run.runId, nodeId, path: outputPath(isOne ? rest : []), life: instance };
    return [{ place, input: formatPath(["items", index]), transform: "collect" }];
  });
  return isOne ? steps : [...steps, ...life.inputs.map((input) => stepOf(run, input))];
}

function fromLeaves({ runs }: Family, childRunId: string, life: Life, inside: TreePath): readonly Step[] | null {
  const child = runs.get(childRunId);
  if (child === undefined) return null;
  return leavesIn(life, child, inside).map((leaf) => {
    const path = outputPath(inside.slice(1));
    const place = { runId: childRunId, nodeId: leaf, path, life: lifeAt(child, leaf) };
    return { place, input: formatPath(["outputs", leaf]), transform: "child" };
  });
}

/** Returns the values made from a value. Null when a log with the answer is missing. */
export function stepsDown(family: Family, place: Place): readonly Step[] | null {
  const run = family.runs.get(place.runId);
  if (run === undefined) return null;
  return [
    ...intoNodes(family, run, place),
    ...intoList(run, place),
    ...intoParent(family, run, place),
    ...intoHeirs(family, run, place),
    ...intoTakers(family, place),
  ];
}

function intoNodes(family: Family, run: RunHistory, { nodeId, path, life }: Place): readonly Step[] {
  const uses = run.uses.get(nodeId ?? "") ?? [];
  const inside = nodeId === null ? readPath(path) : insideOutputs(path);
  return uses.flatMap((use): readonly Step[] => {
    const { sourceNodeId, sourceOutputPath } = use.input;
    const isTaken = isRelated(
      sourceNodeId === null ? readPath(sourceOutputPath) : insideOutputs(sourceOutputPath),
      inside,
    );
    return isTaken && sourceLife(run, use.input) === life ? afterUse(family, run, use) : [];
  });
}

/** A value passed to a child run becomes an arg there, and the lineage continues in the child run. */
function afterUse({ runs }: Family, { runId }: RunHistory, { life, input }: Use): readonly Step[] {
  const { targetInputPath, transform } = input;
  const arg = argOf(input);
  const children = life.attempts.flatMap(({ childRunId }) => (childRunId === null ? [] : [childRunId]));
  if (arg !== null && children.length > 0 && children.every((child) => runs.has(child))) {
    return children.map((child) => ({
      place: { runId: child, nodeId: null, path: arg, life: undefined },
      input: targetInputPath,
      transform,
    }));
  }
  // Only the number of elements matters here: each element has its own path through its instance.
  const path = life.instanceIds === null ? "outputs" : outputPath(["count"]);
  return [{ place: { runId, nodeId: life.nodeId, path, life }, input: targetInputPath, transform }];
}

function intoList(run: RunHistory, { nodeId, path }: Place): readonly Step[] {
  const [, listId, element] = /^(.+)\[(\d+)\]$/.exec(nodeId ?? "") ?? [];
  const list = listId === undefined ? undefined : lifeAt(run, listId);
  if (listId === undefined || list === undefined || list.instanceIds?.includes(nodeId ?? "") !== true) return [];
  const input = formatPath(["items", Number(element)]);
  const place = {
    runId: run.runId,
    nodeId: listId,
    path: outputPath(["items", Number(element), ...insideOutputs(path)]),
    life: list,
  };
  return [{ place, input, transform: "collect" }];
}

function intoParent({ runs }: Family, run: RunHistory, { nodeId, path }: Place): readonly Step[] {
  const parent = runs.get(run.start?.parentRunId ?? "");
  const life = parent?.callers.get(run.runId);
  if (parent === undefined || life === undefined || nodeId === null || childOf(life) !== run.runId) return [];
  if (!leavesIn(life, run, []).includes(nodeId)) return [];
  const inside = [nodeId, ...insideOutputs(path)];
  const place = { runId: parent.runId, nodeId: life.nodeId, path: outputPath(inside), life };
  return [{ place, input: outputPath([nodeId]), transform: "child" }];
}

function intoHeirs(family: Family, run: RunHistory, { nodeId, path, life }: Place): readonly Step[] {
  return (family.heirs.get(run.runId) ?? []).flatMap((heir): readonly Step[] => {
    if (nodeId === null) return argKept(family, heir, path);
    const kept = heir.nodes.get(nodeId)?.lives.find(({ result }) => result?.isCarried === true && result.by === null);
    if (kept === undefined || inheritedLife(run, heir, kept) !== life) return [];
    return [{ place: { runId: heir.runId, nodeId, path, life: kept }, input: path, transform: "carried" }];
  });
}

function argKept(family: Family, heir: RunHistory, path: string): readonly Step[] {
  const [, name] = readPath(path);
  const sources = name === undefined ? [] : (argSources(family, heir, String(name)) ?? []);
  const isKept = sources.some(({ transform }) => transform === "carried");
  const place = { runId: heir.runId, nodeId: null, path, life: undefined };
  return isKept ? [{ place, input: path, transform: "carried" }] : [];
}

function intoTakers(family: Family, { runId, nodeId, path }: Place): readonly Step[] {
  return (family.takers.get(runId) ?? []).flatMap(({ run, arg, origin }): readonly Step[] => {
    const isTaken = origin.nodeId === nodeId && isRelated(insideOutputs(origin.output), insideOutputs(path));
    const place = { runId: run.runId, nodeId: null, path: formatPath(["args", arg]), life: undefined };
    return isTaken ? [{ place, input: place.path, transform: null }] : [];
  });
}

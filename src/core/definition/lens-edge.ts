import { normaliseLabel } from "../template/index.ts";
import type { LensEdge, MergeStrategy } from "./definition.ts";
import type { DependencyOutcome } from "./dependency.ts";
import type { LensNames } from "./lens-name.ts";
import type { NodeIndex } from "./lens-node.ts";
import type { RawLensEdge } from "./lens-graph-shape.ts";
import type { Report } from "./report.ts";
import type { Located } from "./shape.ts";
import { didYouMean } from "../base/index.ts";

/** Checks the edges and reports their problems. Returns those whose two ends exist. */
export function checkEdges(
  written: readonly Located<RawLensEdge>[],
  nodeIndex: NodeIndex,
  names: LensNames,
  report: Report,
): readonly LensEdge[] {
  const seen = new Set<string>();
  const strategies = new Map<string, MergeStrategy>();
  const outcomes = new Map<string, DependencyOutcome>();
  const edges: LensEdge[] = [];
  for (const edge of written) {
    checkEdgeId(edge, seen, report);
    checkStrategy(edge, strategies, report);
    checkOutcome(edge, outcomes, report);
    names.checkEdge(edge);
    const source = checkEnd(edge, "source_node_id", nodeIndex, report);
    const target = checkEnd(edge, "target_node_id", nodeIndex, report);
    if (source === undefined || target === undefined) continue;
    if (source === target) {
      const message = `The edge leads from "${source}" to itself.`;
      report.problem("self_dependency", [...edge.path, "target_node_id"], message);
      continue;
    }
    checkHandled(edge, source, nodeIndex, report);
    edges.push(edgeOf(edge.read, source, target));
  }
  names.checkLabels(written);
  return edges;
}

function checkEdgeId({ read, path }: Located<RawLensEdge>, seen: Set<string>, report: Report): void {
  if (read.id === undefined) return;
  if (seen.has(read.id)) {
    const message = `Another edge is already called "${read.id}": ids are unique.`;
    report.problem("duplicate_id", [...path, "id"], message, { hint: "Give this one another id." });
  }
  seen.add(read.id);
}

/** Compares normalised labels, as in matching: `My Answer` and `my_answer` are one parameter. */
function checkStrategy(
  { read, path }: Located<RawLensEdge>,
  strategies: Map<string, MergeStrategy>,
  report: Report,
): void {
  const { merge_strategy: strategy, target_node_id: target, target_param_label: label } = read;
  if (strategy === undefined || target === undefined || label === undefined) return;
  const key = `${target}\n${normaliseLabel(label)}`;
  const declared = strategies.get(key);
  if (declared === undefined) {
    strategies.set(key, strategy);
  } else if (declared !== strategy) {
    const message = `"${label}" of "${target}" is joined by ${declared} on an earlier edge and by ${strategy} here.`;
    report.problem("conflicting_merge", [...path, "merge_strategy"], message, { hint: "Declare one strategy." });
  }
}

/** All edges between the same two nodes must require the same outcome. */
function checkOutcome(
  { read, path }: Located<RawLensEdge>,
  outcomes: Map<string, DependencyOutcome>,
  report: Report,
): void {
  const { source_node_id: source, target_node_id: target, on = "success" } = read;
  if (source === undefined || target === undefined) return;
  const key = `${source}\n${target}`;
  const earlier = outcomes.get(key) ?? on;
  outcomes.set(key, earlier);
  if (earlier === on) return;
  const message = `An earlier edge from "${source}" to "${target}" has on: ${earlier}, and this one on: ${on}.`;
  const hint = "Write the same in both; on: settled is success and failure in one.";
  report.problem("bad_handler", [...path, "on"], message, { at: path, hint });
}

function checkHandled(
  { read, path }: Located<RawLensEdge>,
  source: string,
  { endings }: NodeIndex,
  report: Report,
): void {
  const ending = endings.get(source);
  if (read.on !== "failure" || ending === undefined) return;
  const message = `There is never a failure of "${source}" to handle: with "${ending}" it ends the run.`;
  report.problem("bad_handler", [...path, "on"], message, { hint: "Remove one of them, or write on: settled." });
}

function checkEnd(
  { read, path }: Located<RawLensEdge>,
  end: "source_node_id" | "target_node_id",
  nodeIndex: NodeIndex,
  report: Report,
): string | undefined {
  const id = read[end];
  if (id === undefined || nodeIndex.brokenIds.has(id)) return undefined;
  if (nodeIndex.ids.has(id)) return id;
  const hint = (): string | undefined => didYouMean(id, nodeIndex.ids.keys());
  report.problem("orphan_edge", [...path, end], `There is no node "${id}".`, { hint });
  return undefined;
}

function edgeOf(raw: RawLensEdge, source: string, target: string): LensEdge {
  return {
    id: raw.id ?? "",
    source,
    target,
    sourceOutputKey: raw.source_output_key ?? "output",
    targetParamLabel: raw.target_param_label ?? "",
    mergeStrategy: raw.merge_strategy ?? null,
    condition: raw.condition ?? null,
    ...(raw.on === undefined || raw.on === "success" ? {} : { on: raw.on }),
  };
}

import {
  compareCodeUnits,
  didYouMean,
  getOwn,
  isJsonObject,
  type JsonObject,
  required,
  type TreePath,
} from "../base/index.ts";
import { normaliseLabel, parseOverride, type OverrideValue } from "../template/index.ts";
import type { Catalog, LensEdge, LensGraphDefinition, LensNode } from "./definition.ts";
import { headOf } from "./document-shape.ts";
import { checkGraph } from "./graph-check.ts";
import { optionalLabels } from "./lens.ts";
import { checkEdges } from "./lens-edge.ts";
import { LensNames } from "./lens-name.ts";
import { checkRunLabels } from "./label-shape.ts";
import { hasInside, readInside, readLast, readResults } from "./lens-inside.ts";
import { checkNode, ENDINGS, type NodeIndex } from "./lens-node.ts";
import { lensGraphShape, type RawConfig, type RawLensNode } from "./lens-graph-shape.ts";
import { checkChannels } from "./notify.ts";
import { spelledPath } from "./record.ts";
import { checkJoin, checkRace, joinOf } from "./step-outcome.ts";
import type { Report } from "./report.ts";
import { RETRY_DEFAULTS, retryBlock } from "./retry-shape.ts";
import type { Located } from "./shape.ts";

/** Reads a lens graph. The result is a valid definition only if no problem was reported. */
export function readLensGraph(document: JsonObject, catalog: Catalog, report: Report): LensGraphDefinition {
  const raw = lensGraphShape.read(document, [], report) ?? {};
  const written = raw.nodes ?? [];
  checkLabels(raw.root_inputs ?? {}, report);
  const nodeIndex = indexNodes(written, report);
  const workflows = catalog.workflows === null ? null : new Set([...catalog.workflows, raw.name ?? ""]);
  for (const node of written) checkNode(node, { lenses: catalog.lenses, workflows }, report);
  const names = new LensNames(written, raw.root_inputs ?? {}, catalog.lenses, report);
  const edges = checkEdges(raw.edges ?? [], nodeIndex, names, report);
  const overrides = written.map((node) => readOverrides(node));
  const parents = parentsOf(written, overrides, edges, { nodeIndex, names, report });
  const vertices = written.map((node, index) => ({
    id: node.read.id ?? null,
    path: node.path,
    parents: [...(parents[index] ?? [])].map((id) => nodeIndex.ids.get(id) ?? 0),
  }));
  for (const [index, { read }] of written.entries()) {
    if (read.config === undefined) continue;
    checkRace(read.config, report);
    checkRounds(read.config, report);
    checkJoin(read.config.read.join, parents[index]?.size ?? 0, [...read.config.path, "join"], report);
  }
  checkGraph(vertices, ["edges"], report);
  checkRunLabels(raw.labels, raw.root_inputs ?? {}, report);
  checkChannels(raw.notify ?? [], catalog.channels ?? null, report);
  const rootLabels = Object.keys(raw.root_inputs ?? {});
  const around = { name: raw.name ?? "graph", rootLabels, edges, catalog, report };
  return {
    format: "lens-graph/v1",
    ...headOf(raw),
    completion: raw.completion ?? "leaves",
    rootInputs: raw.root_inputs ?? {},
    optionalInputs: optionalLabels(getOwn(document, "root_inputs")),
    nodes: written.map(({ read }, index) => ({
      ...nodeOf(read, overrides[index] ?? {}, parents[index] ?? new Set()),
      ...outcomesOf(read.id, edges),
      ...(hasInside(read) ? { inside: readInside(required(written[index], "a node"), around) } : {}),
    })),
    edges,
    ...lastOf(raw, around),
    ...(raw.outputs === undefined ? {} : { results: readResults(raw.outputs, [...nodeIndex.ids.keys()], around) }),
  };
}

function lastOf(
  { finally: steps, concurrency }: Pick<NonNullable<ReturnType<typeof lensGraphShape.read>>, "finally" | "concurrency">,
  around: Parameters<typeof readLast>[1],
): Pick<LensGraphDefinition, "last"> {
  if (steps === undefined && concurrency === undefined) return {};
  const part = {
    ...(steps === undefined ? {} : { finally: steps }),
    ...(concurrency === undefined ? {} : { concurrency }),
  };
  return { last: readLast(part, around) };
}

/** Labels are matched without regard to case and spaces, so two labels that differ only in these are duplicates. */
function checkLabels(rootInputs: JsonObject | Readonly<Record<string, unknown>>, report: Report): void {
  const seen = new Map<string, string>();
  for (const label of Object.keys(rootInputs)) {
    const key = normaliseLabel(label);
    const earlier = seen.get(key);
    if (earlier !== undefined) {
      const message = `"${label}" and "${earlier}" are the same label.`;
      report.problem("duplicate_id", ["root_inputs", label], message, { isAtKey: true });
    }
    seen.set(key, label);
  }
}

function indexNodes(written: readonly Located<RawLensNode>[], report: Report): NodeIndex {
  const ids = new Map<string, number>();
  const brokenIds = new Set<string>();
  const endings = new Map<string, (typeof ENDINGS)[number]>();
  for (const [index, { read, raw, path }] of written.entries()) {
    const rawId = isJsonObject(raw) ? getOwn(raw, "id") : undefined;
    if (read.id === undefined) {
      if (typeof rawId === "string") brokenIds.add(rawId);
      continue;
    }
    if (ids.has(read.id)) {
      const message = `Another node is already called "${read.id}": ids are unique.`;
      report.problem("duplicate_id", [...path, "id"], message, { hint: "Give this one another id." });
      continue;
    }
    ids.set(read.id, index);
    const ending = ENDINGS.find((key) => read.config?.read[key] !== undefined);
    if (ending !== undefined) endings.set(read.id, ending);
  }
  return { ids, brokenIds, endings };
}

type Overrides = Readonly<Record<string, OverrideValue>>;

function readOverrides({ read }: Located<RawLensNode>): Overrides {
  const entries = Object.entries(read.config?.read.param_overrides ?? {});
  return Object.fromEntries(
    entries.map(([label, value]): [string, OverrideValue] => [
      label,
      typeof value === "string" ? { kind: "text", template: parseOverride(value) } : { kind: "value", value },
    ]),
  );
}

function parentsOf(
  written: readonly Located<RawLensNode>[],
  overrides: readonly Overrides[],
  edges: readonly LensEdge[],
  around: { readonly nodeIndex: NodeIndex; readonly names: LensNames; readonly report: Report },
): readonly ReadonlySet<string>[] {
  const { nodeIndex, names, report } = around;
  const parents = written.map(() => new Set<string>());
  for (const edge of edges) {
    const target = nodeIndex.ids.get(edge.target);
    if (target !== undefined) parents[target]?.add(edge.source);
  }
  for (const [index, node] of written.entries()) {
    for (const [label, value] of Object.entries(overrides[index] ?? {})) {
      if (value.kind !== "text") continue;
      const config = node.read.config;
      const at = [...spelledPath(config?.raw, config?.path ?? node.path, "param_overrides"), label];
      for (const part of value.template.parts) {
        if (typeof part === "string") continue;
        const id = resolveOverride(part, node.read.id, at, nodeIndex, report);
        if (id === undefined) continue;
        parents[index]?.add(id);
        names.checkOutputPath(id, part.path, at, `[[${part.nodeId}.${part.path}]]`);
      }
    }
  }
  return parents;
}

function resolveOverride(
  part: { readonly nodeId: string; readonly path: string },
  ownId: string | undefined,
  at: TreePath,
  nodeIndex: NodeIndex,
  report: Report,
): string | undefined {
  const text = `[[${part.nodeId}.${part.path}]]`;
  if (nodeIndex.brokenIds.has(part.nodeId)) return undefined;
  if (part.nodeId === ownId) {
    report.problem("self_dependency", at, `Node "${ownId}" refers to itself with ${text}.`);
    return undefined;
  }
  if (nodeIndex.ids.has(part.nodeId)) return part.nodeId;
  const hint = (): string | undefined => didYouMean(part.nodeId, nodeIndex.ids.keys());
  report.problem("unknown_step", at, `${text} refers to "${part.nodeId}", which is no node.`, { hint });
  return undefined;
}

function nodeOf(raw: RawLensNode, paramOverrides: Overrides, parents: ReadonlySet<string>): LensNode {
  const config: RawConfig = raw.config?.read ?? {};
  return {
    id: raw.id ?? "",
    lensId: raw.lens_id ?? null,
    versionId: raw.version_id ?? null,
    label: raw.label ?? null,
    ordinal: raw.ordinal ?? null,
    modelId: config.model_id ?? null,
    timeoutMs: config.timeout_ms ?? null,
    onParentFailure: config.on_parent_failure ?? "skip",
    merge: config.merge ?? "last_write_wins",
    moderation: config.moderation ?? "off",
    retry: config.retry === undefined ? RETRY_DEFAULTS : retryBlock(config.retry, RETRY_DEFAULTS.attempts),
    isRetryWritten: config.retry !== undefined,
    paramOverrides,
    templateBody: config.template_body ?? null,
    workflowRef: config.workflow_ref ?? null,
    with: config.with ?? {},
    dependencies: [...parents].sort(compareCodeUnits),
    ...joinOf(config),
    ...repeatOf(config),
  };
}

/** Returns the repeat of a node. An invalid condition has been reported already. */
function repeatOf({ repeat }: RawConfig): Pick<LensNode, "repeat"> {
  return repeat === undefined || repeat.until === null ? {} : { repeat: { ...repeat, until: repeat.until } };
}

/** Returns the outcomes that differ from the default, which is success of all parents. */
function outcomesOf(id: string | undefined, edges: readonly LensEdge[]): Pick<LensNode, "outcomes"> {
  const outcomes = edges.flatMap(({ source, target, on }) =>
    target === id && on !== undefined ? [[source, on] as const] : [],
  );
  return outcomes.length === 0 ? {} : { outcomes: Object.fromEntries(outcomes) };
}

/** Names available to the condition of a repeated node after a round. */
const ROUND_NAMES = ["outputs", "output", "data", "round"];

function checkRounds({ read, path }: Located<RawConfig>, report: Report): void {
  for (const { text, segments, position } of read.repeat?.until?.paths ?? []) {
    const [head] = segments;
    if (ROUND_NAMES.includes(String(head))) continue;
    const message = `${text} is not known after a round; ${ROUND_NAMES.join(", ")} are.`;
    const hint = (): string | undefined => didYouMean(String(head), ROUND_NAMES);
    report.problem("bad_repeat", [...path, "repeat", "until"], message, { offset: position, hint });
  }
}

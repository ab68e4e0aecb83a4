import { LIMITS, required } from "../base/index.ts";
import {
  lensVersionOf,
  type Catalog,
  type LensEdge,
  type LensGraphDefinition,
  type LensNode,
  type LensVersion,
} from "../definition/index.ts";
import { normaliseLabel } from "../template/index.ts";
import type { NodeOutcomes } from "./outcomes.ts";
import type { LensBody, LensOverride, LensParam, LensPlanEdge, NodeKind, PlanNode } from "./plan.ts";
import { retryPolicyOfBlock } from "./retry-policy.ts";
import type { NodePosition } from "./step-node.ts";

interface LensSurroundings {
  readonly catalog: Catalog;
  readonly definition: Pick<LensGraphDefinition, "optionalInputs">;
  /** The compiled step that contains the work of the node. Null when the node has none in the form of a step. */
  readonly inside: PlanNode | null;
}

export function planLensNode(
  node: LensNode,
  position: NodePosition & NodeOutcomes,
  params: readonly LensParam[],
  { catalog, definition: { optionalInputs }, inside }: LensSurroundings,
): PlanNode {
  const held = inside !== null && doesWork(inside) ? inside : null;
  const kind = held?.kind ?? kindOfLensNode(node);
  const version = findLensVersion(node, catalog);
  return {
    index: position.index,
    id: node.id,
    label: node.label ?? node.id,
    title: null,
    kind,
    phase: null,
    wave: position.wave,
    parents: position.parents,
    dependents: position.dependents,
    outcomes: position.outcomes,
    join: position.join,
    tolerantDependents: position.tolerantDependents,
    hasFailureHandler: position.hasFailureHandler,
    timeoutMs: timeoutOf(node, kind),
    queueTimeoutMs: LIMITS.queueTimeoutMsDefault,
    retry: retryPolicyOfBlock(node.retry),
    onFailure: "isolate",
    isFailFast: false,
    effects: "at_least_once",
    approval: null,
    askRule: null,
    choose: held?.choose ?? null,
    child: held?.child ?? (node.workflowRef === null ? null : { workflow: node.workflowRef }),
    work: held?.work ?? null,
    forEach: inside?.forEach ?? null,
    repeat: node.repeat ?? null,
    request: {
      agent: null,
      role: null,
      model: node.modelId,
      provider: null,
      capabilities: [],
      models: [],
      tools: version?.requiredTools ?? [],
      toolActions: [],
      turn: null,
      action: "execute",
      contextSources: [],
      estimatedCostMicros: null,
    },
    body: bodyOf(node, version, params, optionalInputs, inside),
    isRetryWritten: node.isRetryWritten,
    isOnFailureWritten: false,
    duty: null,
  };
}

/** Returns whether the step has work of its own. Without it, the step only defines the elements of the node. */
function doesWork({ work, child, choose }: PlanNode): boolean {
  return work !== null || child !== null || choose !== null;
}

export function findLensVersion(node: LensNode, catalog: Catalog): LensVersion | null {
  return lensVersionOf(node.lensId, node.versionId, catalog.lenses);
}

/**
 * Groups the parameters of each target node, in order of their first edge. Labels are compared in normalised form and displayed
 * as first written. A strategy declared by an edge takes precedence over that of the node.
 */
export function groupParams(
  nodes: readonly LensNode[],
  edges: readonly LensEdge[],
  indexById: ReadonlyMap<string, number>,
): ReadonlyMap<string, readonly LensParam[]> {
  const drafts = new Map<string, Map<string, ParamDraft>>(nodes.map((node) => [node.id, new Map()]));
  for (const edge of edges) {
    const params = required(drafts.get(edge.target), "a checked edge ends at a node");
    const key = normaliseLabel(edge.targetParamLabel);
    const draft = params.get(key) ?? { label: edge.targetParamLabel, declared: null, edges: [] };
    params.set(key, draft);
    draft.declared ??= edge.mergeStrategy;
    draft.edges.push({
      id: edge.id,
      source: required(indexById.get(edge.source), "a checked edge starts at a node"),
      sourceOutputKey: edge.sourceOutputKey,
      condition: edge.condition,
      mayFail: edge.on !== undefined,
    });
  }
  return new Map(
    nodes.map((node) => [
      node.id,
      [...(drafts.get(node.id)?.values() ?? [])].map((draft): LensParam => ({
        label: draft.label,
        strategy: draft.declared ?? node.merge,
        edges: draft.edges,
      })),
    ]),
  );
}

interface ParamDraft {
  readonly label: string;
  declared: LensEdge["mergeStrategy"];
  readonly edges: LensPlanEdge[];
}

function kindOfLensNode(node: LensNode): NodeKind {
  if (node.lensId !== null) return "lens";
  return node.workflowRef === null ? "utility" : "child";
}

/** Child runs and blocks have no default timeout, so the default for lenses does not apply to them. */
function timeoutOf(node: LensNode, kind: NodeKind): number | null {
  const isRun = kind === "child" || kind === "block" || kind === "choose";
  return node.timeoutMs ?? (isRun ? null : LIMITS.lensTimeoutMsDefault);
}

function bodyOf(
  node: LensNode,
  version: LensVersion | null,
  params: readonly LensParam[],
  optionalInputs: readonly string[],
  inside: PlanNode | null,
): LensBody {
  const optional = [...optionalInputs, ...(version?.inputContract?.optional ?? [])];
  return {
    kind: "lens",
    lensId: node.lensId,
    versionId: version?.id ?? node.versionId,
    template: version?.templateBody ?? node.templateBody,
    inputContract: version?.inputContract ?? null,
    outputContract: version?.outputContract ?? null,
    requiredTools: version?.requiredTools ?? [],
    requiredTier: version?.requiredTier ?? null,
    roleTag: version?.roleTag ?? null,
    onParentFailure: node.onParentFailure,
    optionalKeys: new Set(optional.map(normaliseLabel)),
    moderation: node.moderation,
    params,
    overrides: overridesOf(node),
    with: node.with,
    ...(inside?.body.kind === "step" ? { inside: { scope: inside.body.scope, with: inside.body.with } } : {}),
  };
}

/** Two spellings of one label are the same parameter. The later one wins, as with edges. */
function overridesOf(node: LensNode): readonly LensOverride[] {
  const byKey = new Map<string, LensOverride>();
  for (const [label, value] of Object.entries(node.paramOverrides)) byKey.set(normaliseLabel(label), { label, value });
  return [...byKey.values()];
}

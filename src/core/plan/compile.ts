import { LIMITS, required, type TreePath, type WarningCode } from "../base/index.ts";
import {
  type Block,
  type Catalog,
  type Definition,
  FINALLY,
  type LensGraphDefinition,
  type LobsterDefinition,
  type Step,
} from "../definition/index.ts";
import { bindBlocks, FreeNames } from "./block.ts";
import { groupParams, planLensNode } from "./lens-node.ts";
import { planWhole } from "./lens-whole.ts";
import { orderGraph, type Order } from "./order.ts";
import { outcomesOf } from "./outcomes.ts";
import type { FinallyCall, Plan, PlanNode, Reference } from "./plan.ts";
import { Resolver, resolverAtEnd, type DefinitionNames } from "./resolver.ts";
import { bindConcurrency, bindOutputs, bindStep, type VariableWarning } from "./scope.ts";
import { planStep, type NodePosition } from "./step-node.ts";
import { createVariables, type Variables } from "./variables.ts";

/** A warning that has no position in the source text yet. */
export interface PlanWarning {
  readonly code: WarningCode;
  readonly path: TreePath;
  readonly message: string;
  readonly hint?: string;
}

export interface CompiledPlan {
  readonly plan: Plan;
  /** In definition order, at most `LIMITS.problemsMax`. */
  readonly warnings: readonly PlanWarning[];
}

/** Compiles a definition. A checked definition always compiles; any failure is a bug. */
export function compilePlan(definition: Definition, catalog: Catalog): CompiledPlan {
  return definition.format === "lobsterx" ? compileLobster(definition) : compileLensGraph(definition, catalog);
}

function compileLobster(definition: LobsterDefinition): CompiledPlan {
  const state: Compilation = { definition, blocks: new Map(), warnings: [] };
  const level = { steps: definition.steps, outputs: definition.outputs, outerNames: null, at: ["steps"], path: "" };
  const { plan, names, ids } = compileLevel(state, level);
  const last = definition.finally === null ? null : compileFinally(state, definition.finally, names, ids);
  return {
    plan: { ...plan, concurrency: concurrencyOf(definition, names), blocks: state.blocks, finally: last },
    warnings: state.warnings.slice(0, LIMITS.problemsMax),
  };
}

function concurrencyOf({ concurrency }: LobsterDefinition, names: DefinitionNames): Plan["concurrency"] {
  return concurrency === null ? null : bindConcurrency(concurrency, resolverAtEnd(names));
}

/** State shared by the plan of a file and the plans of its blocks. */
interface Compilation {
  readonly definition: LobsterDefinition;
  readonly blocks: Map<string, Plan>;
  readonly warnings: PlanWarning[];
}

/** The steps of the document itself, or of one of its blocks. */
interface Level {
  readonly steps: readonly Step[];
  readonly outputs: LobsterDefinition["outputs"];
  /** The outside names available to a block. Null for the document. */
  readonly outerNames: FreeNames | null;
  /** Path of the steps in the document. */
  readonly at: TreePath;
  /** Path of the block. Empty for the document. */
  readonly path: string;
}

function compileLevel(
  state: Compilation,
  level: Level,
): { readonly plan: Plan; readonly names: DefinitionNames; readonly ids: readonly string[] } {
  const { definition } = state;
  const order = orderGraph(level.steps);
  const steps = order.positions.map((position) => required(level.steps[position], "the order lists steps"));
  const variables = createVariables(order, steps.map(declaredNames));
  const args = level.outerNames === null ? definition.args : {};
  const names: DefinitionNames = { args, indexById: order.indexById, variables, outerNames: level.outerNames };
  const outcomes = outcomesOf(order, steps);
  const found: Found[] = [];
  const nodes = steps.map((step, index) => {
    const position = positionOf(order, index);
    const resolver = new Resolver(names, step, index, position.parents);
    const bound = bindStep(step, resolver);
    const place = required(order.positions[index], "every node has a position");
    for (const warning of bound.variableWarnings) found.push({ warning, node: index, position: place });
    const blocks = bindBlocks(step, bound.scope, resolver, order.ids, (block, name, outerNames, at) =>
      compileBlock(state, block, { outerNames, at: [...level.at, place, ...at], path: pathOf(level, name) }),
    );
    return planStep(step, position, required(outcomes[index], "every node has outcomes"), { ...bound, ...blocks });
  });
  found.push(...unusedAmbiguities(order, nodes, steps, variables, new Set(found.map(({ warning }) => warning.name))));
  found.sort((left, right) => left.position - right.position);
  state.warnings.push(...found.map((each) => warningOf(each, order, variables, level.at)));
  const outputs = level.outputs === null ? null : bindOutputs(level.outputs, resolverAtEnd(names));
  // The arg names of a block are complete only after every lookup.
  const given = level.outerNames?.names.map((name) => [name, { required: false }] as const);
  const declared = given === undefined ? args : Object.fromEntries(given);
  return { plan: { ...planOf(definition, "lobsterx", declared, order, nodes), outputs }, names, ids: order.ids };
}

function pathOf({ path }: Level, name: string): string {
  return path === "" ? name : `${path}/${name}`;
}

function emptyNames(outerNames: FreeNames | null): DefinitionNames {
  const order = orderGraph([]);
  return { args: {}, indexById: order.indexById, variables: createVariables(order, []), outerNames };
}

/** A run of a block has no time limit of its own, except `finally`: the limit of the step that contains the block applies. */
function compileBlock(
  state: Compilation,
  { steps, outputs, concurrency }: Block,
  where: Pick<Level, "outerNames" | "at" | "path">,
  timeoutMs: number | null = null,
): string {
  // Bound before the steps, so that the block also receives names that only the key reads. The key sees no step of the block.
  const key = concurrency === null ? null : bindConcurrency(concurrency, resolverAtEnd(emptyNames(where.outerNames)));
  const { plan } = compileLevel(state, { steps, outputs, ...where });
  state.blocks.set(where.path, { ...plan, timeoutMs, concurrency: key });
  return where.path;
}

/** Compiles `finally`. Its block sees all nodes in their final state. */
function compileFinally(state: Compilation, block: Block, names: DefinitionNames, ids: readonly string[]): FinallyCall {
  const outerNames = new FreeNames(resolverAtEnd(names), ids, null);
  const where = { outerNames, at: [FINALLY], path: FINALLY };
  const path = compileBlock(state, block, where, LIMITS.finallyMs);
  const scope = new Map<string, Reference>();
  return { block: path, with: outerNames.addToScope(scope), scope };
}

/** Number of shared names checked for ambiguity although no text reads them. Beyond it, only names in use cause a warning. */
const NAMES_LOOKED_AT_MAX = 200;

/**
 * Returns names that two ancestors of a node declare although the node does not read them: each once, at the first such node. A
 * node that names the step explicitly, or uses the name for its element, gets no warning.
 */
function unusedAmbiguities(
  order: Order,
  nodes: readonly PlanNode[],
  steps: readonly Step[],
  variables: Variables,
  known: ReadonlySet<string>,
): readonly Found[] {
  const declared = new Map<string, number>();
  for (const step of steps) for (const name of declaredNames(step)) declared.set(name, (declared.get(name) ?? 0) + 1);
  const shared = [...declared].filter(([name, count]) => count > 1 && !known.has(name)).slice(0, NAMES_LOOKED_AT_MAX);
  return shared.flatMap(([name]): Found[] => {
    const node = nodes.findIndex(
      (candidate, index) => variables.find(index, name)?.isAmbiguous === true && !isOwnName(candidate, name),
    );
    const position = order.positions[node];
    return position === undefined ? [] : [{ warning: { name, issue: "ambiguous", field: [] }, node, position }];
  });
}

function isOwnName({ forEach, body }: PlanNode, name: string): boolean {
  if (forEach?.as === name || body.kind !== "step") return true;
  return [...body.scope.values()].some(({ origin, rest }) => origin.kind === "node" && rest[0] === name);
}

/** A `for_each` node has only `items`, `count` and `failed`; its declared outputs belong to its instances. */
function declaredNames(step: Step): readonly string[] {
  if (step.forEach !== null) return [];
  if (step.block !== null) return Object.keys(step.block.outputs ?? {});
  return Object.keys(step.work?.kind === "set" ? step.with : (step.outputs ?? {}));
}

function compileLensGraph(definition: LensGraphDefinition, catalog: Catalog): CompiledPlan {
  const order = orderGraph(definition.nodes);
  const params = groupParams(definition.nodes, definition.edges, order.indexById);
  const written = order.positions.map((position) => required(definition.nodes[position], "the order lists nodes"));
  const outcomes = outcomesOf(order, written);
  const blocks = new Map<string, Plan>();
  const compileInside = (document: LobsterDefinition): Plan => {
    const { plan } = compileLobster({ ...document, ...headOf(definition) });
    for (const [path, block] of plan.blocks) blocks.set(path, block);
    return plan;
  };
  const nodes = written.map((node, index) => {
    const position = { ...positionOf(order, index), ...required(outcomes[index], "every node has outcomes") };
    const inside = node.inside === undefined ? null : (compileInside(node.inside).nodes[0] ?? null);
    return planLensNode(node, position, params.get(node.id) ?? [], { catalog, definition, inside });
  });
  const plan = planOf(definition, "lens-graph", definition.rootInputs, order, nodes);
  return { plan: { ...plan, blocks, ...planWhole(definition, compileInside) }, warnings: [] };
}

/** Returns the settings of a lens graph that its inner steps inherit. */
function headOf({ model, gateway, maxParallel }: LensGraphDefinition) {
  return { model, gateway, maxParallel };
}

function positionOf(order: Order, index: number): NodePosition {
  return {
    index,
    wave: required(order.waves[index], "every node has a wave"),
    parents: required(order.parents[index], "every node has parents"),
    dependents: required(order.dependents[index], "every node has dependents"),
  };
}

const NO_BLOCKS: Plan["blocks"] = new Map();

function planOf(
  definition: Definition,
  format: Plan["format"],
  args: Plan["args"],
  order: Order,
  nodes: readonly PlanNode[],
): Plan {
  const { name, completion, model, gateway, timeoutMs, maxParallel, labels, priority } = definition;
  return {
    name,
    format,
    completion,
    model,
    gateway,
    timeoutMs,
    maxParallel,
    labels,
    priority,
    args,
    outputs: null,
    concurrency: null,
    blocks: NO_BLOCKS,
    finally: null,
    agentByRole: definition.format === "lobsterx" ? agentsOf(definition) : {},
    nodes,
    indexById: order.indexById,
    edgeCount: order.edgeCount,
  };
}

function agentsOf({ roles }: LobsterDefinition): Plan["agentByRole"] {
  return Object.fromEntries(Object.entries(roles).map(([role, { agent }]) => [role, agent]));
}

interface Found {
  readonly warning: VariableWarning;
  readonly node: number;
  readonly position: number;
}

/** Further declaring steps are counted, not named. */
const NAMED_MAX = 5;

function warningOf(found: Found, order: Order, variables: Variables, at: TreePath): PlanWarning {
  const place = [...at, found.position, ...found.warning.field];
  return found.warning.issue === "unseen"
    ? unseen(found, order, variables, place)
    : ambiguous(found, order, variables, place);
}

/** Warns of a variable that is declared only by steps that do not run before. */
function unseen({ warning, node }: Found, order: Order, variables: Variables, path: TreePath): PlanWarning {
  const { name, field } = warning;
  const declarers = variables.declarers(name);
  const declarer = required(order.ids[required(declarers[0], "a declarer")], "an id");
  const isOwn = declarers.includes(node);
  const step = required(order.ids[node], "an id");
  const whose = isOwn
    ? "which this step itself declares"
    : `which step "${declarer}" declares, and it does not run before`;
  const hint = isOwn && field[0] === "success_criteria" ? `write outputs.${name}` : `write ${declarer}.${name}`;
  return {
    code: "unseen_variable",
    path,
    message: `step "${step}" reads the variable "${name}", ${whose}: it is always missing here`,
    ...(isOwn && field[0] !== "success_criteria" ? {} : { hint }),
  };
}

function ambiguous({ warning, node }: Found, order: Order, variables: Variables, path: TreePath): PlanWarning {
  const ids = variables.declaringAncestors(node, warning.name).map((each) => required(order.ids[each], "an id"));
  const winner = required(ids.at(-1), "an ambiguous variable has declaring ancestors");
  const losers = ids.slice(0, -1);
  const named = [...losers.slice(-NAMED_MAX), winner].map((id) => `"${id}"`);
  const more = losers.length > NAMED_MAX ? ` and ${losers.length - NAMED_MAX} more` : "";
  const step = required(order.ids[node], "an id");
  return {
    code: "ambiguous_variable",
    path,
    message: `step "${step}" sees the variable "${warning.name}", which the steps ${named.join(", ")}${more} before it declare; the value of "${winner}", the last in plan order, is used`,
    hint: `write ${winner}.outputs.${warning.name} to keep it, or name another step the same way`,
  };
}

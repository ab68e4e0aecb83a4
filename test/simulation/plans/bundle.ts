import { EMPTY_CATALOG } from "../../../src/core/definition/index.ts";
import { applyTeam, checkSource, type Member, type Plan, type Team } from "../../../src/core/plan/index.ts";
import { Prng } from "../prng.ts";
import { TOOLS } from "../world/tool-server.ts";
import { draftLensGraph } from "./lens-graph.ts";
import { draftLobster } from "./lobster.ts";
import type { Oracle } from "./oracle.ts";

/** A generated file, its plan, and what the generator knows about it. */
export interface Workflow {
  readonly name: string;
  readonly text: string;
  readonly plan: Plan;
  readonly oracle: Oracle;
  /** Its blocks by path; a block knows those of its file. */
  readonly blocks: ReadonlyMap<string, Workflow>;
  readonly isBlock: boolean;
}

/** A workflow and everything it may start as a child. */
export interface Bundle {
  readonly root: Workflow;
  readonly workflows: ReadonlyMap<string, Workflow>;
}

const DEPTH = 3;

export function drawBundle(seed: number, hasTurns: boolean): Bundle {
  const rng = new Prng(seed).fork("plans");
  const workflows = new Map<string, Workflow>();
  const levels = rng.chance(0.35) ? rng.between(2, DEPTH) : 1;
  let children: readonly string[] = [];
  for (let depth = levels - 1; depth >= 1; depth -= 1) {
    const name = `child-${depth}`;
    workflows.set(name, drawWorkflow(rng, name, children, hasTurns));
    children = [name];
  }
  const root = drawWorkflow(rng, "root", children, hasTurns);
  workflows.set(root.name, root);
  return { root, workflows };
}

function drawWorkflow(rng: Prng, name: string, children: readonly string[], hasTurns: boolean): Workflow {
  const draft = rng.chance(0.7) ? draftLobster(rng, name, children, hasTurns) : draftLensGraph(rng, name, children);
  const text = JSON.stringify(draft.document);
  const { plan, problems } = checkSource(text, EMPTY_CATALOG);
  if (plan === null) {
    const first = problems[0];
    throw new Error(`the generator wrote an invalid file: ${first?.code} ${first?.path} ${first?.message}\n${text}`);
  }
  // A stream of its own, so that whether there is a team changes nothing else that is drawn.
  const team = drawTeam(rng.fork(`team of ${name}`), hasTurns ? TOOLS : []);
  return withBlocks({ name, text, plan: team === null ? plan : applyTeam(plan, team), oracle: draft.oracle });
}

function withBlocks(file: Omit<Workflow, "blocks" | "isBlock">): Workflow {
  const blocks = new Map<string, Workflow>();
  for (const [path, plan] of file.plan.blocks) {
    const oracle: Oracle = { conditions: conditionsIn(plan), edges: new Map() };
    blocks.set(path, { ...file, plan, oracle, blocks, isBlock: true });
  }
  return { ...file, blocks, isBlock: false };
}

/** Inside blocks the generator asks about the mode alone. */
function conditionsIn({ nodes }: Plan): Oracle["conditions"] {
  const asking = nodes.filter(({ body }) => body.kind === "step" && body.condition !== null);
  return new Map(asking.map(({ id }) => [id, { kind: "mode", value: "b" } as const]));
}

/** Members that may take any node, mostly one node at a time in each lane. */
function drawTeam(rng: Prng, allowTools: readonly string[]): Team | null {
  if (!rng.chance(0.15)) return null;
  const agents = ["solo", "pair", "slow", "default"];
  const members = Array.from({ length: rng.between(1, 3) }, (_, index): Member => ({
    agent: rng.pick(agents),
    role: null,
    lane: rng.between(0, 1),
    sortOrder: index,
    isActive: rng.chance(0.9),
    toolProfile: { allowTools, requiresApproval: false },
    modelProfile: { supportLevel: "standard" },
    systemPromptPatch: null,
  }));
  const failurePolicy = rng.pick(["isolate", "halt", "fallback"] as const);
  const queuePolicy = rng.chance(0.7) ? "serial" : "parallel";
  return { name: "crew", members, assignments: [], failurePolicy, queuePolicy };
}

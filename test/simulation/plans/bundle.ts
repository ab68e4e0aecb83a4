import { EMPTY_CATALOG } from "../../../src/core/definition/index.ts";
import { checkSource, type Plan } from "../../../src/core/plan/index.ts";
import { Prng } from "../prng.ts";
import { draftLensGraph } from "./lens-graph.ts";
import { draftLobster } from "./lobster.ts";
import type { Oracle } from "./oracle.ts";

/** A generated file, its plan, and what the generator knows about it. */
export interface Workflow {
  readonly name: string;
  readonly text: string;
  readonly plan: Plan;
  readonly oracle: Oracle;
}

/** A workflow and everything it may start as a child. */
export interface Bundle {
  readonly root: Workflow;
  readonly workflows: ReadonlyMap<string, Workflow>;
}

const DEPTH = 3;

export function drawBundle(seed: number): Bundle {
  const rng = new Prng(seed).fork("plans");
  const workflows = new Map<string, Workflow>();
  const levels = rng.chance(0.35) ? rng.between(2, DEPTH) : 1;
  let children: readonly string[] = [];
  for (let depth = levels - 1; depth >= 1; depth -= 1) {
    const name = `child-${depth}`;
    workflows.set(name, drawWorkflow(rng, name, children));
    children = [name];
  }
  const root = drawWorkflow(rng, "root", children);
  workflows.set(root.name, root);
  return { root, workflows };
}

function drawWorkflow(rng: Prng, name: string, children: readonly string[]): Workflow {
  const draft = rng.chance(0.7) ? draftLobster(rng, name, children) : draftLensGraph(rng, name, children);
  const text = JSON.stringify(draft.document);
  const { plan, problems } = checkSource(text, EMPTY_CATALOG);
  if (plan === null) {
    const first = problems[0];
    throw new Error(`the generator wrote an invalid file: ${first?.code} ${first?.path} ${first?.message}\n${text}`);
  }
  return { name, text, plan, oracle: draft.oracle };
}

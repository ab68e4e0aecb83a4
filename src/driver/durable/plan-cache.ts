import { compilePinned, pinsOfJson, type Plan } from "../../core/plan/index.ts";
import type { WorkflowStore } from "../../store/index.ts";

const PLANS_MAX = 500;

/** Plans by organisation and hash. */
export type KnownPlans = Map<string, Promise<Plan | undefined>>;

/** Compiled plans by organisation and hash. The definition under a hash never changes, so its plan never changes either. */
export class PlanCache {
  readonly #store: Pick<WorkflowStore, "getDefinition">;
  readonly #shape: (plan: Plan) => Plan;
  readonly #plans: KnownPlans;

  constructor(
    store: Pick<WorkflowStore, "getDefinition">,
    shape: (plan: Plan) => Plan = (plan) => plan,
    plans: KnownPlans = new Map(),
  ) {
    this.#store = store;
    this.#shape = shape;
    this.#plans = plans;
  }

  /** Returns a plan. `block`: path of a block inside the file; null for the file itself. */
  async get(orgId: string, hash: string, block: string | null = null): Promise<Plan | undefined> {
    const plan = await this.#file(orgId, hash);
    return block === null ? plan : plan?.blocks.get(block);
  }

  /** Returns the plan of a run. */
  ofRun({ orgId, pinnedHash, definitionHash, block = null }: PlanAddress): Promise<Plan | undefined> {
    return this.get(orgId, pinnedHash ?? definitionHash, block);
  }

  #file(orgId: string, hash: string): Promise<Plan | undefined> {
    const key = `${orgId}/${hash}`;
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const plan = this.#compile(orgId, hash);
    this.#plans.set(key, plan);
    // A failed look-up is not cached: the database may only have been unavailable for a moment.
    plan.catch(() => this.#plans.delete(key));
    const oldest = this.#plans.size > PLANS_MAX ? this.#plans.keys().next().value : undefined;
    if (oldest !== undefined) this.#plans.delete(oldest);
    return plan;
  }

  async #compile(orgId: string, hash: string): Promise<Plan | undefined> {
    const definition = await this.#store.getDefinition(orgId, hash);
    if (definition === undefined) return undefined;
    const plan = compilePinned(definition.source, pinsOfJson(definition.catalog));
    return plan === null ? undefined : shaped(plan, this.#shape);
  }
}

function shaped(plan: Plan, shape: (plan: Plan) => Plan): Plan {
  const blocks = new Map([...plan.blocks].map(([path, block]) => [path, shape(block)]));
  return { ...shape(plan), blocks };
}

interface PlanAddress {
  readonly orgId: string;
  readonly definitionHash: string;
  readonly pinnedHash?: string | null;
  readonly block?: string | null;
}

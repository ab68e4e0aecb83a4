import { compilePinned, pinsOfJson, type Plan } from "../../core/plan/index.ts";
import type { RunRecord, WorkflowStore } from "../../store/index.ts";

const PLANS_MAX = 500;

/** Compiled plans by organisation and hash: what is kept under a hash never changes, so neither does its plan. */
export class PlanCache {
  readonly #store: Pick<WorkflowStore, "getDefinition">;
  readonly #shape: (plan: Plan) => Plan;
  readonly #plans = new Map<string, Promise<Plan | undefined>>();

  constructor(store: Pick<WorkflowStore, "getDefinition">, shape: (plan: Plan) => Plan = (plan) => plan) {
    this.#store = store;
    this.#shape = shape;
  }

  get(orgId: string, hash: string): Promise<Plan | undefined> {
    const key = `${orgId}/${hash}`;
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const plan = this.#compile(orgId, hash);
    this.#plans.set(key, plan);
    // A failed look-up must not stick: the database may only have been away.
    plan.catch(() => this.#plans.delete(key));
    const oldest = this.#plans.size > PLANS_MAX ? this.#plans.keys().next().value : undefined;
    if (oldest !== undefined) this.#plans.delete(oldest);
    return plan;
  }

  async #compile(orgId: string, hash: string): Promise<Plan | undefined> {
    const definition = await this.#store.getDefinition(orgId, hash);
    if (definition === undefined) return undefined;
    const plan = compilePinned(definition.source, pinsOfJson(definition.catalog));
    return plan === null ? undefined : this.#shape(plan);
  }
}

/** Under which the plan of a run is found. */
export function planHashOf({ pinnedHash, definitionHash }: Pick<RunRecord, "pinnedHash" | "definitionHash">): string {
  return pinnedHash ?? definitionHash;
}

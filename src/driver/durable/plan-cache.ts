import { type Catalog, EMPTY_CATALOG } from "../../core/definition/index.ts";
import { checkSource, type Plan } from "../../core/plan/index.ts";
import type { WorkflowStore } from "../../store/index.ts";

const PLANS_MAX = 500;

/** Compiled plans by organisation and definition hash: a definition never changes, so neither does its plan. */
export class PlanCache {
  readonly #store: Pick<WorkflowStore, "getDefinition">;
  readonly #plans = new Map<string, Promise<Plan | undefined>>();

  constructor(store: Pick<WorkflowStore, "getDefinition">) {
    this.#store = store;
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
    const catalog = definition.catalog === null ? EMPTY_CATALOG : (definition.catalog as unknown as Catalog);
    return checkSource(definition.source, catalog).plan ?? undefined;
  }
}

import { DISPATCH_ALIAS, DISPATCH_PATH } from "../bridge/index.ts";
import type { GatewayView } from "./gateway-view.ts";

/** What one instance of a Bridge was found to answer; everything until it refuses. */
export interface KnownRoutes {
  takesBatches: boolean;
  takesSync: boolean;
  /** Where single dispatches go. */
  single: typeof DISPATCH_PATH | typeof DISPATCH_ALIAS;
}

/**
 * Bridges differ in what they offer: those of this project take everything, others perhaps a single route. What an
 * instance does not offer is remembered until another one answers for the gateway.
 */
export class BridgeRoutes {
  readonly #known = new Map<string, { readonly instance: string; readonly routes: KnownRoutes }>();

  of(gateway: GatewayView): KnownRoutes {
    const key = `${gateway.orgId}/${gateway.id}`;
    const instance = instanceOf(gateway);
    const known = this.#known.get(key);
    if (known?.instance === instance) return known.routes;
    const routes: KnownRoutes = { takesBatches: true, takesSync: true, single: DISPATCH_PATH };
    this.#known.set(key, { instance, routes });
    return routes;
  }

  forget({ orgId, id }: GatewayView): void {
    this.#known.delete(`${orgId}/${id}`);
  }
}

/** One that does not register is known by its address. */
export function instanceOf({ instanceId, url }: Pick<GatewayView, "instanceId" | "url">): string {
  return instanceId ?? url;
}

/** There is no such route there, or it does not take a POST. */
export function isMissingRoute(status: number | null): boolean {
  return status === 404 || status === 405;
}

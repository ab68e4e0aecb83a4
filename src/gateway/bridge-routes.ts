import { DISPATCH_ALIAS, DISPATCH_PATH } from "../bridge/index.ts";
import type { GatewayView } from "./gateway-view.ts";

/** The routes that one instance of a Bridge supports. Every route counts as supported until the instance refuses it. */
export interface KnownRoutes {
  takesBatches: boolean;
  takesSync: boolean;
  /** The route for single dispatches. */
  single: typeof DISPATCH_PATH | typeof DISPATCH_ALIAS;
}

/**
 * Remembers which routes each Bridge offers. Bridges of this project offer all, others perhaps a single one. A refused
 * route is remembered until another instance answers for the gateway.
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

/** Identifies the instance. A Bridge that does not register is identified by its URL. */
export function instanceOf({ instanceId, url }: Pick<GatewayView, "instanceId" | "url">): string {
  return instanceId ?? url;
}

/** Whether the status means that the route does not exist or does not accept POST. */
export function isMissingRoute(status: number | null): boolean {
  return status === 404 || status === 405;
}

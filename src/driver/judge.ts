import type { RequestVerdict, Route, Verdict } from "../core/engine/index.ts";
import type { Plan } from "../core/plan/index.ts";
import { chooseRoute, type GatewayDirectory, LOCAL_GATEWAY } from "../gateway/index.ts";

/** Says whether a node may act, and where. Asked inside the commit, so that nothing is dispatched ungoverned. */
export interface Judge {
  /** Gathers what is not at hand for these organisations; undefined when everything is. */
  prepare?(orgIds: ReadonlySet<string>): Promise<void> | undefined;
  decide(request: RequestVerdict, about: AboutRun): Verdict;
}

export interface AboutRun {
  readonly orgId: string;
  readonly runId: string;
  readonly plan: Plan;
  /** The gateway and the model the run was started with. */
  readonly gateway: string | null;
  readonly model: string | null;
}

/** A run of one process belongs to whoever started it, and is pinned to nothing. */
export function aboutLocal({ runId, plan }: Pick<AboutRun, "runId" | "plan">): AboutRun {
  return { orgId: "local", runId, plan, gateway: null, model: null };
}

export const DEFAULT_AGENT = "default";

/** Lets everything pass, and sends what names a provider that is not at hand to the fallback. */
export function createAllowAllJudge(providers: ReadonlySet<string>, fallbackProvider: string): Judge {
  return {
    decide(request, about) {
      const { provider } = request.hints;
      const isAtHand = provider !== null && providers.has(provider);
      return allow(request, about, {
        gatewayId: LOCAL_GATEWAY,
        provider: isAtHand ? provider : fallbackProvider,
        executionPath: "edge",
      });
    },
  };
}

/** Lets everything pass that has a place to run at: in this process, or at a registered Bridge. */
export function createRoutingJudge(directory: GatewayDirectory): Judge {
  return {
    prepare: (orgIds) => {
      for (const orgId of orgIds) if (!directory.knows(orgId)) return directory.ensure(orgIds);
      return undefined;
    },
    decide(request, about) {
      const { provider, capabilities } = request.hints;
      const choice = chooseRoute(directory.of(about.orgId), { pinned: about.gateway, provider, capabilities });
      if (choice.kind === "none") return unreachable(request, about, choice.message);
      const { gateway } = choice;
      return allow(request, about, {
        gatewayId: gateway.id,
        provider: choice.provider,
        executionPath: gateway.isLocal ? "edge" : "async",
      });
    },
  };
}

function allow(
  { nodeId, nextAttempt, hints }: RequestVerdict,
  { runId, plan, model }: AboutRun,
  place: Pick<Route, "gatewayId" | "provider" | "executionPath">,
): Verdict {
  return {
    disposition: "allow",
    verdictId: `${runId}/${nodeId}/${nextAttempt}/verdict`,
    route: { agentId: hints.agent ?? DEFAULT_AGENT, model: hints.model ?? model ?? plan.model, ...place },
  };
}

function unreachable({ nodeId, nextAttempt }: RequestVerdict, { runId }: AboutRun, message: string): Verdict {
  return {
    disposition: "block",
    verdictId: `${runId}/${nodeId}/${nextAttempt}/verdict`,
    gate: "gateway_health",
    code: "gateway_unreachable",
    message,
    after: "final",
  };
}

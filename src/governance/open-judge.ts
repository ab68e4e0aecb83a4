import type { RequestVerdict, Route, Verdict } from "../core/engine/index.ts";
import { DEFAULT_AGENT_ID } from "../core/governance/index.ts";
import { chooseRoute, type GatewayDirectory, LOCAL_GATEWAY } from "../gateway/index.ts";
import { type AboutRun, type Judge, plainRuling } from "./judge.ts";

/** Lets everything pass, and sends what names a provider that is not at hand to the fallback: for runs in one process. */
export function createAllowAllJudge(providers: ReadonlySet<string>, fallbackProvider: string): Judge {
  return {
    decide(request, about) {
      const { provider } = request.hints;
      const isAtHand = provider !== null && providers.has(provider);
      return plainRuling(
        allow(request, about, {
          gatewayId: LOCAL_GATEWAY,
          provider: isAtHand ? provider : fallbackProvider,
          executionPath: "edge",
        }),
      );
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
      if (choice.kind === "none") return plainRuling(unreachable(request, about, choice.message));
      const { gateway } = choice;
      return plainRuling(
        allow(request, about, {
          gatewayId: gateway.id,
          provider: choice.provider,
          executionPath: gateway.isLocal ? "edge" : "async",
        }),
      );
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
    route: { agentId: hints.agent ?? DEFAULT_AGENT_ID, model: hints.model ?? model ?? plan.model, ...place },
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

import type { RequestVerdict, Route, Verdict } from "../core/engine/index.ts";
import { DEFAULT_AGENT_ID } from "../core/plan/index.ts";
import { LOCAL_GATEWAY } from "../gateway/index.ts";
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

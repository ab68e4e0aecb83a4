import type { RequestVerdict, Verdict } from "../core/engine/index.ts";
import type { Plan } from "../core/plan/index.ts";

/** Says whether a node may act, and where. Asked inside the commit, so that nothing is dispatched ungoverned. */
export interface Judge {
  decide(request: RequestVerdict, about: AboutRun): Verdict;
}

export interface AboutRun {
  readonly runId: string;
  readonly plan: Plan;
}

export const DEFAULT_AGENT = "default";
export const LOCAL_GATEWAY = "local";

/** Lets everything pass, and sends what names a provider that is not at hand to the fallback. */
export function createAllowAllJudge(providers: ReadonlySet<string>, fallbackProvider: string): Judge {
  return {
    decide({ nodeId, nextAttempt, hints }, { runId, plan }) {
      const isAtHand = hints.provider !== null && providers.has(hints.provider);
      return {
        disposition: "allow",
        verdictId: `${runId}/${nodeId}/${nextAttempt}/verdict`,
        route: {
          agentId: hints.agent ?? DEFAULT_AGENT,
          gatewayId: LOCAL_GATEWAY,
          provider: isAtHand ? hints.provider : fallbackProvider,
          model: hints.model ?? plan.model,
          executionPath: "edge",
        },
      };
    },
  };
}

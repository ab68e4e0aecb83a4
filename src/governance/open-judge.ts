import type { RequestVerdict, Route, Verdict } from "../core/engine/index.ts";
import { DEFAULT_AGENT_ID } from "../core/plan/index.ts";
import { LOCAL_GATEWAY } from "../gateway/index.ts";
import { DEFAULT_AGENT } from "../registry/index.ts";
import { type AboutRun, type Judge, plainRuling } from "./judge.ts";
import type { Registered } from "./registered.ts";
import { ruleOnRound, ruleOnTool } from "./rule-on-turn.ts";
import { Tally } from "./tally.ts";
import type { TurnScene } from "./tool-facts.ts";

/**
 * A judge for runs in one process. It allows every node, but stops turns that exceed the bounds of their steps. Steps
 * that name an unavailable provider are sent to the fallback provider.
 */
export function createAllowAllJudge(providers: ReadonlySet<string>, fallbackProvider: string): Judge {
  const tally = new Tally();
  return {
    decideTool(request, about) {
      const hints = { ...request.hints, tools: ["*"] };
      const { verdict } = ruleOnTool(sceneOf(about, tally), { ...request, hints, route: OPEN_ROUTE });
      return { verdict, taken: null, record: null, audit: [] };
    },
    decideRound(request, about) {
      const { verdict } = ruleOnRound(sceneOf(about, tally), { ...request, route: OPEN_ROUTE }, []);
      return { verdict, reserved: [], taken: null, record: null, audit: [] };
    },
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

/** The route of an agent that may do everything, without prices. */
const OPEN_ROUTE: Route = {
  agentId: DEFAULT_AGENT_ID,
  gatewayId: LOCAL_GATEWAY,
  provider: null,
  model: null,
  executionPath: "edge",
};

const NOTHING_REGISTERED: Registered = {
  agents: new Map([[DEFAULT_AGENT_ID, { ...DEFAULT_AGENT, autonomy: "bounded" }]]),
  policies: [],
  budgets: [],
  models: new Map(),
  creditPlans: [],
  deployments: [],
  bindings: [],
  tools: [],
  grants: new Map(),
  platform: { isOpen: true, reason: null },
  pauses: new Map(),
};

function sceneOf(about: AboutRun, tally: Tally): TurnScene {
  return { about, registered: NOTHING_REGISTERED, gateway: undefined, tally };
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

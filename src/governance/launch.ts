import type { JsonObject } from "../core/base/index.ts";
import {
  budgetsFor,
  envelopeOf,
  judgeLaunch,
  type Judgement,
  periodOf,
  type Posture,
  type RateFact,
} from "../core/governance/index.ts";
import type { GatewayView } from "../gateway/index.ts";
import { gatewayFact } from "./gateway-fact.ts";
import type { Registered } from "./registered.ts";
import type { Tally } from "./tally.ts";

/** A run that is about to be started, as the launch gates see it. */
export interface LaunchSubject {
  readonly workflow: string;
  readonly status: "active" | "paused" | "deprecated";
  readonly posture: Posture;
  readonly hasApprovedLaunch: boolean;
  readonly depth: number;
  readonly args: JsonObject;
  readonly gateway: string | null;
  /** The team the run is charged to; absent for none. */
  readonly team?: string | null;
  /** The key whose start rate counts this run; null for none, as for child runs and recoveries. */
  readonly keyId: string | null;
}

export interface LaunchScene {
  readonly at: number;
  readonly registered: Registered;
  readonly gateways: readonly GatewayView[];
  readonly tally: Tally;
  readonly rate: RateFact | null;
  readonly organisationRate: RateFact | null;
}

export function judgeLaunchOf(
  request: LaunchSubject,
  { at, registered, gateways, tally, rate, organisationRate }: LaunchScene,
): Judgement {
  const { workflow, depth, args } = request;
  const deployment = registered.deployments.find((one) => one.isActive && one.workflow === workflow);
  const pinned = request.gateway ?? deployment?.gateway ?? null;
  const gateway = gatewayFor(gateways, pinned);
  const charged = { gateway: gateway?.id ?? null, agent: null, workflow, team: request.team ?? null };
  return judgeLaunch({
    at,
    platform: registered.platform,
    workflowStatus: request.status,
    posture: request.posture,
    hasApprovedLaunch: request.hasApprovedLaunch,
    gateway: gateway === undefined ? null : gatewayFact(gateway),
    noGateway: gateway === undefined ? noGateway(pinned) : null,
    envelopes: budgetsFor(registered.budgets, charged).map((budget) =>
      envelopeOf(budget, at, tally.spendingOf(budget.id, periodOf(budget.period, at).start)),
    ),
    rate,
    ...(organisationRate === null ? {} : { organisationRate }),
    run: { workflow, depth, environment: deployment?.environment ?? gateway?.environment ?? null, args },
    policies: registered.policies,
  });
}

/** Nodes choose their own gateways. A run only needs one gateway that could run any of its nodes. */
function gatewayFor(gateways: readonly GatewayView[], pinned: string | null): GatewayView | undefined {
  if (pinned !== null) return gateways.find(({ id }) => id === pinned);
  const [first, ...rest] = gateways;
  return (
    [first, ...rest].find((gateway) => gateway !== undefined && (gateway.status !== "offline" || gateway.isAwaited)) ??
    first
  );
}

function noGateway(pinned: string | null): string {
  return pinned === null ? "there is no gateway; start a Bridge" : `there is no gateway "${pinned}"`;
}

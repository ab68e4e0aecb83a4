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

/** A run that is to be started. */
export interface LaunchSubject {
  readonly workflow: string;
  readonly status: "active" | "paused" | "deprecated";
  readonly posture: Posture;
  readonly hasApprovedLaunch: boolean;
  readonly depth: number;
  readonly args: JsonObject;
  readonly gateway: string | null;
  /** Whose team it is charged to; absent: none. */
  readonly team?: string | null;
  /** Whose start rate it counts against; null: none, as for child runs and recoveries. */
  readonly keyId: string | null;
}

export interface LaunchScene {
  readonly at: number;
  readonly registered: Registered;
  readonly gateways: readonly GatewayView[];
  readonly tally: Tally;
  readonly rate: RateFact | null;
}

export function judgeLaunchOf(
  request: LaunchSubject,
  { at, registered, gateways, tally, rate }: LaunchScene,
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
    run: { workflow, depth, environment: deployment?.environment ?? gateway?.environment ?? null, args },
    policies: registered.policies,
  });
}

/** Nodes choose for themselves; a run only needs one that could take any of them. */
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

const KEYS_MAX = 10_000;

/** How often each key has started runs lately, in this process. */
export class StartWindows {
  readonly #limit: { readonly count: number; readonly perSeconds: number } | null;
  readonly #starts = new Map<string, Starts>();

  constructor(limit: { readonly count: number; readonly perSeconds: number } | null) {
    this.#limit = limit;
  }

  look(keyId: string | null, at: number): RateFact | null {
    if (this.#limit === null || keyId === null) return null;
    const { count, perSeconds } = this.#limit;
    const starts = this.#starts.get(keyId);
    const used = starts === undefined ? 0 : forget(starts, at - perSeconds * 1_000);
    const oldest = used < count ? undefined : starts?.moments.at(-count);
    return { count, perSeconds, used, freesAt: oldest === undefined ? null : oldest + perSeconds * 1_000 };
  }

  count(keyId: string | null, at: number): void {
    if (this.#limit === null || keyId === null) return;
    if (this.#starts.size > KEYS_MAX) this.#starts.clear();
    const starts = this.#starts.get(keyId);
    if (starts === undefined) this.#starts.set(keyId, { moments: [at], first: 0 });
    else starts.moments.push(at);
  }
}

/** When a key started runs, oldest first; those before `first` no longer count. */
interface Starts {
  readonly moments: number[];
  first: number;
}

/** Drops starts up to a moment, each once, and returns how many are left. */
function forget(starts: Starts, until: number): number {
  const { moments } = starts;
  while (starts.first < moments.length && (moments[starts.first] ?? until) <= until) starts.first += 1;
  if (starts.first * 2 > moments.length) {
    moments.splice(0, starts.first);
    starts.first = 0;
  }
  return moments.length - starts.first;
}

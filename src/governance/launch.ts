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
import type { Gateway } from "../gateway/index.ts";
import { gatewayFact } from "./facts.ts";
import type { Registered } from "./registered.ts";
import type { Tally } from "./tally.ts";

/** A run somebody wants to start. */
export interface LaunchWish {
  readonly workflow: string;
  readonly status: "active" | "paused" | "deprecated";
  readonly posture: Posture;
  readonly hasApprovedLaunch: boolean;
  readonly depth: number;
  readonly args: JsonObject;
  readonly gateway: string | null;
  /** Whose team it is charged to; absent: none. */
  readonly team?: string | null;
  /** Whose start it is. */
  readonly keyId: string;
}

export interface LaunchScene {
  readonly at: number;
  readonly registered: Registered;
  readonly gateways: readonly Gateway[];
  readonly tally: Tally;
  readonly rate: RateFact | null;
}

export function judgeLaunchOf(wish: LaunchWish, { at, registered, gateways, tally, rate }: LaunchScene): Judgement {
  const { workflow, depth, args } = wish;
  const deployment = registered.deployments.find((one) => one.isActive && one.workflow === workflow);
  const pinned = wish.gateway ?? deployment?.gateway ?? null;
  const gateway = gatewayFor(gateways, pinned);
  const charged = { gateway: gateway?.id ?? null, agent: null, workflow, team: wish.team ?? null };
  return judgeLaunch({
    at,
    platform: registered.platform,
    workflowStatus: wish.status,
    posture: wish.posture,
    hasApprovedLaunch: wish.hasApprovedLaunch,
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
function gatewayFor(gateways: readonly Gateway[], pinned: string | null): Gateway | undefined {
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
  readonly #starts = new Map<string, number[]>();

  constructor(limit: { readonly count: number; readonly perSeconds: number } | null) {
    this.#limit = limit;
  }

  look(keyId: string, at: number): RateFact | null {
    if (this.#limit === null) return null;
    const { count, perSeconds } = this.#limit;
    const inside = (this.#starts.get(keyId) ?? []).filter((start) => start > at - perSeconds * 1_000);
    this.#starts.set(keyId, inside);
    const oldest = inside[inside.length - count];
    const freesAt = inside.length < count || oldest === undefined ? null : oldest + perSeconds * 1_000;
    return { count, perSeconds, used: inside.length, freesAt };
  }

  count(keyId: string, at: number): void {
    if (this.#limit === null) return;
    if (this.#starts.size > KEYS_MAX) this.#starts.clear();
    this.#starts.set(keyId, [...(this.#starts.get(keyId) ?? []), at]);
  }
}

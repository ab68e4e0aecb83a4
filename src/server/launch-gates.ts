import type { JsonObject } from "../core/base/index.ts";
import type { Block, Explanation } from "../core/governance/index.ts";
import type { LaunchWish } from "../governance/index.ts";
import type { WorkflowRecord } from "../store/index.ts";
import { type ApiProblemCode, API_PROBLEMS, Refused } from "./problem.ts";
import type { Call } from "./route.ts";

/** A run somebody is about to start, as far as the gates ask. */
export interface Launching {
  readonly workflow: string;
  /** Null: a run whose workflow is no longer kept; nothing is said of it then. */
  readonly record: Pick<WorkflowRecord, "status" | "posture"> | null;
  readonly args: JsonObject;
  readonly gateway: string | null;
  readonly depth?: number;
}

/** Asks the launch gates; whatever they refuse is told with its explanation. */
export async function requireLaunch(
  { services, principal }: Pick<Call<unknown, unknown>, "services" | "principal">,
  launching: Launching,
): Promise<void> {
  const wish = launchWish(launching, principal.keyId);
  const judgement = await services.governance.governor.judgeLaunch(principal.orgId, wish);
  if (judgement.disposition === "block") {
    throw refusedLaunch(judgement.block, judgement.explanation, services.config.now());
  }
}

export function launchWish({ workflow, record, args, gateway, depth = 0 }: Launching, keyId: string): LaunchWish {
  const { status = "active", posture = "bounded_autonomous" } = record ?? {};
  // Nobody can approve a launch before the run exists yet, so that none is approved.
  return { workflow, status, posture, hasApprovedLaunch: false, depth, args, gateway, keyId };
}

function refusedLaunch({ until }: Block, explanation: Explanation, now: number): Refused {
  const { code, message } = explanation;
  const detail = `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
  const wait = until === undefined ? 1 : Math.max(1, Math.ceil((until - now) / 1_000));
  const headers = code === "rate_limited" ? { headers: { "retry-after": String(wait) } } : {};
  const extras = { more: { explanation }, ...headers };
  return isKnown(code) ? new Refused(code, detail, extras) : new Refused("policy_blocked", detail, { ...extras, code });
}

function isKnown(code: string): code is ApiProblemCode {
  return Object.hasOwn(API_PROBLEMS, code);
}

import type { JsonObject } from "../core/base/index.ts";
import type { Explanation } from "../core/governance/index.ts";
import type { LaunchRuling, LaunchSubject } from "../governance/index.ts";
import type { WorkflowRecord } from "../store/index.ts";
import type { LaunchRefusal, LaunchResult } from "../launch/index.ts";
import { launched } from "./idempotency.ts";
import { type ApiProblemCode, API_PROBLEMS, Refused, refusedBy } from "./problem.ts";
import type { Call } from "./route.ts";

/** A run somebody is about to start, as far as the gates ask. */
export interface Launching {
  readonly workflow: string;
  /** Null: a run whose workflow is no longer kept; nothing is said of it then. */
  readonly record: Pick<WorkflowRecord, "status" | "posture"> | null;
  readonly args: JsonObject;
  readonly gateway: string | null;
  readonly depth?: number;
  readonly version?: number | null;
  readonly model?: string | null;
  readonly roleBindings?: Readonly<Record<string, string>>;
  readonly team?: string | null;
  /** What it is, unless it is a plain start. */
  readonly purpose?: string;
}

/** Asks the launch gates; whatever they refuse is told with its explanation. */
export async function requireLaunch(
  { services, principal }: Pick<Call<unknown, unknown>, "services" | "principal">,
  launching: Launching,
): Promise<LaunchRuling> {
  const { version = null, model = null, roleBindings = {}, team = null, purpose } = launching;
  const { hasApprovedLaunch: _none, ...subject } = launchSubject(launching, principal.keyId);
  const ruling = await services.governance.launches.judge(principal.orgId, {
    ...subject,
    version,
    model,
    roleBindings,
    team,
    ...(purpose === undefined ? {} : { purpose }),
    by: principal.label,
    agentId: principal.agentId,
  });
  const { judgement } = ruling;
  if (judgement.disposition === "block") {
    throw refusedLaunch(judgement.block, judgement.explanation, services.config.now());
  }
  return ruling;
}

export function launchSubject(
  { workflow, record, args, gateway, depth = 0 }: Launching,
  keyId: string,
): LaunchSubject & { readonly keyId: string } {
  const { status = "active", posture = "bounded_autonomous" } = record ?? {};
  return { workflow, status, posture, hasApprovedLaunch: false, depth, args, gateway, keyId };
}

/** The answer to whoever wanted a run. */
export function launchedRun(result: LaunchResult, now: number): Response {
  switch (result.kind) {
    case "started":
    case "repeated":
      return launched(result, "warnings" in result ? result.warnings : undefined);
    case "refused":
      throw refusedRun(result.refusal, now);
  }
}

function refusedRun({ code, message, problems, explanation, until }: LaunchRefusal, now: number): Refused {
  if (explanation !== undefined) return refusedLaunch({ until }, explanation, now);
  if (isKnown(code)) return new Refused(code, message, problems === undefined ? {} : { problems });
  return refusedBy({ code, message });
}

function refusedLaunch(
  { until }: { readonly until?: number | undefined },
  explanation: Explanation,
  now: number,
): Refused {
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

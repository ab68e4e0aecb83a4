import type { z } from "zod";
import type { answerBody } from "../contract/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import { changeAudit, readSpec } from "../registry/index.ts";
import type { ApprovalRecord } from "../store/index.ts";
import { requirePermission } from "./auth.ts";
import { Refused } from "./problem.ts";
import type { Call } from "./route.ts";

type GrantCall = Pick<Call<z.output<typeof answerBody>, unknown>, "services" | "principal" | "body">;

/** The grant sent with an answer: checked before the answer is submitted, stored once the answer counts. */
export interface AnsweredGrant {
  readonly name: string;
  readonly body: JsonObject;
}

/** Null when no grant is sent. Approvers may grant more calls of the run; a grant for all runs needs the right to write rules. */
export function readGrant({ principal, body }: GrantCall, approval: ApprovalRecord): AnsweredGrant | null {
  const { grant, decision } = body;
  if (grant === undefined) return null;
  const call = approval.subject?.call;
  if (call === undefined || decision !== "approve") {
    throw new Refused("grant_invalid", "A grant goes with the approval of a tool call, and with nothing else.");
  }
  if (grant.for === "agent") requirePermission(principal, "governance:write");
  const covered = grant.for === "run" ? { run: approval.runId } : { agent: approval.agentId ?? "default" };
  const { where, until } = grant;
  const tool = call.server === null ? call.tool : `${call.server}/${call.tool}`;
  const origin = { approval: approval.id, by: principal.label };
  const spec = { tool, ...covered, until, ...(where === undefined ? {} : { where }), ...origin };
  const name = approval.id.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  const read = readSpec("Grant", name, spec);
  if (read.ok) return { name, body: read.body };
  const problems = read.problems.map(({ code, message, path }) => ({ code, message, path: `grant.${path}` }));
  throw new Refused("grant_invalid", problems.map(({ message }) => message).join(" "), { problems });
}

/** Stores the grant as an entry that is listed and deleted like any other. Calls it covers are not held after that. */
export async function keepGrant({ services, principal }: GrantCall, { name, body }: AnsweredGrant): Promise<void> {
  const { orgId, keyId } = principal;
  const at = services.config.now();
  const change = { kind: "Grant", name, action: "created", before: undefined, after: body } as const;
  const put = { change: "put", kind: "grant", id: name, body, secrets: {} } as const;
  await services.store.applyEntries(orgId, [put], at, changeAudit(change, keyId, at));
  await services.governance.registered.refresh(orgId);
}

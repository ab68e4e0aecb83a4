import type { z } from "zod";
import { answerBody, approvalSchema, approvalsQuery, listOf } from "../../contract/index.ts";
import type { ApprovalInput } from "../../core/engine/index.ts";
import type { EventOf } from "../../core/event/index.ts";
import { type ApprovalRecord, isLaunchApproval, type Store } from "../../store/index.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { isOfRequester } from "../key-line.ts";
import { answerLaunch } from "../launch-answer.ts";
import { pageOf } from "../listing.ts";
import { Refused, refusedBy } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { approvalOnWire, listOnWire } from "../wire.ts";

export const approvalRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/approvals",
    operation: "approvals.list",
    summary: "Lists approvals, newest first.",
    permission: "governance:read",
    query: approvalsQuery,
    replies: { 200: { description: "One page", schema: listOf(approvalSchema) } },
    handle: async ({ services, principal, query }) => {
      const found = await services.store.listApprovals(principal.orgId, query.status ?? null, pageOf(query));
      return json(listOnWire(found, approvalOnWire));
    },
  }),
  defineRoute({
    method: "GET",
    path: "/approvals/{approvalId}",
    operation: "approvals.get",
    summary: "Shows an approval: what would be done, and what can be answered.",
    permission: "governance:read",
    replies: { 200: { description: "The approval", schema: approvalSchema } },
    handle: async (call) => json(approvalOnWire(await requireApproval(call))),
  }),
  defineRoute({
    method: "POST",
    path: "/approvals/{approvalId}/resolve",
    operation: "approvals.resolve",
    summary: "Answers an approval. The first answer counts.",
    permission: "governance:approve",
    body: { schema: answerBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false },
    replies: { 200: { description: "The approval as it is now", schema: approvalSchema } },
    handle: answer,
  }),
];

type ApprovalCall = Pick<Call<unknown, unknown>, "services" | "principal" | "params">;

async function requireApproval({ services, principal, params }: ApprovalCall): Promise<ApprovalRecord> {
  const { approvalId = "" } = params;
  const approval = await services.store.getApproval(principal.orgId, approvalId);
  if (approval === undefined) throw unknownApproval(approvalId);
  return approval;
}

function unknownApproval(approvalId: string): Refused {
  return new Refused("unknown_approval", `There is no approval "${approvalId}".`);
}

/** An answer as the rules read it, with what the server knows about the caller. */
export type ReadAnswer = Omit<ApprovalInput, "type" | "at" | "approvalId">;

async function answer(call: Call<z.output<typeof answerBody>, undefined>): Promise<Response> {
  const approval = await requireApproval(call);
  const given = await readAnswer(call, approval);
  const closed = isLaunchApproval(approval)
    ? await answerLaunch(call, approval, given)
    : await answerNode(call, approval, given);
  return json(approvalOnWire(closed));
}

async function readAnswer(
  { services, principal, body }: Call<z.output<typeof answerBody>, undefined>,
  approval: ApprovalRecord,
): Promise<ReadAnswer> {
  const { decision, reason, digest, modifications } = body;
  // Where any person may answer, it is not looked up who started the work.
  const byStarter = approval.isSeparate && (await isStarter(services.store, approval, principal.keyId));
  return {
    decision,
    by: principal.label,
    byId: principal.keyId,
    byStarter,
    ...(principal.agentId === null ? {} : { byAgentId: principal.agentId }),
    ...(reason === undefined ? {} : { reason }),
    ...(digest === undefined ? {} : { digest }),
    ...(modifications === undefined ? {} : { modifications }),
  };
}

async function isStarter(store: Store, approval: ApprovalRecord, callerId: string): Promise<boolean> {
  const { orgId, runId } = approval;
  if (isLaunchApproval(approval)) return isOfRequester(store, orgId, callerId, approval.requestedBy);
  const run = await store.getRun(orgId, runId);
  return isOfRequester(store, orgId, callerId, run?.requestedBy ?? run?.startedBy ?? null);
}

/** Returns the closed approval. The event of the commit says how it was closed, so that it is not read again. */
async function answerNode(call: ApprovalCall, approval: ApprovalRecord, given: ReadAnswer): Promise<ApprovalRecord> {
  const { runtime } = call.services;
  const { id, orgId, runId } = approval;
  const closings: EventOf<"approval.resolved">[] = [];
  const stop = runtime.onCommitted((_runId, events) => {
    for (const event of events) {
      if (event.type === "approval.resolved" && event.payload.approvalId === id) closings.push(event);
    }
  });
  try {
    const outcome = await runtime.submit(orgId, runId, { type: "approval", approvalId: id, ...given });
    if (outcome === undefined) throw unknownApproval(id);
    if (outcome.refusal !== undefined) throw refusedBy(outcome.refusal);
  } finally {
    stop();
  }
  const [closing] = closings;
  if (closing === undefined) return requireApproval(call);
  const { status, decision = null, by = null, reason = null, modifications = null } = closing.payload;
  return { ...approval, status, choice: decision, resolvedBy: by, resolvedAt: closing.at, reason, modifications };
}

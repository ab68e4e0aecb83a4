import type { z } from "zod";
import { answerBody, approvalSchema, approvalsQuery, listOf } from "../../contract/index.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { isOfRequester } from "../key-line.ts";
import { answerLaunch } from "../launch-answer.ts";
import { pageOf } from "../listing.ts";
import { Refused, refusedBy } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { approvalOnWire, listOnWire } from "../wire.ts";
import { type ApprovalRecord, isLaunchApproval } from "../../store/index.ts";

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
  if (approval === undefined) throw new Refused("unknown_approval", `There is no approval "${approvalId}".`);
  return approval;
}

async function answer(call: Call<z.output<typeof answerBody>, undefined>): Promise<Response> {
  const { services, principal, body } = call;
  const approval = await requireApproval(call);
  if (isLaunchApproval(approval)) {
    await answerLaunch(call, approval, body);
    return json(approvalOnWire(await requireApproval(call)));
  }
  const { id, runId, orgId } = approval;
  const run = await services.store.getRun(orgId, runId);
  const { decision, reason, digest, modifications } = body;
  const outcome = await services.runtime.submit(orgId, runId, {
    type: "approval",
    approvalId: id,
    decision,
    by: principal.label,
    byId: principal.keyId,
    byStarter: await isOfRequester(services.store, orgId, principal.keyId, run?.startedBy ?? null),
    ...(principal.agentId === null ? {} : { byAgentId: principal.agentId }),
    ...(reason === undefined ? {} : { reason }),
    ...(digest === undefined ? {} : { digest }),
    ...(modifications === undefined ? {} : { modifications }),
  });
  if (outcome === undefined) throw new Refused("unknown_approval", `There is no approval "${id}".`);
  if (outcome.refusal !== undefined) throw refusedBy(outcome.refusal);
  return json(approvalOnWire(await requireApproval(call)));
}

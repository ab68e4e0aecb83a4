import { isDeepStrictEqual } from "node:util";
import type { z } from "zod";
import { answerBody, approvalSchema } from "../../contract/index.ts";
import { type ApprovalInput, OF_LAUNCH, OF_NODE, refuseAnswer } from "../../core/engine/index.ts";
import type { EventOf } from "../../core/event/index.ts";
import { type ApprovalRecord, isLaunchApproval, OrganisationMoving, type Store } from "../../store/index.ts";
import { keepGrant, readGrant } from "../answer-grant.ts";
import { answersAs } from "../answers-as.ts";
import { requirePermission } from "../auth.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { hasKnownPerson, idsBehind, idsOfOthers, isOfRequester } from "../key-chain.ts";
import { answerLaunch } from "../launch-answer.ts";
import { Refused, refusedBy } from "../problem.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { approvalOnWire } from "../wire.ts";

export const approvalRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/approvals/{approvalId}",
    operation: "approvals.get",
    summary: "Shows an approval with its exact request and the possible answers.",
    permission: "governance:read",
    replies: { 200: { description: "The approval", schema: approvalSchema } },
    handle: async (call) => json(approvalOnWire(await requireApproval(call))),
  }),
  defineRoute({
    method: "POST",
    path: "/approvals/{approvalId}/resolve",
    operation: "approvals.resolve",
    summary: "Answers an approval. With a quorum, it stays open until enough people have approved.",
    permission: "governance:approve",
    body: { schema: answerBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false },
    replies: { 200: { description: "The changed approval", schema: approvalSchema } },
    handle: async (call) => json(approvalOnWire(await answerApproval(call))),
  }),
];

type ApprovalCall = Pick<Call<unknown, unknown>, "services" | "principal" | "params">;

export async function requireApproval({ services, principal, params }: ApprovalCall): Promise<ApprovalRecord> {
  const { approvalId = "" } = params;
  const approval = await services.store.getApproval(principal.orgId, approvalId);
  if (approval === undefined) throw unknownApproval(approvalId);
  return approval;
}

export function unknownApproval(approvalId: string): Refused {
  return new Refused("unknown_approval", `There is no approval "${approvalId}".`);
}

/** An answer in the form that the rules judge, with the server's data about the caller. */
export type ReadAnswer = Omit<ApprovalInput, "type" | "at" | "approvalId">;

/** The data by which an answer is judged: its caller and its content. */
export interface AnswerCall extends Pick<
  Call<z.output<typeof answerBody>, unknown>,
  "services" | "principal" | "params" | "body"
> {
  /** The address of a person who is otherwise unknown, and answers as `user:` with this address. */
  readonly address?: string;
}

/** Number of tries to answer when several people answer at the same moment. */
const TRIES = 20;

/** Processes one answer. All ways to answer use it: the API, ticket pages, channels. */
export async function answerApproval(call: AnswerCall): Promise<ApprovalRecord> {
  let approval = await requireApproval(call);
  for (let tried = 1; ; tried += 1) {
    try {
      return await answerOnce(call, approval);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      // Of those who have answered since the approval was read, it is not known yet that they are other persons.
      const isUnsure = error.code === "already_answered" && tried < TRIES;
      const newer = isUnsure ? await readAgain(call) : approval;
      if (isDeepStrictEqual(newer.answers, approval.answers)) {
        if (AUDITED.has(error.code)) await noteRefused(call, approval, error);
        throw error;
      }
      approval = newer;
    }
  }
}

async function answerOnce(call: AnswerCall, approval: ApprovalRecord): Promise<ApprovalRecord> {
  const given = await readAnswer(call, approval);
  const grant = readGrant(call, approval);
  requireDigest(call, approval, given);
  const closed = isLaunchApproval(approval)
    ? await answerLaunch(call, approval, given)
    : await answerNode(call, approval, given);
  // With a quorum, others may have answered at the same moment.
  const now = approval.quorum === 1 && closed !== undefined ? closed : await readAgain(call);
  if (grant !== null && now.status === "approved") await keepGrant(call, grant);
  return now;
}

/** Reads an approval that was there when its answer began. If it is gone, the organisation has moved to another cell meanwhile. */
async function readAgain({ services, principal, params }: ApprovalCall): Promise<ApprovalRecord> {
  const approval = await services.store.getApproval(principal.orgId, params["approvalId"] ?? "");
  if (approval === undefined) throw new OrganisationMoving(principal.orgId, null);
  return approval;
}

/** Requires the digest of the subject in answers from a page. A caller who may not answer at all is refused for that reason first. */
function requireDigest({ principal, body }: AnswerCall, approval: ApprovalRecord, given: ReadAnswer): void {
  if (principal.sessionId === null || approval.subjectDigest === null || body.subjectDigest !== undefined) return;
  const refusal = refuseAnswer(approval, given, isLaunchApproval(approval) ? OF_LAUNCH : OF_NODE);
  if (refusal !== undefined) throw refusedBy(refusal);
  const detail = "An answer from a page carries subjectDigest, the digest of what the page has shown.";
  throw new Refused("digest_required", detail);
}

/** Refusals to audit: the answer would have had an effect if it were allowed, first, in time and about the present subject. */
const AUDITED: ReadonlySet<string> = new Set([
  "not_an_approver",
  "self_approval",
  "approval_closed",
  "already_answered",
  "content_changed",
  "tool_denied",
]);

async function noteRefused({ services, principal, body }: AnswerCall, approval: ApprovalRecord, why: Refused) {
  const { id, runId: run, nodeId: node } = approval;
  const about = isLaunchApproval(approval) ? { id } : { id, run, node };
  await services.refusals.noteAnswer(services, principal, about, { code: why.code, decision: body.decision });
}

export async function readAnswer(
  { services, principal, body, address }: AnswerCall,
  approval: ApprovalRecord,
): Promise<ReadAnswer> {
  const { decision, reason, digest, subjectDigest, modifications, form, override } = body;
  if (override === true) requirePermission(principal, "governance:write");
  const { store, config } = services;
  const { personId, label: by, keyId: byId } = principal;
  // The requester is looked up only where a second person must answer.
  const starter = approval.isSeparate ? await starterOf(store, approval) : null;
  const second = approval.isSeparate ? await secondPerson(store, approval.orgId, byId, starter, address) : {};
  const requesters = starter === null ? [] : await idsBehind(store, approval.orgId, starter);
  const earlier = approval.answers.flatMap((one) => one.byId ?? []);
  const names = address === undefined ? await answersAs(store, principal, requesters) : addressNames(approval, address);
  return {
    decision,
    by,
    byId,
    ...(personId === null ? {} : { personId }),
    ...second,
    ...(approval.quorum === 1 ? {} : { otherIds: await idsOfOthers(store, approval.orgId, byId, earlier) }),
    ...(config.approvers === "advisory" ? {} : { as: names }),
    ...(override === true ? { isOverride: true } : {}),
    ...(principal.agentId === null ? {} : { byAgentId: principal.agentId }),
    ...(reason === undefined ? {} : { reason }),
    ...(digest === undefined ? {} : { digest }),
    ...(subjectDigest === undefined ? {} : { subjectDigest }),
    ...(modifications === undefined ? {} : { modifications }),
    ...(form === undefined ? {} : { form }),
  };
}

/** Compares addresses without case, as mail systems do. */
function addressNames({ approvers }: ApprovalRecord, address: string): readonly string[] {
  const name = `user:${address.toLowerCase()}`;
  return [name, ...approvers.map(({ who }) => who).filter((who) => who.toLowerCase() === name)];
}

type SecondPerson = Pick<ReadAnswer, "byStarter" | "isUnowned">;

/** Checks whether the caller is or represents the person who started the work, or has no known person at all. */
async function secondPerson(
  store: Store,
  orgId: string,
  callerId: string,
  starter: string | null,
  address: string | undefined,
): Promise<SecondPerson> {
  if (address !== undefined) return { isUnowned: true };
  const byStarter = await isOfRequester(store, orgId, callerId, starter);
  return { byStarter, ...((await hasKnownPerson(store, orgId, callerId)) ? {} : { isUnowned: true }) };
}

async function starterOf(store: Store, approval: ApprovalRecord): Promise<string | null> {
  if (isLaunchApproval(approval)) return approval.requestedBy;
  const run = await store.getRun(approval.orgId, approval.runId);
  return run?.requestedBy ?? run?.startedBy ?? null;
}

/** Returns the closed approval. It is built from the event of the commit, so that it is not read again. */
async function answerNode(
  { services }: AnswerCall,
  approval: ApprovalRecord,
  given: ReadAnswer,
): Promise<ApprovalRecord | undefined> {
  const { id, orgId, runId } = approval;
  const closings: EventOf<"approval.resolved">[] = [];
  const stop = services.runtime.onCommitted((_runId, events) => {
    for (const event of events) {
      if (event.type === "approval.resolved" && event.payload.approvalId === id) closings.push(event);
    }
  });
  try {
    const outcome = await services.runtime.submit(orgId, runId, { type: "approval", approvalId: id, ...given });
    if (outcome === undefined) throw unknownApproval(id);
    if (outcome.refusal !== undefined) throw refusedBy(outcome.refusal);
  } finally {
    stop();
  }
  const [closing] = closings;
  return closing === undefined ? undefined : closedBy(approval, closing);
}

function closedBy(approval: ApprovalRecord, { payload, at }: EventOf<"approval.resolved">): ApprovalRecord {
  const { status, decision = null, by = null, byId = null, personId = null, reason = null } = payload;
  const { modifications = null, form = null } = payload;
  const answers = decision === null || by === null ? [] : [{ by, byId, personId, decision, at }];
  const closing = { status, choice: decision, resolvedBy: by, resolvedAt: at, reason, modifications, entered: form };
  return { ...approval, ...closing, answers };
}

import { randomBytes } from "node:crypto";
import type { z } from "zod";
import {
  answerRightSchema,
  approvalCountsSchema,
  approvalSchema,
  approvalsQuery,
  assigneeBody,
  bulkAnswerBody,
  bulkAnsweredSchema,
  commentBody,
  commentSchema,
  type InboxItem,
  inboxItemSchema,
  listOf,
  pageQuery,
} from "../../contract/index.ts";
import { auditEntry, type AuditEntry } from "../../core/audit/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import { isoFromEpochMs } from "../../core/view/index.ts";
import type { ApprovalCommentRecord, ApprovalFilter, ApprovalRow } from "../../store/index.ts";
import { rightToAnswer } from "../answer-right.ts";
import { answererOf } from "../answerer-of.ts";
import { answersAs } from "../answers-as.ts";
import { BODY_BYTES_MAX, JSON_TYPE } from "../body.ts";
import { answerMany } from "../bulk-answer.ts";
import { pageOf } from "../listing.ts";
import { readMoment } from "../moment-query.ts";
import { type Call, defineRoute, json, type Route } from "../route.ts";
import { approvalOnWire, listOnWire } from "../wire.ts";
import { requireApproval, unknownApproval } from "./approvals.ts";

export const approvalInboxRoutes: readonly Route[] = [
  defineRoute({
    method: "GET",
    path: "/approvals",
    operation: "approvals.list",
    summary: "Lists approvals, newest first by default.",
    permission: "governance:read",
    query: approvalsQuery,
    replies: { 200: { description: "One page", schema: listOf(inboxItemSchema) } },
    handle: async (call) => {
      const { services, principal, query } = call;
      const { order, include, grouped } = query;
      const filter = await filterOf(call);
      if (filter === null) return json({ data: [] });
      const listing = { filter, order, withSubject: include === "subject", isGrouped: grouped === "true" };
      return json(listOnWire(await services.store.findApprovals(principal.orgId, listing, pageOf(query)), itemOnWire));
    },
  }),
  defineRoute({
    method: "GET",
    path: "/approvals/counts",
    operation: "approvals.counts",
    summary: "Counts the waiting approvals: all of them, and those of the caller.",
    permission: "governance:read",
    replies: { 200: { description: "The counts", schema: approvalCountsSchema } },
    handle: async (call) => json(await countsFor(call)),
  }),
  defineRoute({
    method: "POST",
    path: "/approvals/resolve",
    operation: "approvals.resolveMany",
    summary: "Answers up to 200 approvals. Each answer is checked and recorded on its own.",
    permission: "governance:approve",
    body: { schema: bulkAnswerBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false },
    replies: { 200: { description: "Result of each answer", schema: bulkAnsweredSchema } },
    handle: async ({ services, principal, body }) => json(await answerMany({ services, principal }, body.answers)),
  }),
  defineRoute({
    method: "GET",
    path: "/approvals/{approvalId}/right",
    operation: "approvals.right",
    summary: "Shows whether the caller may answer an approval, and the reason if not.",
    permission: "governance:read",
    replies: { 200: { description: "The right of the caller", schema: answerRightSchema } },
    handle: async (call) => json(await rightToAnswer(call, await requireApproval(call))),
  }),
  defineRoute({
    method: "GET",
    path: "/approvals/{approvalId}/comments",
    operation: "approvals.comments",
    summary: "Lists the comments on an approval, oldest first.",
    permission: "governance:read",
    query: pageQuery,
    replies: { 200: { description: "One page", schema: listOf(commentSchema) } },
    handle: async (call) => {
      const { id, orgId } = await requireApproval(call);
      return json(listOnWire(await call.services.store.listComments(orgId, id, pageOf(call.query)), commentOnWire));
    },
  }),
  defineRoute({
    method: "POST",
    path: "/approvals/{approvalId}/comments",
    operation: "approvals.comment",
    summary: "Adds a comment to an approval, without answering it.",
    permission: "governance:approve",
    body: { schema: commentBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false },
    replies: { 201: { description: "The comment", schema: commentSchema } },
    handle: comment,
  }),
  defineRoute({
    method: "PUT",
    path: "/approvals/{approvalId}/assignee",
    operation: "approvals.assign",
    summary: "Assigns an approval to a person, a role, a team or a key. It does not change who may answer.",
    permission: "governance:approve",
    body: { schema: assigneeBody, bytesMax: BODY_BYTES_MAX.other, types: [JSON_TYPE], isOptional: false },
    replies: { 200: { description: "The changed approval", schema: approvalSchema } },
    handle: assign,
  }),
];

function itemOnWire({ approval, group, groupSize }: ApprovalRow): InboxItem {
  return { ...approvalOnWire(approval), group, groupSize };
}

function commentOnWire({ at, ...comment }: ApprovalCommentRecord): z.output<typeof commentSchema> {
  return { ...comment, at: isoFromEpochMs(at) };
}

type Asking = Pick<Call<unknown, unknown>, "services" | "principal">;

/** Null when no approval can match. */
async function filterOf(call: Asking & Pick<Call<unknown, z.output<typeof approvalsQuery>>, "query">) {
  const { services, principal, query } = call;
  const { status, workflow, source, run, agent, assignee, mine, older_than, q, group } = query;
  if (mine === "true" && !principal.permissions.has("governance:approve")) return null;
  const until = readMoment("older_than", older_than, services.config.now());
  const filter: ApprovalFilter = {
    ...(status === undefined ? {} : { status }),
    ...(workflow === undefined ? {} : { workflow }),
    ...(source === undefined ? {} : { source }),
    ...(run === undefined ? {} : { runId: run }),
    ...(agent === undefined ? {} : { agentId: agent }),
    ...(assignee === undefined ? {} : { assignee: await assigneesOf(call, assignee) }),
    ...(until === null ? {} : { requestedUntil: until }),
    ...(q === undefined ? {} : { text: q }),
    ...(group === undefined ? {} : { group }),
    ...(mine === "true" ? { answerer: await answererOf(call) } : {}),
  };
  return filter;
}

async function assigneesOf({ services, principal }: Asking, written: string): Promise<readonly string[] | null> {
  if (written === "none") return null;
  return written === "me" ? answersAs(services.store, principal) : [written];
}

async function countsFor(call: Asking) {
  const { services, principal } = call;
  const count = (filter: ApprovalFilter): Promise<number> =>
    services.store.countApprovals(principal.orgId, { ...filter, status: "pending" });
  const mayAnswer = principal.permissions.has("governance:approve");
  const [waiting, mine, assigned] = await Promise.all([
    count({}),
    mayAnswer ? count({ answerer: await answererOf(call) }) : 0,
    count({ assignee: await answersAs(services.store, principal) }),
  ]);
  return { waiting, mine, assigned };
}

async function comment(call: Call<z.output<typeof commentBody>, undefined>): Promise<Response> {
  const { services, principal, body } = call;
  const { id: approvalId, orgId } = await requireApproval(call);
  const at = services.config.now();
  // Comments of the same millisecond keep their order, because ids of one process always increase.
  const id = `cmt_${process.hrtime.bigint().toString(16).padStart(16, "0")}${randomBytes(6).toString("hex")}`;
  const { label: by, keyId: byId, personId } = principal;
  const added: ApprovalCommentRecord = { id, at, by, byId, personId, text: body.text };
  const entry = entryOf(call, approvalId, "approval.commented", { approvalId, commentId: id, by });
  if (!(await services.store.addComment(orgId, approvalId, added, entry))) throw unknownApproval(approvalId);
  return json(commentOnWire(added), 201);
}

async function assign(call: Call<z.output<typeof assigneeBody>, undefined>): Promise<Response> {
  const { services, principal, body } = call;
  const approval = await requireApproval(call);
  const { id, orgId } = approval;
  const assignee = body.to === "me" ? await ownName(call) : body.to;
  const detail = { approvalId: id, by: principal.label, to: assignee, before: approval.assignee };
  const entry = entryOf(call, id, "approval.assigned", detail);
  if (!(await services.store.assignApproval(orgId, id, assignee, entry))) throw unknownApproval(id);
  return json(approvalOnWire({ ...approval, assignee }));
}

/** Returns the name that people see: the address of a person, else the label of a key. */
async function ownName({ services, principal }: Asking): Promise<string> {
  const names = await answersAs(services.store, principal);
  const person = names.find((name) => name.startsWith("user:") && name.includes("@"));
  return person ?? names.find((name) => name.startsWith("user:")) ?? names.at(-1) ?? `key:${principal.keyId}`;
}

function entryOf(
  { services, principal }: Asking,
  approvalId: string,
  type: "approval.commented" | "approval.assigned",
  detail: JsonObject,
): AuditEntry {
  const at = services.config.now();
  return auditEntry({ at, type, actor: principal.keyId, resource: `approval/${approvalId}`, detail });
}

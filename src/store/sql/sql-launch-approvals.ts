import type { AuditEntry } from "../../core/audit/index.ts";
import type { ApprovalRecord } from "../approval-record.ts";
import { appendedAuditId } from "../audit-id.ts";
import {
  type LaunchAnswer,
  type LaunchApproval,
  type LaunchApprovalStore,
  NO_RUN,
  withAnswer,
} from "../launch-approval-store.ts";
import { NOW_MS, type Sql } from "../sql.ts";
import { APPROVAL, APPROVAL_BODY, type ApprovalBody, approvalOf, rewriteApprovals, rowOf } from "./approval-rows.ts";

export function sqlLaunchApprovals(sql: Sql): LaunchApprovalStore {
  return {
    askLaunch: (approval, entry) => sql.transaction((within) => ask(within, approval, entry)),
    answerLaunch: (orgId, given, entry) => sql.transaction((within) => answer(within, orgId, given, entry)),
    findApprovedLaunch: async (orgId, digest) =>
      (await sql.query<{ approval_id: string }>(FIND, [orgId, digest]))[0]?.approval_id,
    useLaunch: async (orgId, digest, approvalId) => (await sql.query(USE, [orgId, digest, approvalId])).length > 0,
    returnLaunch: async (orgId, digest, approvalId) => {
      await sql.query(RETURN, [orgId, digest, approvalId]);
    },
    dueLaunches: (limit) => due(sql, limit),
    moveLaunch: (approval, entry) => sql.transaction((within) => move(within, approval, entry)),
    dropUnusedLaunches: async (limit) => (await sql.query(DROP_UNUSED, [limit])).length,
  };
}

/** A second writer waits here for the first, and then finds the row of the first. */
const CLAIM = {
  name: "claim a launch",
  text: `insert into launch_approvals as l (org_id, digest, approval_id, expires_at) values ($1, $2, $3, $4)
    on conflict (org_id, digest) do update set approval_id = excluded.approval_id, expires_at = excluded.expires_at
      where l.expires_at <= ${NOW_MS}
    returning approval_id`,
};
const OPEN = {
  name: "open the approval of a launch",
  text: `insert into approvals (${APPROVAL.list()}) values (${APPROVAL.places})`,
};
const STANDING = {
  name: "standing approval of a launch",
  text: `select ${APPROVAL_BODY} from launch_approvals l join approvals a on a.id = l.approval_id
    where l.org_id = $1 and l.digest = $2`,
};
const NOTE = {
  name: "note a launch",
  text: "insert into audit_pending (id, org_id, at, body) values ($1, $2, $3, $4)",
};

async function ask(sql: Sql, approval: ApprovalRecord, entry: AuditEntry): Promise<ApprovalRecord> {
  const { id, orgId, digest, expiresAt } = approval;
  const claimed = await sql.query(CLAIM, [orgId, digest, id, expiresAt]);
  if (claimed.length === 0) {
    const [standing] = await sql.query<ApprovalBody>(STANDING, [orgId, digest]);
    return standing === undefined ? approval : approvalOf(standing);
  }
  await sql.query(OPEN, APPROVAL.values({ ...rowOf(approval), runId: NO_RUN }));
  await note(sql, orgId, entry);
  return approval;
}

async function note(sql: Sql, orgId: string, entry: AuditEntry): Promise<void> {
  await sql.query(NOTE, [appendedAuditId(), orgId, entry.at, JSON.stringify([entry])]);
}

const HELD = {
  name: "approval of a launch to answer",
  text: `select ${APPROVAL_BODY} from approvals a join launch_approvals l on l.approval_id = a.id
    where a.org_id = $1 and a.id = $2 and a.run_id = '' and a.status = 'pending' and l.expires_at > ${NOW_MS}
    for update of a`,
};
const FORGET = { name: "forget a launch", text: "delete from launch_approvals where approval_id = $1" };

async function answer(sql: Sql, orgId: string, given: LaunchAnswer, entry: AuditEntry): Promise<boolean> {
  const [row] = await sql.query<ApprovalBody>(HELD, [orgId, given.id]);
  const approval = row === undefined ? undefined : (approvalOf(row) as LaunchApproval);
  if (approval === undefined || approval.answers.length !== given.seen) return false;
  await rewriteApprovals(sql, [withAnswer(approval, given)]);
  // Removes the claim after a rejection, so that a new request for the same launch opens a new approval.
  if (given.status === "rejected") await sql.query(FORGET, [given.id]);
  await note(sql, orgId, entry);
  return true;
}

const FIND = {
  name: "approved launch",
  text: `select l.approval_id from launch_approvals l join approvals a on a.id = l.approval_id
    where l.org_id = $1 and l.digest = $2 and a.status = 'approved' and l.expires_at > ${NOW_MS}`,
};
const USE = {
  name: "use an approved launch",
  text: `delete from launch_approvals l using approvals a
    where l.org_id = $1 and l.digest = $2 and l.approval_id = $3 and a.id = l.approval_id and a.status = 'approved'
      and l.expires_at > ${NOW_MS}
    returning l.approval_id`,
};
const RETURN = {
  name: "return an approved launch",
  text: `insert into launch_approvals (org_id, digest, approval_id, expires_at)
    select $1, $2, id, (body::jsonb->>'expiresAt')::bigint from approvals
    where org_id = $1 and id = $3 and run_id = '' and status = 'approved'
    on conflict do nothing`,
};
/** All waiting approvals are in the index of pending ones, and there are few. */
const DUE = {
  name: "due launches",
  text: `select ${APPROVAL_BODY} from approvals a
    where a.run_id = '' and a.status = 'pending' and coalesce((a.body::jsonb->'chain'->>'dueAt')::bigint, 0) <= ${NOW_MS}
    order by coalesce((a.body::jsonb->'chain'->>'dueAt')::bigint, 0), a.id limit $1`,
};
const TIME = { name: "time for launches", text: `select ${NOW_MS} as now` };
const MOVABLE = {
  name: "launch to move",
  text: `select id from approvals
    where org_id = $1 and id = $2 and run_id = '' and status = 'pending'
      and coalesce((body::jsonb->'chain'->>'steps')::int, 0) = $3
    for update`,
};
const EXTEND = {
  name: "extend a launch",
  text: "update launch_approvals set expires_at = $2 where approval_id = $1",
};
const DROP_UNUSED = {
  name: "drop unused launches",
  skipsMovingOrganisation: true,
  text: `delete from launch_approvals where approval_id = any(array(
      select l.approval_id from launch_approvals l join approvals a on a.id = l.approval_id
      where l.expires_at <= ${NOW_MS} and a.status <> 'pending' order by l.expires_at limit $1
      for update of l skip locked))
    returning approval_id`,
};

async function due(sql: Sql, limit: number) {
  const [time] = await sql.query<{ now: number }>(TIME);
  const rows = await sql.query<ApprovalBody>(DUE, [limit]);
  return { now: time?.now ?? 0, approvals: rows.map((row) => approvalOf(row) as LaunchApproval) };
}

async function move(sql: Sql, approval: LaunchApproval, entry: AuditEntry | null): Promise<boolean> {
  const { id, orgId, status, expiresAt, chain } = approval;
  const movable = await sql.query(MOVABLE, [orgId, id, (chain?.steps ?? 0) - 1]);
  if (movable.length === 0) return false;
  await rewriteApprovals(sql, [approval]);
  if (status === "approved") await sql.query(EXTEND, [id, expiresAt]);
  else if (status !== "pending") await sql.query(FORGET, [id]);
  if (entry !== null) await note(sql, orgId, entry);
  return true;
}

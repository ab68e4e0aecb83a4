import type { ApprovalSource, ApprovalStatus } from "../../core/event/index.ts";
import { indexOf } from "../approval-index.ts";
import type { Sql } from "../sql.ts";
import { type ApprovalChange, type ApprovalClosing, type ApprovalRecord, readApproval } from "../approval-record.ts";
import type { RunCommit } from "../store.ts";
import { bigint, boolean, Columns, oneOf, optional, parsed, type RecordOf, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

type Subject = NonNullable<ApprovalRecord["subject"]>;

/** The record without its subject, and the columns for searching it. The assignee is stored only as a column. */
export const APPROVAL = new Columns({
  id: text,
  orgId: text,
  runId: text,
  status: oneOf<ApprovalStatus>(),
  requestedAt: bigint,
  expiresAt: bigint,
  workflow: optional(text),
  source: oneOf<ApprovalSource>(),
  asks: text,
  answered: text,
  isSeparate: boolean,
  requester: optional(text),
  groupKey: optional(text),
  search: text,
  subject: optional(parsed<Subject>("json")),
  body: parsed<ApprovalRecord>("json"),
});

/** A row as read. `subject` is absent when it was not selected. */
export interface ApprovalBody {
  readonly body: string;
  readonly assignee: string | null;
  readonly subject?: string | null;
}

/** The columns of `ApprovalBody`. */
export const APPROVAL_BODY = "a.body, a.assignee, a.subject";

export function rowOf(approval: ApprovalRecord): RecordOf<typeof APPROVAL.fields> {
  const { id, orgId, runId, status, requestedAt, expiresAt, source, isSeparate, subject } = approval;
  const { group, ...index } = indexOf(approval);
  const body = { ...approval, subject: null };
  return {
    id,
    orgId,
    runId,
    status,
    requestedAt,
    expiresAt,
    source,
    isSeparate,
    subject,
    ...index,
    groupKey: group,
    body,
  };
}

export function approvalOf({ body, assignee, subject = null }: ApprovalBody): ApprovalRecord {
  const approval = readApproval(body);
  return { ...approval, assignee, subject: subject === null ? null : (JSON.parse(subject) as Subject) };
}

const OPEN = {
  name: "open approvals",
  text: `insert into approvals (${APPROVAL.list()}) select * from ${APPROVAL.unnest()} on conflict (id) do nothing`,
};

const REWRITE = {
  name: "rewrite approvals",
  text: `insert into approvals as a (${APPROVAL.list()}) select * from ${APPROVAL.unnest()}
    on conflict (id) do update set ${APPROVAL.updatesExcept("id", "orgId", "runId")}`,
};

/** Locks rows in one order, so that two writers of the same rows wait for each other instead of both failing. */
const SELECT = {
  name: "select approvals to change",
  text: `select ${APPROVAL_BODY} from approvals a where id = any($1::text[]) order by id for update`,
};

/** Writes approvals of a batch. One answer to many approvals is a commit of many runs, so one statement changes all of them. */
export async function writeApprovals(sql: Sql, written: readonly RunCommit[]): Promise<void> {
  const opened = written.flatMap(({ approvalsOpened }) => approvalsOpened);
  if (opened.length > 0) await sql.query(OPEN, APPROVAL.batch(opened.map(rowOf)));
  const changes = written.flatMap(({ runId, approvalsChanged, approvalsClosed }) =>
    [...approvalsChanged, ...approvalsClosed].map((change) => ({ runId, change })),
  );
  if (changes.length > 0) await changeRows(sql, changes);
}

interface RowChange {
  readonly runId: string;
  readonly change: ApprovalChange | ApprovalClosing;
}

async function changeRows(sql: Sql, changes: readonly RowChange[]): Promise<void> {
  const ids = [...new Set(changes.map(({ change }) => change.id))];
  const rows = await sql.query<ApprovalBody>(SELECT, [ids]);
  const approvals = new Map(rows.map(approvalOf).map((approval) => [approval.id, approval]));
  for (const { runId, change } of changes) {
    const approval = approvals.get(change.id);
    if (approval?.runId === runId) approvals.set(change.id, { ...approval, ...change });
  }
  await rewriteApprovals(sql, [...approvals.values()]);
}

/** Writes approvals whose rows are locked. */
export async function rewriteApprovals(sql: Sql, approvals: readonly ApprovalRecord[]): Promise<void> {
  if (approvals.length > 0) await sql.query(REWRITE, APPROVAL.batch(approvals.map(rowOf)));
}

const SELECT_BY = {
  run_id: {
    name: "select approvals of run to erase",
    text: `select ${APPROVAL_BODY} from approvals a where run_id = $1 order by id for update`,
  },
  id: {
    name: "select approval to erase",
    text: `select ${APPROVAL_BODY} from approvals a where id = $1 and run_id = '' for update`,
  },
};

/** Rewrites the approvals of a run, or the one of a launch. Columns derived from their texts are rewritten too. */
export async function eraseApprovals(
  sql: Sql,
  by: keyof typeof SELECT_BY,
  value: string,
  erase: (approval: ApprovalRecord) => ApprovalRecord,
): Promise<void> {
  const rows = await sql.query<ApprovalBody>(SELECT_BY[by], [value]);
  await rewriteApprovals(sql, rows.map(approvalOf).map(erase));
}

const LAUNCHES = {
  name: "approvals of launches",
  text: `select ${APPROVAL_BODY} from approvals a
    where run_id = '' and org_id = $1 and id > $2 order by id limit $3`,
};

export async function launchesAfter(
  sql: Sql,
  orgId: string,
  afterId: string,
  limit: number,
): Promise<readonly ApprovalRecord[]> {
  return (await sql.query<ApprovalBody>(LAUNCHES, [orgId, afterId, limit])).map(approvalOf);
}

const GET = {
  name: "get approval",
  text: `select ${APPROVAL_BODY} from approvals a where org_id = $1 and id = $2`,
};

export async function getApproval(sql: Sql, orgId: string, id: string): Promise<ApprovalRecord | undefined> {
  const [row] = await lookUp<ApprovalBody>(sql, GET, [orgId, id]);
  return row === undefined ? undefined : approvalOf(row);
}

import type { ApprovalSource, ApprovalStatus } from "../../core/event/index.ts";
import { indexOf } from "../approval-index.ts";
import type { Sql } from "../sql.ts";
import { type ApprovalChange, type ApprovalClosing, type ApprovalRecord, readApproval } from "../approval-record.ts";
import type { RunCommit } from "../store.ts";
import { bigint, boolean, Columns, oneOf, optional, parsed, type RecordOf, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";

type Subject = NonNullable<ApprovalRecord["subject"]>;

/** The record without its subject, beside the columns it is found by. Whom it is assigned to is only a column. */
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

/** A row as it is read: `subject` is absent where it was not asked for. */
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
  name: "rewrite approval",
  text: `insert into approvals as a (${APPROVAL.list()}) values (${APPROVAL.places})
    on conflict (id) do update set ${APPROVAL.updatesExcept("id", "orgId", "runId")}`,
};

const SELECT = {
  name: "select approval to change",
  text: `select ${APPROVAL_BODY} from approvals a where id = $1 and run_id = $2 for update`,
};

/** Approvals are answered by people, one by one: changing them row by row costs nothing that matters. */
export async function writeApprovals(sql: Sql, written: readonly RunCommit[]): Promise<void> {
  const opened = written.flatMap(({ approvalsOpened }) => approvalsOpened);
  if (opened.length > 0) await sql.query(OPEN, APPROVAL.batch(opened.map(rowOf)));
  for (const { runId, approvalsChanged, approvalsClosed } of written) {
    for (const change of approvalsChanged) await changeRow(sql, runId, change);
    for (const closing of approvalsClosed) await changeRow(sql, runId, closing);
  }
}

async function changeRow(sql: Sql, runId: string, change: ApprovalChange | ApprovalClosing): Promise<void> {
  const [row] = await sql.query<ApprovalBody>(SELECT, [change.id, runId]);
  if (row !== undefined) await rewriteApproval(sql, { ...approvalOf(row), ...change });
}

/** Of a row that is locked. */
export async function rewriteApproval(sql: Sql, approval: ApprovalRecord): Promise<void> {
  await sql.query(REWRITE, APPROVAL.values(rowOf(approval)));
}

const GET = {
  name: "get approval",
  text: `select ${APPROVAL_BODY} from approvals a where org_id = $1 and id = $2`,
};

export async function getApproval(sql: Sql, orgId: string, id: string): Promise<ApprovalRecord | undefined> {
  const [row] = await lookUp<ApprovalBody>(sql, GET, [orgId, id]);
  return row === undefined ? undefined : approvalOf(row);
}

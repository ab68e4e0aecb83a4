import { decodeCursor, listed } from "../cursor.ts";
import type { Sql } from "../sql.ts";
import { type ApprovalChange, type ApprovalClosing, type ApprovalRecord, readApproval } from "../approval-record.ts";
import type { Listed, Page, RunCommit } from "../store.ts";
import { bigint, Columns, oneOf, parsed, text } from "./columns.ts";
import { lookUp } from "./look-up.ts";
import type { ApprovalStatus } from "../../core/event/index.ts";

/** The whole record, beside the columns it is found by. */
export const APPROVAL = new Columns({
  id: text,
  orgId: text,
  runId: text,
  status: oneOf<ApprovalStatus>(),
  requestedAt: bigint,
  body: parsed<ApprovalRecord>("json"),
});

const OPEN = {
  name: "open approvals",
  text: `insert into approvals (${APPROVAL.list()}) select * from ${APPROVAL.unnest()} on conflict (id) do nothing`,
};

/** Both objects are ours and flat at the top, so that the later one's fields simply win. */
const CHANGE = {
  name: "change approval",
  text: `update approvals set status = $3, body = $4 where id = $1 and run_id = $2`,
};

const SELECT = {
  name: "select approval to change",
  text: "select body from approvals where id = $1 and run_id = $2 for update",
};

/** Approvals are answered by people, one by one: changing them row by row costs nothing that matters. */
export async function writeApprovals(sql: Sql, written: readonly RunCommit[]): Promise<void> {
  const opened = written.flatMap(({ approvalsOpened }) => approvalsOpened);
  if (opened.length > 0) {
    await sql.query(OPEN, APPROVAL.batch(opened.map((body) => ({ ...body, body }))));
  }
  for (const { runId, approvalsChanged, approvalsClosed } of written) {
    for (const change of approvalsChanged) await changeRow(sql, runId, change);
    for (const closing of approvalsClosed) await changeRow(sql, runId, closing);
  }
}

async function changeRow(sql: Sql, runId: string, change: ApprovalChange | ApprovalClosing): Promise<void> {
  const [row] = await sql.query<{ body: string }>(SELECT, [change.id, runId]);
  if (row === undefined) return;
  const changed = { ...approvalOf(row), ...change };
  await sql.query(CHANGE, [change.id, runId, changed.status, JSON.stringify(changed)]);
}

function approvalOf({ body }: { readonly body: string }): ApprovalRecord {
  return readApproval(body);
}

const LIST = {
  name: "list approvals",
  text: `select body from approvals
    where org_id = $1 and ($2::text is null or status = $2) and ($3::bigint is null or (requested_at, id) < ($3, $4))
    order by requested_at desc, id desc limit $5`,
};

const GET = { name: "get approval", text: "select body from approvals where org_id = $1 and id = $2" };

export async function listApprovals(
  sql: Sql,
  orgId: string,
  status: ApprovalStatus | null,
  page: Page,
): Promise<Listed<ApprovalRecord>> {
  const after = decodeCursor(page.cursor);
  const rows = await sql.query<{ body: string }>(LIST, [
    orgId,
    status,
    after?.at ?? null,
    after?.id ?? null,
    page.limit + 1,
  ]);
  return listed(rows.map(approvalOf), page.limit, ({ requestedAt, id }) => ({ at: requestedAt, id }));
}

export async function getApproval(sql: Sql, orgId: string, id: string): Promise<ApprovalRecord | undefined> {
  const [row] = await lookUp<{ body: string }>(sql, GET, [orgId, id]);
  return row === undefined ? undefined : approvalOf(row);
}

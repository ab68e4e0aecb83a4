import type { AuditEntry } from "../../core/audit/index.ts";
import {
  type Answerer,
  type ApprovalCommentRecord,
  type ApprovalFilter,
  type ApprovalInboxStore,
  type ApprovalListing,
  type ApprovalOrder,
  type ApprovalRow,
  listingOf,
} from "../approval-inbox-store.ts";
import { askedName, searchable } from "../approval-index.ts";
import { appendedAuditId } from "../audit-id.ts";
import { decodeCursor, listed } from "../cursor.ts";
import { arrayLiteral, NOW_MS, type Sql, type SqlScalar } from "../sql.ts";
import type { Listed, Page } from "../store.ts";
import { type ApprovalBody, approvalOf } from "./approval-rows.ts";
import { COMMENT } from "./comment-rows.ts";
import { lookUp } from "./look-up.ts";

export function sqlApprovalInbox(sql: Sql): ApprovalInboxStore {
  return {
    listApprovals: async (orgId, status, page) => {
      const { data, nextCursor } = await find(sql, orgId, listingOf(status), page);
      return { data: data.map(({ approval }) => approval), nextCursor };
    },
    findApprovals: (orgId, listing, page) => find(sql, orgId, listing, page),
    listSeparateRequesters: async (orgId) =>
      (await lookUp<{ requester: string }>(sql, REQUESTERS, [orgId]))
        .map(({ requester }) => requester)
        .filter((requester) => requester !== ""),
    countApprovals: async (orgId, filter) => {
      const where = new Conditions(orgId, filter);
      const counting = { name: "", text: `select count(*)::int as count from approvals a where ${where.text}` };
      return (await lookUp<{ count: number }>(sql, counting, where.params))[0]?.count ?? 0;
    },
    assignApproval: async (orgId, approvalId, assignee, entry) =>
      (await lookUp(sql, ASSIGN, [orgId, approvalId, assignee, ...noteOf(entry)])).length > 0,
    addComment: async (orgId, approvalId, comment, entry) => {
      const [, , ...values] = COMMENT.values({ orgId, approvalId, ...comment });
      return (await lookUp(sql, ADD_COMMENT, [orgId, approvalId, ...values, ...noteOf(entry)])).length > 0;
    },
    listComments: (orgId, approvalId, page) => comments(sql, orgId, approvalId, page),
  };
}

const ORDERS = {
  newest: { column: "requested_at", direction: "desc", after: "<" },
  oldest: { column: "requested_at", direction: "asc", after: ">" },
  expiring: { column: "expires_at", direction: "asc", after: ">" },
} as const satisfies Readonly<Record<ApprovalOrder, object>>;

/**
 * Builds the conditions of a query as text, so that the database chooses the index for them. The statement is not
 * prepared, because a plan for any status would not use the index of pending approvals.
 */
class Conditions {
  readonly params: SqlScalar[];
  readonly #parts = ["a.org_id = $1"];

  constructor(orgId: string, { status, text: wanted, answerer, assignee, ...filter }: ApprovalFilter) {
    this.params = [orgId];
    if (status === "closed") this.#parts.push("a.status <> 'pending'");
    else if (status === "pending") this.#parts.push("a.status = 'pending'");
    else if (status !== undefined) this.#parts.push(this.#with("a.status = ", status));
    if (filter.workflow !== undefined) this.#parts.push(this.#with("a.workflow = ", filter.workflow));
    if (filter.source !== undefined) this.#parts.push(this.#with("a.source = ", filter.source));
    if (filter.runId !== undefined) this.#parts.push(this.#with("a.run_id = ", filter.runId));
    if (filter.agentId !== undefined) this.#parts.push(this.#with(`${AGENT} = `, JSON.stringify(filter.agentId)));
    if (filter.group !== undefined) this.#parts.push(this.#with("a.group_key = ", filter.group));
    if (filter.requestedUntil !== undefined) this.#parts.push(this.#with("a.requested_at <= ", filter.requestedUntil));
    if (assignee === null) this.#parts.push("a.assignee is null");
    else if (assignee !== undefined)
      this.#parts.push(`a.assignee = any(${this.place(arrayLiteral(assignee))}::text[])`);
    if (wanted !== undefined) this.#parts.push(`position(${this.place(searchable(wanted))} in a.search) > 0`);
    if (answerer !== undefined) this.#answerable(answerer);
  }

  get text(): string {
    return this.#parts.join(" and ");
  }

  /** Adds a parameter and returns its placeholder. */
  place(value: SqlScalar): string {
    this.params.push(value);
    return `$${this.params.length}`;
  }

  add(part: string): void {
    this.#parts.push(part);
  }

  #with(condition: string, value: SqlScalar): string {
    return `${condition}${this.place(value)}`;
  }

  /** Adds the condition that `mayBeAnswered` checks in memory. */
  #answerable(answerer: Answerer): void {
    const { names, id, agentId, isKnown, ownRequesters, deputised } = answerer;
    this.#parts.push("a.status = 'pending'");
    if (names !== null) this.#parts.push(this.#asks(names));
    this.#parts.push(`not ${holds("answered", this.#array([id]))}`);
    if (agentId !== null) {
      this.#parts.push(this.#with(`${AGENT} is distinct from `, JSON.stringify(agentId)));
    }
    if (!isKnown) this.#parts.push("not a.is_separate");
    if (ownRequesters.length > 0) {
      this.#parts.push(`not (a.is_separate and ${REQUESTER} = any(${this.#array(ownRequesters)}))`);
    }
    if (names === null) return;
    for (const { requester, names: fewer } of deputised) {
      this.#parts.push(`(not a.is_separate or ${REQUESTER} <> ${this.place(requester)} or ${this.#asks(fewer)})`);
    }
  }

  #asks(names: readonly string[]): string {
    return `(a.asks = '' or ${holds("asks", this.#array(names.map(askedName)))})`;
  }

  #array(values: readonly string[]): string {
    return `${this.place(arrayLiteral(values))}::text[]`;
  }
}

/** SQL expression for the agent whose work an approval is about, as JSON. */
const AGENT = "(a.body::json -> 'agentId')::text";

/** SQL expression for the requester of the work an approval is about. */
const REQUESTER =
  "coalesce(a.requester, (select coalesce(r.requested_by, r.started_by) from runs r where r.run_id = a.run_id), '')";
const REQUESTERS = {
  name: "list separate requesters",
  text: `select distinct ${REQUESTER} as requester from approvals a
    where a.org_id = $1 and a.status = 'pending' and a.is_separate`,
};

/** Returns a condition that a column, in the format written by `between`, contains one of the words. */
function holds(column: "asks" | "answered", words: string): string {
  return `exists (select from unnest(${words}) as w(word) where position(chr(10) || w.word || chr(10) in a.${column}) > 0)`;
}

/** Answered approvals are not grouped, because each has its own answer. */
const GROUP = "case when a.status = 'pending' then coalesce(a.group_key, a.id) else a.id end";

type InboxRow = ApprovalBody & { readonly group_key: string | null; readonly size: number | null };

async function find(sql: Sql, orgId: string, listing: ApprovalListing, page: Page): Promise<Listed<ApprovalRow>> {
  const after = decodeCursor(page.cursor);
  const { column, direction, after: beyond } = ORDERS[listing.order];
  const where = new Conditions(orgId, listing.filter);
  const isBeyond =
    after === null
      ? null
      : `(a.${column}, a.id) ${beyond} (${where.place(after.at)}::bigint, ${where.place(after.id)})`;
  if (isBeyond !== null && !listing.isGrouped) where.add(isBeyond);
  const columns = `a.body, a.assignee, a.group_key${listing.withSubject ? ", a.subject" : ""}`;
  const order = `a.${column} ${direction}, a.id ${direction}`;
  const limit = where.place(page.limit + 1);
  const one = `select ${columns}, null as size from approvals a where ${where.text} order by ${order} limit ${limit}`;
  // The position of an approval in its group is computed over all matches. The displayed columns are read for one page only.
  const grouped = `with placed as (select a.id, a.${column},
        row_number() over (partition by ${GROUP} order by ${order}) as place, count(*) over (partition by ${GROUP})::int as size
      from approvals a where ${where.text}),
      page as (select * from placed a where a.place = 1${isBeyond === null ? "" : ` and ${isBeyond}`}
        order by ${order} limit ${limit})
    select ${columns}, p.size from page p join approvals a on a.id = p.id order by ${order}`;
  const statement = { name: "", text: listing.isGrouped ? grouped : one };
  const rows = await lookUp<InboxRow>(sql, statement, where.params);
  const found = rows.map((row) => ({ approval: approvalOf(row), group: row.group_key, groupSize: row.size }));
  return listed(found, page.limit, ({ approval }) => ({
    at: listing.order === "expiring" ? approval.expiresAt : approval.requestedAt,
    id: approval.id,
  }));
}

function noteOf(entry: AuditEntry): readonly SqlScalar[] {
  return [appendedAuditId(), entry.at, JSON.stringify([entry])];
}

/** One statement, so that the audit records exactly the assignments that happened. */
const ASSIGN = {
  name: "assign approval",
  text: `with changed as (update approvals set assignee = $3, noted_at = ${NOW_MS} where org_id = $1 and id = $2 returning id),
      noted as (insert into audit_pending (id, org_id, at, body) select $4, $1, $5, $6 from changed)
    select id from changed`,
};

const ADD_COMMENT = {
  name: "add comment",
  text: `with added as (
      insert into approval_comments (${COMMENT.list()})
        select org_id, id, $3::bigint, $4, $5, $6, $7, $8 from approvals where org_id = $1 and id = $2 returning id),
      dated as (update approvals set noted_at = ${NOW_MS} where org_id = $1 and id = $2 returning id),
      noted as (insert into audit_pending (id, org_id, at, body) select $9, $1, $10, $11 from added)
    select id from added`,
};
const LIST_COMMENTS = {
  name: "list comments",
  text: `select ${COMMENT.list()} from approval_comments
    where org_id = $1 and approval_id = $2 and ($3::bigint is null or (at, id) > ($3, $4))
    order by at, id limit $5`,
};

async function comments(
  sql: Sql,
  orgId: string,
  approvalId: string,
  page: Page,
): Promise<Listed<ApprovalCommentRecord>> {
  const after = decodeCursor(page.cursor);
  const params = [orgId, approvalId, after?.at ?? null, after?.id ?? null, page.limit + 1];
  const rows = COMMENT.all(await lookUp(sql, LIST_COMMENTS, params));
  const found = rows.map(({ id, at, by, byId, personId, text: said }) => ({ id, at, by, byId, personId, text: said }));
  return listed(found, page.limit, ({ at, id }) => ({ at, id }));
}

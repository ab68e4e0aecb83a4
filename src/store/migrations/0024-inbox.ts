import type { Migration } from "./migration.ts";

/** Reads a text field of a JSON body. `->>` would reject a document that contains an escaped NUL anywhere. */
const textOf = (name: string): string => `trim(both '"' from coalesce((a.body::json -> '${name}')::text, ''))`;

/**
 * Approvals are found by workflow, text, approvers and assignee. What they show is stored apart from the columns that
 * lists need. Comments get a table of their own. An older program writes none of this, and its approvals are found only
 * by the columns that it does write.
 */
export const INBOX: Migration = {
  version: 24,
  name: "inbox",
  minReader: 18,
  statements: [
    `alter table approvals
      add column expires_at bigint not null default 0,
      add column workflow text collate "C",
      add column source text collate "C" not null default '',
      add column asks text collate "C" not null default '',
      add column answered text collate "C" not null default '',
      add column is_separate boolean not null default false,
      add column requester text collate "C",
      add column assignee text collate "C",
      add column group_key text collate "C",
      add column search text collate "C" not null default '',
      add column subject text`,
    `update approvals a set
      expires_at = (a.body::json -> 'expiresAt')::text::bigint,
      workflow = (select r.workflow from runs r where r.run_id = a.run_id),
      source = ${textOf("source")},
      is_separate = coalesce((a.body::json -> 'isSeparate')::text::boolean, false),
      search = left(lower(concat_ws(' ', ${textOf("summary")}, ${textOf("nodeId")}, a.run_id, a.id)), 4000)`,
    `create index approvals_open on approvals (org_id, requested_at desc, id desc) where status = 'pending'`,
    `create index approvals_expiring on approvals (org_id, expires_at, id) where status = 'pending'`,
    `create table approval_comments (
      org_id text collate "C" not null,
      approval_id text collate "C" not null,
      at bigint not null,
      id text collate "C" not null,
      by text not null,
      by_id text collate "C",
      person_id text collate "C",
      text text not null,
      primary key (org_id, approval_id, at, id)
    )`,
  ],
};

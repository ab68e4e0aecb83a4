import { WAITING_FOR } from "../../core/event/index.ts";
import { type Migration, oneOf } from "./migration.ts";

/**
 * The head of a run records when only its child runs are under way: the run then waits for what they wait for.
 * Approvers are found by address, group and label; comments and assignments of approvals by their time.
 */
export const APPROVERS_FOUND: Migration = {
  version: 31,
  name: "approvers found",
  // An older replica would not know the wait reason of a run that waits with its child runs.
  minReader: 31,
  statements: [
    `alter table run_heads drop constraint run_heads_waiting_for_check`,
    `alter table run_heads add constraint run_heads_waiting_for_check ${oneOf("waiting_for", [...WAITING_FOR, "child"])}`,
    `update run_heads h set waiting_for = 'child' where status in ('queued', 'running', 'recovered')
      and waiting_for is null
      and exists (select from runs c join run_heads ch on ch.run_id = c.run_id
        where c.parent_run_id = h.run_id and ch.status in ('queued', 'running', 'recovered'))
      and not exists (select from open_attempts a where a.run_id = h.run_id)`,
    `create index persons_email on persons (lower(email)) where email is not null`,
    // These characters cannot be searched. Claimed groups are set again at the next sign-in.
    `update memberships set claimed_groups = '[]' where claimed_groups ~* '\\\\u(0000|d[89a-f])'`,
    `create index memberships_groups on memberships using gin ((claimed_groups::jsonb || assigned_groups::jsonb))`,
    `alter table approvals add column noted_at bigint`,
    `create index approvals_noted on approvals (org_id, noted_at) where noted_at is not null`,
    `alter table keys add column is_named boolean not null default true`,
  ],
};

import { DELIVERY_STATES } from "../webhook-store.ts";
import { oneOf, type Migration } from "./migration.ts";

/** Messages from and to external systems, and the data that alerts check. */
export const WEBHOOKS: Migration = {
  version: 11,
  name: "webhooks",
  minReader: 11,
  statements: [
    `create table webhook_subscriptions (
      org_id text collate "C" not null,
      webhook_id text collate "C" not null,
      since bigint not null,
      primary key (org_id, webhook_id)
    )`,
    `create table webhook_cursors (
      org_id text collate "C" primary key,
      audit_seq bigint not null,
      swept_at bigint not null,
      held_until bigint not null
    )`,
    `create table webhook_feeds (
      run_id text collate "C" primary key,
      org_id text collate "C" not null,
      fed_event_id int not null
    ) with (fillfactor = 50)`,
    `create table webhook_deliveries (
      id text collate "C" primary key,
      seq bigint generated always as identity,
      org_id text collate "C" not null,
      webhook_id text collate "C" not null,
      type text not null,
      body text not null,
      state text not null ${oneOf("state", DELIVERY_STATES)},
      claims int not null default 0,
      attempts int not null default 0,
      next_at bigint,
      last_status int,
      last_error text,
      created_at bigint not null,
      settled_at bigint,
      check ((next_at is null) = (state in ('delivered', 'given_up')))
    )`,
    `create index webhook_deliveries_due on webhook_deliveries (next_at, seq) where next_at is not null`,
    `create index webhook_deliveries_newest on webhook_deliveries (org_id, webhook_id, seq desc)`,
    `create index webhook_deliveries_settled on webhook_deliveries (created_at) where next_at is null`,
    `create table workflow_hooks (
      org_id text collate "C" not null,
      workflow text collate "C" not null,
      secret text not null,
      previous_secret text,
      previous_until bigint,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (workflow, org_id)
    )`,
    `create table alert_leases (
      name text collate "C" primary key,
      holder text not null,
      expires_at bigint not null
    )`,
    // Written once in a run's life, by the commit that changes its status and so updates an index anyway.
    `create index run_heads_ended on run_heads (org_id, ended_at) where ended_at is not null`,
  ],
};

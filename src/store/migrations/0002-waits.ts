import { APPROVAL_STATUSES } from "../../core/event/index.ts";
import { oneOf, type Migration } from "./migration.ts";

/** Tables for attempts, timers and approvals that runs wait for, and for the replicas that hold the attempts. */
export const WAITS: Migration = {
  version: 2,
  name: "waits",
  minReader: 2,
  statements: [
    `create table open_attempts (
      run_id text collate "C" not null,
      node_id text collate "C" not null,
      attempt int not null,
      org_id text collate "C" not null,
      replica_id text collate "C" not null,
      deadline_at bigint,
      primary key (run_id, node_id, attempt)
    )`,
    `create index open_attempts_due on open_attempts (deadline_at) where deadline_at is not null`,
    `create table timers (
      run_id text collate "C" not null,
      key text collate "C" not null,
      org_id text collate "C" not null,
      due_at bigint not null,
      primary key (run_id, key)
    )`,
    `create index timers_due on timers (due_at)`,
    `create table approvals (
      id text collate "C" primary key,
      org_id text collate "C" not null,
      run_id text collate "C" not null,
      status text not null ${oneOf("status", APPROVAL_STATUSES)},
      requested_at bigint not null,
      body text not null
    )`,
    `create index approvals_newest on approvals (org_id, requested_at desc, id desc)`,
    `create index approvals_pending on approvals (run_id) where status = 'pending'`,
    `create table idempotency_keys (
      org_id text collate "C" not null,
      key_id text collate "C" not null,
      workflow text collate "C" not null,
      key text collate "C" not null,
      run_id text collate "C" not null,
      body_hash text not null,
      created_at bigint not null,
      primary key (org_id, key_id, workflow, key)
    )`,
    `create table replicas (
      replica_id text collate "C" primary key,
      expires_at bigint not null
    )`,
  ],
};

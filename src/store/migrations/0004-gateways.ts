import { ENTRY_KINDS } from "../registry-store.ts";
import { oneOf, type Migration } from "./migration.ts";

const GATEWAY_STATUSES = ["healthy", "degraded", "offline"];

/** Gateways, and what attempts report there besides their results. */
export const GATEWAYS: Migration = {
  version: 4,
  name: "gateways",
  minReader: 4,
  statements: [
    `create table registry (
      org_id text collate "C" not null,
      kind text collate "C" not null ${oneOf("kind", ENTRY_KINDS)},
      id text collate "C" not null,
      revision int not null,
      body text not null,
      created_at bigint not null,
      updated_at bigint not null,
      primary key (org_id, kind, id)
    )`,
    `create table gateway_links (
      org_id text collate "C" not null,
      gateway_id text collate "C" not null,
      status text not null ${oneOf("status", GATEWAY_STATUSES)},
      instance_id text,
      instance_started_at bigint,
      dispatch_token text,
      callback_hash text collate "C",
      previous_callback_hash text collate "C",
      previous_until bigint,
      seen_at bigint,
      primary key (org_id, gateway_id)
    )`,
    `create index gateway_links_token on gateway_links (callback_hash)`,
    `create index gateway_links_old_token on gateway_links (previous_callback_hash)
      where previous_callback_hash is not null`,
    `create table gateway_history (
      org_id text collate "C" not null,
      gateway_id text collate "C" not null,
      at bigint not null,
      status text not null ${oneOf("status", GATEWAY_STATUSES)}
    )`,
    `create index gateway_history_newest on gateway_history (org_id, gateway_id, at desc)`,
    `create table attempt_reports (
      run_id text collate "C" not null,
      node_id text collate "C" not null,
      attempt int not null,
      org_id text collate "C" not null,
      agent_id text collate "C",
      session_id text collate "C",
      messages text not null,
      logs text not null,
      at bigint not null,
      primary key (run_id, node_id, attempt)
    )`,
    `create index attempt_reports_thread on attempt_reports (org_id, agent_id, session_id, at desc)
      where session_id is not null`,
    `create table installation_secrets (
      name text collate "C" primary key,
      value text not null
    )`,
  ],
};

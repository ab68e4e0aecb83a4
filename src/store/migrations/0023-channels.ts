import { ENTRY_KINDS } from "../registry-store.ts";
import { type Migration, oneOf } from "./migration.ts";

/**
 * Channels are targets of deliveries, like webhooks. An older program would treat them as deleted webhooks, so it must
 * not use the same database any more.
 */
export const CHANNELS: Migration = {
  version: 23,
  name: "channels",
  minReader: 23,
  statements: [
    `alter table registry drop constraint registry_kind_check`,
    `alter table registry add constraint registry_kind_check ${oneOf("kind", ENTRY_KINDS)}`,
    `alter table webhook_deliveries add column recipient text`,
    `alter table webhook_deliveries add column group_key text`,
    `alter table webhook_deliveries add column held_until bigint not null default 0`,
    `create index webhook_deliveries_group on webhook_deliveries (org_id, webhook_id, group_key)
      where next_at is not null and group_key is not null`,
    `create table channel_turns (
      org_id text collate "C" not null,
      target_id text collate "C" not null,
      taken text not null,
      primary key (org_id, target_id)
    )`,
    `create table channel_postings (
      org_id text collate "C" not null,
      target_id text collate "C" not null,
      approval_id text collate "C" not null,
      place text not null,
      id text not null,
      at bigint not null,
      primary key (org_id, target_id, approval_id, place, id)
    )`,
    `create table approval_tickets (
      hash text collate "C" primary key,
      org_id text collate "C" not null,
      approval_id text collate "C" not null,
      channel text not null,
      person_id text,
      address text not null,
      name text not null,
      created_at bigint not null,
      expires_at bigint not null,
      held_until bigint not null default 0,
      used_at bigint
    )`,
    `create index approval_tickets_expired on approval_tickets (expires_at)`,
    `create index registry_channels on registry (id, org_id) where kind = 'channel'`,
  ],
};

import { ENTRY_KINDS } from "../registry-store.ts";
import { TRIGGER_DELIVERY_STATES } from "../trigger-store.ts";
import { type Migration, oneOf } from "./migration.ts";

/** Adds triggers to the kinds of registry entries, the outcomes of their deliveries, and the person who answers for a run. */
export const TRIGGERS: Migration = {
  version: 28,
  name: "triggers",
  minReader: 25,
  statements: [
    `alter table registry drop constraint registry_kind_check`,
    `alter table registry add constraint registry_kind_check ${oneOf("kind", ENTRY_KINDS)}`,
    `create index registry_triggers on registry (id) where kind = 'trigger'`,
    `alter table runs add column requested_by text`,
    `create table trigger_deliveries (
      org_id text collate "C" not null,
      trigger_id text collate "C" not null,
      delivery_id text collate "C" not null,
      seq bigint generated always as identity,
      state text not null ${oneOf("state", TRIGGER_DELIVERY_STATES)},
      run_id text,
      code text,
      reason text,
      received_at bigint not null,
      primary key (org_id, trigger_id, delivery_id)
    )`,
    `create index trigger_deliveries_newest on trigger_deliveries (org_id, trigger_id, seq desc)`,
    `create index trigger_deliveries_recent on trigger_deliveries (org_id, trigger_id, received_at)`,
  ],
};

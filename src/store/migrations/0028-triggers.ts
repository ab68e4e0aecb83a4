import { ENTRY_KINDS } from "../registry-store.ts";
import { TRIGGER_DELIVERY_STATES } from "../trigger-store.ts";
import { type Migration, oneOf } from "./migration.ts";

/** Triggers are registered like everything else; what became of their deliveries, and who saved what starts runs. */
export const TRIGGERS: Migration = {
  version: 28,
  name: "triggers",
  // An older replica would start runs without the caller that answers for them.
  minReader: 28,
  statements: [
    `alter table registry drop constraint registry_kind_check`,
    `alter table registry add constraint registry_kind_check ${oneOf("kind", ENTRY_KINDS)}`,
    `alter table registry add column saved_by text collate "C"`,
    `create index registry_triggers on registry (id) where kind = 'trigger'`,
    `alter table runs add column requested_by text`,
    `alter table workflow_hooks add column saved_by text collate "C"`,
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

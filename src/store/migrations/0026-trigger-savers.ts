import type { Migration } from "./migration.ts";

/** Who last saved what starts runs by itself: that person is the requester of those runs. Not known of what was saved before. */
export const TRIGGER_SAVERS: Migration = {
  version: 26,
  name: "trigger savers",
  minReader: 18,
  statements: [
    `alter table registry add column saved_by text collate "C"`,
    `alter table workflow_hooks add column saved_by text collate "C"`,
  ],
};

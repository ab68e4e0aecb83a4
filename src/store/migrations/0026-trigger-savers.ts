import type { Migration } from "./migration.ts";

/** The person who last saved a schedule, hook or trigger, and so requests the runs it starts. Unknown for those saved earlier. */
export const TRIGGER_SAVERS: Migration = {
  version: 26,
  name: "trigger savers",
  minReader: 18,
  statements: [
    `alter table registry add column saved_by text collate "C"`,
    `alter table workflow_hooks add column saved_by text collate "C"`,
  ],
};

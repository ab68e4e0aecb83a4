import type { Migration } from "./migration.ts";

/**
 * The maker of a key: the id of the key or token it was made with; null when the operator made it. For keys made
 * earlier, only the audit has this.
 */
export const KEY_MAKERS: Migration = {
  version: 19,
  name: "key makers",
  minReader: 18,
  statements: [
    `alter table keys add column created_by text collate "C"`,
    `update keys k set created_by = made.by
      from (
        select r.org_id, r.body::json ->> 'resource' as resource, min(r.body::json ->> 'actor') as by
        from audit_records r where r.type = 'key.created' group by 1, 2
      ) as made
      where made.org_id = k.org_id and made.resource = 'key/' || k.id`,
  ],
};

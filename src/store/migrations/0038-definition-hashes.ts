import { type Migration, oneOf } from "./migration.ts";

/** Versions get the hash of their canonical definition, and their origin: a file or code. */
export const DEFINITION_HASHES: Migration = {
  version: 38,
  name: "definition hashes",
  minReader: 32,
  statements: [
    `alter table workflow_versions
      add column definition_hash text collate "C",
      add column origin text not null default 'file' ${oneOf("origin", ["file", "code"])}`,
  ],
};

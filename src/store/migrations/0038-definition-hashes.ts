import { type Migration, oneOf } from "./migration.ts";

/** Versions have the hash of their canonical definition, and say whether they were written as a file or in code. */
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

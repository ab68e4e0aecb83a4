import { ENTRY_KINDS } from "../registry-store.ts";
import { type Migration, oneOf } from "./migration.ts";

/** Adds tools and grants to the kinds of registry entries. */
export const TOOLS: Migration = {
  version: 33,
  name: "tools",
  minReader: 32,
  statements: [
    `alter table registry drop constraint registry_kind_check`,
    `alter table registry add constraint registry_kind_check ${oneOf("kind", ENTRY_KINDS)}`,
  ],
};

import { ENTRY_KINDS } from "../registry-store.ts";
import { type Migration, oneOf } from "./migration.ts";

/** Adds credit plans, by which work is charged, to the kinds of registry entries. */
export const CREDIT_PLANS: Migration = {
  version: 20,
  name: "credit plans",
  minReader: 18,
  statements: [
    `alter table registry drop constraint registry_kind_check`,
    `alter table registry add constraint registry_kind_check ${oneOf("kind", ENTRY_KINDS)}`,
  ],
};

import { POSTURES } from "../../core/governance/index.ts";
import { NEW_WORKFLOW_SETTINGS } from "../registry-store.ts";
import { oneOf, type Migration } from "./migration.ts";

/** Settings of an organisation: the number of changes, whether its gates are open, and the texts that are never shown. */
export const CONFIG: Migration = {
  version: 7,
  name: "config",
  minReader: 7,
  statements: [
    `create table organisation_config (
      org_id text collate "C" primary key,
      version bigint not null,
      is_open boolean not null default true,
      reason text
    )`,
    `create table entry_secrets (
      org_id text collate "C" not null,
      kind text collate "C" not null,
      id text collate "C" not null,
      name text collate "C" not null,
      value text not null,
      primary key (org_id, kind, id, name)
    )`,
    `alter table workflows add column posture text not null default '${NEW_WORKFLOW_SETTINGS.posture}'
      ${oneOf("posture", POSTURES)}`,
    `alter table workflows add column exposed boolean not null default ${NEW_WORKFLOW_SETTINGS.isExposed}`,
  ],
};

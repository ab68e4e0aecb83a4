import type { RegistryStore } from "../registry-store.ts";
import type { Sql } from "../sql.ts";
import { sqlAudit } from "./sql-audit.ts";

type ConfigStore = Pick<RegistryStore, "configVersions" | "getPlatform" | "putPlatform">;

export function sqlConfig(sql: Sql): ConfigStore {
  return {
    configVersions: async () => {
      const rows = await sql.query<{ org_id: string; version: number }>(VERSIONS);
      return new Map(rows.map((row) => [row.org_id, row.version]));
    },
    getPlatform: async (orgId) => {
      const [row] = await sql.query<{ is_open: boolean; reason: string | null }>(PLATFORM, [orgId]);
      return { isOpen: row?.is_open ?? true, reason: row?.reason ?? null };
    },
    putPlatform: (orgId, { isOpen, reason }, audit = []) =>
      sql.transaction(async (within) => {
        await within.query(PUT_PLATFORM, [orgId, isOpen, reason]);
        await sqlAudit(within).appendAudit(orgId, audit);
      }),
  };
}

/**
 * Runs a change of an organisation's configuration, one change at a time: each writer first locks the row of the
 * organisation, so that two writers never deadlock.
 */
export async function configure<T>(
  sql: Sql,
  orgId: string,
  work: (within: Sql) => Promise<{ readonly result: T; readonly isChanged: boolean }>,
): Promise<T> {
  return sql.transaction(async (within) => {
    await within.query(HOLD, [orgId]);
    const { result, isChanged } = await work(within);
    if (isChanged) await within.query(RAISE, [orgId]);
    return result;
  });
}

const VERSIONS = { name: "config versions", text: "select org_id, version from organisation_config where version > 0" };
const PLATFORM = { name: "get platform", text: "select is_open, reason from organisation_config where org_id = $1" };
const PUT_PLATFORM = {
  name: "put platform",
  text: `insert into organisation_config (org_id, version, is_open, reason) values ($1, 1, $2, $3)
    on conflict (org_id) do update set is_open = excluded.is_open, reason = excluded.reason,
      version = organisation_config.version + 1`,
};
const HOLD = {
  name: "hold config",
  text: `insert into organisation_config (org_id, version) values ($1, 0)
    on conflict (org_id) do update set version = organisation_config.version`,
};
const RAISE = {
  name: "raise config version",
  text: "update organisation_config set version = version + 1 where org_id = $1",
};

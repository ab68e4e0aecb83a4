import type { Sql } from "../sql.ts";

/** A table with rows of organisations, as described by the catalogue of a database. */
export interface MovedTable {
  readonly name: string;
  /** Columns, without those that the database generates. */
  readonly columns: readonly string[];
  /** Columns of the primary key with their types; empty when there is none. */
  readonly key: readonly { readonly column: string; readonly type: string }[];
  /** Condition for rows that no program acts on by itself. They are copied while the organisation still runs. Null when there are none. */
  readonly settled: string | null;
}

/**
 * Tables without rows of an organisation, and tables whose rows stay because the directory keeps people for all cells.
 * Every other table has the column `org_id`, which a test checks.
 */
export const STAYING_TABLES: readonly string[] = [
  "alert_leases",
  "cell_arrivals",
  "cell_changes",
  "cell_moves",
  "credential_organisations",
  "installation_secrets",
  "invitations",
  "memberships",
  "organisations",
  "persons",
  "replicas",
  "schema_migrations",
  "sessions",
  "usage_rolling",
];

/** Tables that are read only through a run or record that is moved last, or through the organisation. */
const HISTORY = [
  "agent_memories",
  "attempt_reports",
  "audit_blocks",
  "audit_facets",
  "audit_records",
  "audit_salts",
  "audit_texts",
  "blob_references",
  "blobs",
  "definitions",
  "event_blocks",
  "idempotency_keys",
  "run_facets",
  "run_words",
  "runs",
  "usage_records",
  "verdict_blocks",
  "verdict_parts",
  "webhook_feeds",
] as const;

const SETTLED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(HISTORY.map((name) => [name, "true"])),
  // Failed runs are excluded, because they may be recovered.
  run_heads: "status in ('completed', 'cancelled')",
  webhook_deliveries: "next_at is null",
};

const CATALOGUE = {
  name: "",
  text: `select c.relname as name,
      (select json_agg(a.attname order by a.attnum)::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attidentity = '') as columns,
      (select json_agg(json_build_object('column', a.attname, 'type', format_type(a.atttypid, null)) order by k.place)::text
        from pg_index i cross join lateral unnest(i.indkey::int2[]) with ordinality as k(number, place)
        join pg_attribute a on a.attrelid = c.oid and a.attnum = k.number
        where i.indrelid = c.oid and i.indisprimary and a.attidentity = '') as key
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind in ('r', 'p') and not c.relispartition order by c.relname`,
};

/** Returns every table with rows of organisations, read from the catalogue of the database. */
export async function movedTables(sql: Sql): Promise<readonly MovedTable[]> {
  const rows = await sql.query<{ name: string; columns: string; key: string | null }>(CATALOGUE);
  return rows
    .filter(({ name }) => !STAYING_TABLES.includes(name))
    .map(({ name, columns, key }) => ({
      name,
      columns: JSON.parse(columns) as readonly string[],
      key: JSON.parse(key ?? "[]") as MovedTable["key"],
      settled: SETTLED[name] ?? null,
    }));
}

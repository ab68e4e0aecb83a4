import { digestJson } from "../../core/base/index.ts";
import { NOW_MS, type Sql } from "../sql.ts";
import { sqlState } from "../sql/sql-state.ts";
import { SchemaMismatch } from "../store-error.ts";
import { RUNS } from "./0001-runs.ts";
import { WAITS } from "./0002-waits.ts";
import { REGISTRY } from "./0003-registry.ts";
import { GATEWAYS } from "./0004-gateways.ts";
import { AUDIT } from "./0005-audit.ts";
import { GOVERNANCE } from "./0006-governance.ts";
import { CONFIG } from "./0007-config.ts";
import { ALERTS } from "./0008-alerts.ts";
import { FAMILIES } from "./0009-families.ts";
import { SCHEDULES } from "./0010-schedules.ts";
import { WEBHOOKS } from "./0011-webhooks.ts";
import { EXECUTION_TAGS } from "./0012-execution-tags.ts";
import { LAUNCHES } from "./0013-launches.ts";
import { AGENT_MEMORIES } from "./0014-agent-memories.ts";
import { PARENT_SPANS } from "./0015-parent-spans.ts";
import { QUICK_COMPRESSION } from "./0016-quick-compression.ts";
import { COUNTED_HITS } from "./0017-counted-hits.ts";
import { WAITING_NODES } from "./0018-waiting-nodes.ts";
import { KEY_MAKERS } from "./0019-key-makers.ts";
import { CREDIT_PLANS } from "./0020-credit-plans.ts";
import { GATEWAY_INSTANCES } from "./0021-gateway-instances.ts";
import { PEOPLE } from "./0022-people.ts";
import { CHANNELS } from "./0023-channels.ts";
import { INBOX } from "./0024-inbox.ts";
import { WAITS_FOR } from "./0025-waiting-for.ts";
import { TRIGGER_SAVERS } from "./0026-trigger-savers.ts";
import { FILES } from "./0027-files.ts";
import { TRIGGERS } from "./0028-triggers.ts";
import { EVENTS } from "./0029-events.ts";
import { BLOCKS } from "./0030-blocks.ts";
import { APPROVERS_FOUND } from "./0031-approvers-found.ts";
import { PLACES } from "./0032-places.ts";
import { TOOLS } from "./0033-tools.ts";
import { SECRETS } from "./0034-secrets.ts";
import { FAMILY_PARALLEL } from "./0035-family-parallel.ts";
import { FUNCTIONS } from "./0036-functions.ts";
import { DEFINITION_HASHES } from "./0038-definition-hashes.ts";
import { HISTORY } from "./0039-history.ts";
import { SEARCH } from "./0043-search.ts";
import { ROLLUPS } from "./0044-rollups.ts";
import { VIEWS } from "./0045-views.ts";
import { PRIORITY } from "./0046-priority.ts";
import { PAUSES } from "./0047-pauses.ts";
import { PARTITIONS } from "./0048-partitions.ts";
import { SMALLER } from "./0049-smaller.ts";
import { CELLS } from "./0060-cells.ts";
import { CALLBACK_TOKENS } from "./0061-callback-tokens.ts";
import { KEY_COLLATIONS } from "./0062-key-collations.ts";
import { CELL_CHANGES } from "./0063-cell-changes.ts";
import { COMMIT_REPORTS } from "./0064-commit-reports.ts";
import { USED_PARTS } from "./0065-used-parts.ts";
import { NARROW_PENDING } from "./0066-narrow-pending.ts";
import type { Migration } from "./migration.ts";

const MIGRATIONS: readonly Migration[] = [
  RUNS,
  WAITS,
  REGISTRY,
  GATEWAYS,
  AUDIT,
  GOVERNANCE,
  CONFIG,
  ALERTS,
  FAMILIES,
  SCHEDULES,
  WEBHOOKS,
  EXECUTION_TAGS,
  LAUNCHES,
  AGENT_MEMORIES,
  PARENT_SPANS,
  QUICK_COMPRESSION,
  COUNTED_HITS,
  WAITING_NODES,
  KEY_MAKERS,
  CREDIT_PLANS,
  GATEWAY_INSTANCES,
  PEOPLE,
  CHANNELS,
  INBOX,
  WAITS_FOR,
  TRIGGER_SAVERS,
  FILES,
  TRIGGERS,
  EVENTS,
  BLOCKS,
  APPROVERS_FOUND,
  PLACES,
  TOOLS,
  SECRETS,
  FAMILY_PARALLEL,
  FUNCTIONS,
  DEFINITION_HASHES,
  HISTORY,
  SEARCH,
  ROLLUPS,
  VIEWS,
  PRIORITY,
  PAUSES,
  PARTITIONS,
  SMALLER,
  CELLS,
  CALLBACK_TOKENS,
  KEY_COLLATIONS,
  CELL_CHANGES,
  COMMIT_REPORTS,
  USED_PARTS,
  NARROW_PENDING,
];

/** The last migration this program knows. */
const KNOWN = Math.max(...MIGRATIONS.map(({ version }) => version));

/** Returns a hexadecimal digest that changes with any migration. */
export function schemaDigest(): string {
  const steps = MIGRATIONS.map(({ version, statements }) => ({ version, statements }));
  return digestJson(steps).slice("sha256:".length);
}

/**
 * Brings the schema up to date. Each migration is a transaction that first inserts its number into `schema_migrations`. When
 * several programs start at once, the first to insert it does the migration; the others wait for its commit and skip it.
 */
export async function migrate(sql: Sql): Promise<void> {
  if ((await readSchemaVersion(sql)).version < KNOWN) await takeSteps(sql);
  await checkSchema(sql);
}

async function takeSteps(sql: Sql): Promise<void> {
  await createMigrationTable(sql);
  for (const migration of MIGRATIONS) await sql.transaction((within) => step(within, migration));
}

async function step(sql: Sql, { version, name, minReader, statements }: Migration): Promise<void> {
  const own = await sql.query(
    {
      name: "",
      text: `insert into schema_migrations (version, name, min_reader, applied_at)
        values ($1, $2, $3, ${NOW_MS}) on conflict do nothing returning version`,
    },
    [version, name, minReader],
  );
  if (own.length === 0) return;
  // A migration that cannot lock its tables soon gives up, before other statements queue behind it.
  await sql.query({ name: "", text: "set local lock_timeout = '2s'" });
  for (const text of statements) await sql.query({ name: "", text });
}

const MIGRATION_TABLE = {
  name: "",
  text: `create table if not exists schema_migrations (
      version int primary key,
      name text not null,
      min_reader int not null,
      applied_at bigint not null
    )`,
};

/** Creates the table. Of two programs that create it at once, one fails, with an error that depends on the timing, and repeats. */
async function createMigrationTable(sql: Sql): Promise<void> {
  try {
    await sql.query(MIGRATION_TABLE);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && CREATED_CONCURRENTLY_STATES.has(error.code))) throw error;
    await sql.query(MIGRATION_TABLE);
  }
}

/** SQLSTATEs of a type or table that another session has just created or changed. */
const CREATED_CONCURRENTLY_STATES: ReadonlySet<unknown> = new Set(["23505", "42P07", "42710"]);

const NO_TABLE = "42P01";
const SCHEMA = {
  name: "schema",
  text: "select coalesce(max(version), 0) as version, coalesce(max(min_reader), 0) as min_reader from schema_migrations",
};

/** Throws unless the schema fits this program. Needs a reachable database. */
export async function checkSchema(sql: Sql): Promise<void> {
  const { version, minReader } = await readSchemaVersion(sql);
  if (minReader > KNOWN) {
    throw new SchemaMismatch(
      `the database is at schema ${version} and can only be used by a Sluice that knows schema ${minReader}; ` +
        `this one knows ${KNOWN}: upgrade it`,
    );
  }
  if (version < KNOWN) {
    throw new SchemaMismatch(`the database is at schema ${version}, this Sluice needs ${KNOWN}: run the migrations`);
  }
}

async function readSchemaVersion(sql: Sql): Promise<{ readonly version: number; readonly minReader: number }> {
  try {
    const [found] = await sql.query<{ version: number; min_reader: number }>(SCHEMA);
    return { version: found?.version ?? 0, minReader: found?.min_reader ?? 0 };
  } catch (error) {
    if (sqlState(error) === NO_TABLE) return { version: 0, minReader: 0 };
    throw error;
  }
}

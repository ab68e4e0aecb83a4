import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Adapter } from "../../../src/adapter/index.ts";
import { createSystemClock } from "../../../src/clock/index.ts";
import { openEmbedded } from "../../../src/store/embedded/index.ts";
import { createSqlStore, type Sql, type Store } from "../../../src/store/index.ts";
import { connect, createDatabase } from "../../postgres/database.ts";
import { type Manifest, openReplica, register, type Replica } from "./governed.ts";

/** A database with governed replicas on it, looked at from beside them after every commit. */
export interface GovernedDatabase {
  readonly store: Store;
  readonly replicas: readonly Replica[];
  /** What was wrong right after a commit, in one snapshot of the database. */
  readonly findings: string[];
  readonly troubles: string[];
  commits: number;
  /** The most attempts an agent had open in any snapshot. */
  readonly mostOpen: Map<string, number>;
  close(): Promise<void>;
}

/** What is counted, beside the rows it counts: all of one instant. */
export const SNAPSHOT = {
  name: "snapshot of what is counted",
  text: `with held as (
      select r->>'envelopeId' as envelope_id, (r->>'periodStart')::bigint as period_start,
        sum((r->>'micros')::bigint)::bigint as micros
      from open_attempts a, json_array_elements(a.reserved::json) r group by 1, 2
    )
    select 'open' as what, c.agent_id as id, c.open::bigint as counted,
      (select count(*) from open_attempts a where a.agent_id = c.agent_id)::bigint as found from agent_counters c
    union all
    select 'reserved', e.envelope_id, e.reserved, coalesce(h.micros, 0)
      from envelope_counters e left join held h using (envelope_id, period_start)
    union all
    select 'spent', e.envelope_id, e.spent, (select coalesce(sum(cost_micros), 0) from usage_records)::bigint
      from envelope_counters e
    union all
    select 'spent by runs', 'all', (select coalesce(sum(cost_micros), 0) from run_heads)::bigint,
      (select coalesce(sum(cost_micros), 0) from usage_records)::bigint`,
};

export interface SnapshotRow {
  readonly what: string;
  readonly id: string;
  readonly counted: number;
  readonly found: number;
}

export interface DatabaseParts {
  readonly kind: "embedded" | "postgres";
  readonly replicas: number;
  readonly manifests: readonly Manifest[];
  readonly adapter: (clock: ReturnType<typeof createSystemClock>) => Adapter;
}

export async function openGovernedDatabase(parts: DatabaseParts): Promise<GovernedDatabase> {
  const { connections, beside, cleanUp } = await openSql(parts);
  const clock = createSystemClock();
  const replicas: Replica[] = [];
  const database: GovernedDatabase = {
    store: createSqlStore(beside),
    replicas,
    findings: [],
    troubles: [],
    commits: 0,
    mostOpen: new Map(),
    async close() {
      await Promise.all(replicas.map((replica) => replica.stop()));
      await cleanUp();
    },
  };
  await register(database.store, parts.manifests, clock.now());
  for (const sql of connections) {
    const store = watched(createSqlStore(sql), () => look(beside, database));
    const isAlone = connections.length === 1;
    // What has not been answered by the end of a test never is.
    const own = { isAlone, drainMs: 0, troubles: database.troubles };
    replicas.push(await openReplica({ store, clock, adapter: parts.adapter(clock), ...own }));
  }
  return database;
}

async function openSql({ kind, replicas }: DatabaseParts) {
  if (kind === "embedded") {
    const directory = mkdtempSync(join(tmpdir(), "sluice-governed-"));
    const sql = await openEmbedded({ directory });
    await createSqlStore(sql).migrate();
    const cleanUp = async (): Promise<void> => {
      await sql.close();
      rmSync(directory, { recursive: true });
    };
    return { connections: [sql], beside: sql, cleanUp };
  }
  const { url, drop } = await createDatabase();
  const connections = Array.from({ length: replicas }, () => connect(url, 4));
  const beside = connect(url, 2);
  const cleanUp = async (): Promise<void> => {
    for (const sql of [...connections, beside]) await sql.close();
    await drop();
  };
  return { connections, beside, cleanUp };
}

function watched(store: Store, looking: () => Promise<void>): Store {
  return new Proxy(store, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof found !== "function") return found;
      if (name !== "commit") return found.bind(target) as unknown;
      return async (batch: Parameters<Store["commit"]>[0]) => {
        const outcome = await target.commit(batch);
        await looking();
        return outcome;
      };
    },
  });
}

async function look(sql: Sql, database: GovernedDatabase): Promise<void> {
  database.commits += 1;
  for (const { what, id, counted, found } of await sql.query<SnapshotRow & Record<string, string | number>>(SNAPSHOT)) {
    if (counted !== found) database.findings.push(`${what} of ${id}: counted ${counted}, found ${found}`);
    if (what === "open") database.mostOpen.set(id, Math.max(found, database.mostOpen.get(id) ?? 0));
  }
}

import type { Adapter } from "../../../src/adapter/index.ts";
import { createSystemClock } from "../../../src/clock/index.ts";
import { DurableDriver } from "../../../src/driver/index.ts";
import { createAllowAllJudge } from "../../../src/governance/index.ts";
import { createSqlStore, type Sql, type Store, StoreUnavailable } from "../../../src/store/index.ts";
import { connect, createDatabase } from "../../postgres/database.ts";

/** Two drivers on one Postgres, where everything is allowed. */
export interface UngovernedReplicas {
  readonly replicas: readonly [DurableDriver, DurableDriver];
  /** Connections of their own, beside those of the replicas. */
  readonly sql: Sql;
  readonly store: Store;
  readonly troubles: readonly string[];
  close(): Promise<void>;
}

export async function openUngovernedReplicas(adapter: Adapter): Promise<UngovernedReplicas> {
  const database = await createDatabase();
  const clock = createSystemClock();
  const troubles: string[] = [];
  const connections: Sql[] = [];
  const open = (count: number): Sql => {
    const sql = connect(database.url, count);
    connections.push(sql);
    return sql;
  };
  const replica = (): DurableDriver =>
    new DurableDriver({
      store: createSqlStore(open(4)),
      clock,
      adapters: [adapter],
      judge: createAllowAllJudge(new Set([adapter.provider]), adapter.provider),
      monotonic: () => performance.now(),
      isUnavailable: (error) => error instanceof StoreUnavailable,
      supersedesAll: false,
      onTrouble: (what, error) => troubles.push(`${what}: ${String(error)}`),
    });
  const replicas = [replica(), replica()] as const;
  const sql = open(2);
  for (const each of replicas) await each.start();
  return {
    replicas,
    sql,
    store: createSqlStore(sql),
    troubles,
    async close() {
      for (const each of replicas) await each.stop();
      for (const each of connections) await each.close();
      await database.drop();
    },
  };
}

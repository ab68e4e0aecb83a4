import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSqlStore, type Sql } from "../../src/store/index.ts";
import { connect, createDatabase, type TestDatabase } from "../postgres/database.ts";
import { creation } from "./shares.ts";

const START = 1_700_000_000_000;
const MANY = 200_000;
const HOUR = 3_600_000;

describe("hits that were written without counts", () => {
  let database: TestDatabase;
  let sql: Sql;
  beforeAll(async () => {
    database = await createDatabase();
    sql = connect(database.url, 1);
  });
  afterAll(async () => {
    await sql.close();
    await database.drop();
  });

  it("count as one each, and stand in slices after the next commit", async () => {
    const store = createSqlStore(sql);
    await sql.query(
      {
        name: "",
        text: `insert into agent_counters (org_id, agent_id, open, hits)
          select 'org_1', 'analyst', 0, array_agg(h order by h) from generate_series($1::bigint, $2::bigint, 18) h`,
      },
      [START, START + (MANY - 1) * 18],
    );
    const read = async () => (await store.readCounters("org_1", 0)).agents[0]?.hits ?? [];
    expect(await read()).toHaveLength(MANY);
    const at = START + MANY * 18;
    const one = (id: string, count: number) => {
      const rate = { count, windowMs: HOUR };
      return creation(
        id,
        {},
        { slots: [{ agentId: "analyst", delta: 1, maxOpen: 9, hits: [{ at, count: 1 }], rate }] },
      );
    };
    // The first of them is as old as the window is long, and counts no more.
    expect((await store.commit([one("run_1", MANY - 1)])).isOverLimit).toBe(true);
    expect((await store.commit([one("run_1", MANY)])).isOverLimit).toBe(false);
    const hits = await read();
    expect(hits.length).toBeLessThanOrEqual(257);
    expect(hits.reduce((sum, { count }) => sum + count, 0)).toBe(MANY + 1);
    expect((await store.commit([one("run_2", MANY)])).isOverLimit).toBe(true);
  });
});

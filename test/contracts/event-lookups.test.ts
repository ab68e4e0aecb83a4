import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { required } from "../../src/core/base/index.ts";
import { keyDigest } from "../../src/core/engine/index.ts";
import { createSqlStore, type Sql, type SqlValue, type Statement } from "../../src/store/index.ts";
import { connect, createDatabase, type TestDatabase } from "../postgres/database.ts";

const WAITERS = 100_000;
const KEY = { order: "o77" };

interface Step {
  readonly "Node Type": string;
  readonly "Index Name"?: string;
  readonly "Actual Rows": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly Step[];
}

const flat = (step: Step): readonly Step[] => [step, ...(step.Plans ?? []).flatMap(flat)];

describe("looking up who waits for an event, with 100,000 that wait", () => {
  let database: TestDatabase;
  let sql: Sql;
  const asked: { statement: Statement; params: readonly SqlValue[] }[] = [];

  beforeAll(async () => {
    database = await createDatabase();
    sql = connect(database.url, 2);
    await createSqlStore(sql).migrate();
    const plain = (text: string): Statement => ({ name: "", text });
    await sql.query(
      plain(`insert into event_waiters
        select 'run_' || n, 'wait', 'org_1', 0, 4, 'order.paid', 'digest_' || n, 0, null
        from generate_series(1, ${WAITERS}) n`),
    );
    await sql.query(
      plain(
        `insert into event_waiters values ('run_x', 'wait', 'org_1', 0, 4, 'order.paid', '${keyDigest(KEY)}', 0, null)`,
      ),
    );
    await sql.query(
      plain(`insert into received_events
        select 'org_1', 'e' || n, 'order.paid', 'digest_' || n, '{"key":{},"data":{}}', 0, null, n, 9e15::bigint, null
        from generate_series(1, ${WAITERS}) n`),
    );
    await sql.query(plain("analyze event_waiters"));
    await sql.query(plain("analyze received_events"));
  });

  afterAll(async () => {
    await sql.close();
    await database.drop();
  });

  const watched = (): Sql => ({
    ...sql,
    query: (statement, params = []) => {
      asked.push({ statement, params });
      return sql.query(statement, params);
    },
  });

  /** What the database looked at to answer the last statement. */
  async function lookedAt(): Promise<readonly Step[]> {
    const { statement, params } = required(asked.at(-1), "something was asked");
    const text = `explain (analyze, format json) ${statement.text}`;
    const [row] = await sql.query<{ "QUERY PLAN": string | readonly { Plan: Step }[] }>({ name: "", text }, params);
    const plan = required(row, "a plan")["QUERY PLAN"];
    const [first] = typeof plan === "string" ? (JSON.parse(plan) as readonly { Plan: Step }[]) : plan;
    return flat(required(first, "a plan").Plan);
  }

  it("reads the rows that match, by the index, and no other", async () => {
    const store = createSqlStore(watched());
    const event = { orgId: "org_1", id: "e", type: "order.paid", key: KEY, keyDigest: keyDigest(KEY), data: {} };
    const kept = { ...event, hops: 0, sentBy: null, receivedAt: 5, expiresAt: 9e15 };
    const found = await store.waitersOf(kept, null, 200);
    expect(found.map(({ runId }) => runId)).toEqual(["run_x"]);
    const steps = await lookedAt();
    expect(steps.map((step) => step["Index Name"]).filter((name) => name !== undefined)).toEqual([
      "event_waiters_match",
    ]);
    expect(Math.max(...steps.map((step) => step["Actual Rows"]))).toBe(1);
    expect(steps.reduce((sum, step) => sum + (step["Rows Removed by Filter"] ?? 0), 0)).toBe(0);
  });

  it("reads the events that a node may take, by the index, and no other", async () => {
    const store = createSqlStore(watched());
    const waiter = { orgId: "org_1", runId: "run_5", nodeId: "wait", epoch: 0, blockedBy: 4, type: "order.paid" };
    const found = await store.eventsFor({ ...waiter, keyDigest: "digest_5", since: 0 }, null, 20);
    expect(found.map(({ id }) => id)).toEqual(["e5"]);
    const steps = await lookedAt();
    expect(steps.map((step) => step["Index Name"]).filter((name) => name !== undefined)).toEqual([
      "received_events_match",
    ]);
    expect(Math.max(...steps.map((step) => step["Actual Rows"]))).toBe(1);
  });

  it("looks at marked rows only, however many wait", async () => {
    const store = createSqlStore(watched());
    expect(await store.claimMarkedWaiters(0, 100)).toEqual([]);
    const waiters = await lookedAt();
    expect(waiters.some((step) => step["Index Name"] === "event_waiters_marked")).toBe(true);
    expect(Math.max(...waiters.map((step) => step["Actual Rows"]))).toBe(0);
    expect(await store.claimMarkedEvents(0, 100)).toEqual([]);
    const events = await lookedAt();
    expect(events.some((step) => step["Index Name"] === "received_events_marked")).toBe(true);
    expect(Math.max(...events.map((step) => step["Actual Rows"]))).toBe(0);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openPostgres } from "../../src/store/postgres/index.ts";
import { createSqlStore, StoreUnavailable, type Sql, type Store } from "../../src/store/index.ts";
import { connect, createDatabase, type TestDatabase } from "../postgres/database.ts";
import { approval, creation, logFrom, share } from "./shares.ts";

const plain = (text: string): { name: string; text: string } => ({ name: "", text });

describe("a database that fails", () => {
  let database: TestDatabase;
  let admin: Sql;
  let sql: Sql;
  let store: Store;
  beforeAll(async () => {
    database = await createDatabase();
    admin = connect(`${database.url}?application_name=admin`, 2);
  });
  beforeEach(async () => {
    sql = connect(database.url, 2);
    store = createSqlStore(sql);
    return () => sql.close();
  });
  afterAll(async () => {
    await admin.close();
    await database.drop();
  });

  /** Ends every connection but the admin's own; with a wait event only those that wait for it. */
  const terminate = (waiting = ""): Promise<readonly unknown[]> =>
    admin.query(
      plain(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'sluice' and pid <> pg_backend_pid()
          ${waiting === "" ? "" : `and wait_event_type = '${waiting}'`}`),
    );

  const isReached = async (one: Store): Promise<boolean> => {
    try {
      return (await one.now()) > 0;
    } catch (error) {
      expect(error).toBeInstanceOf(StoreUnavailable);
      return false;
    }
  };

  const backend = async (): Promise<number> => {
    const [row] = await sql.query<{ pid: number }>(plain("select pg_backend_pid() as pid"));
    return row?.pid ?? 0;
  };

  it("keeps its connection after a statement it refused, and only then", async () => {
    const first = await backend();
    for (const refused of ["select 1/0", "select * from no_such_table", "do $$ begin raise sqlstate '23502'; end $$"]) {
      await expect(sql.query(plain(refused))).rejects.toThrow();
    }
    await expect(sql.query(plain("do $$ begin raise sqlstate '40P01'; end $$"))).rejects.toThrow(StoreUnavailable);
    expect(await backend()).toBe(first);
    await expect(sql.query(plain("do $$ begin raise sqlstate '57P01'; end $$"))).rejects.toThrow(StoreUnavailable);
    expect(await backend()).not.toBe(first);
  });

  it.each([
    ["one statement", {}],
    ["a transaction", { approvalsOpened: [approval("apr_1", "run_a")] }],
  ])("in the middle of %s leaves nothing half written", async (kind, parts) => {
    const id = `run_${kind.replaceAll(" ", "_")}`;
    await store.commit([creation(id), creation(`${id}_2`)]);
    await admin.transaction(async (holder) => {
      // The second run's head is held, so that the commit stops half way.
      await holder.query(plain(`select from run_heads where run_id = '${id}_2' for update`));
      const commit = store.commit([share(id, 1, logFrom(2, 1), parts), share(`${id}_2`, 1, logFrom(2, 1))]);
      const refused = expect(commit).rejects.toThrow(StoreUnavailable);
      for (let found = 0; found === 0;) found = (await terminate("Lock")).length;
      await refused;
    });
    for (const { run, events } of await store.loadRuns([id, `${id}_2`])) {
      expect(run.rowVersion).toBe(1);
      expect(events).toHaveLength(2);
    }
    expect(await store.getApproval("org_1", "apr_1")).toBeUndefined();
    expect(await store.commit([share(id, 1, logFrom(2, 1))])).toEqual({
      isOverLimit: false,
      conflicts: [],
      duplicates: [],
    });
  });

  it("and ends every connection, again and again, is reached anew", async () => {
    for (let round = 0; round < 20; round += 1) {
      await Promise.all([isReached(store), isReached(store)]);
      await terminate();
      // The pool may lend out a connection before it has noticed its end, but each of its two only once.
      let failed = 0;
      while (!(await isReached(store))) failed += 1;
      expect(failed).toBeLessThanOrEqual(2);
    }
  });

  it("that is away says so, with the reason", async () => {
    const away = createSqlStore(openPostgres({ url: "postgres://sluice@127.0.0.1:1/none" }));
    await expect(away.ping()).rejects.toThrow(/^the database cannot be used now: .*ECONNREFUSED/);
    await expect(away.commit([creation("run_x")])).rejects.toThrow(StoreUnavailable);
    await expect(away.migrate()).rejects.toThrow(StoreUnavailable);
    await away.close();
    await away.close();
  });

  it("that takes too long is given up", async () => {
    const hasty = openPostgres({ url: database.url, statementTimeoutMs: 50 });
    await expect(hasty.query(plain("select pg_sleep(30)"))).rejects.toThrow(StoreUnavailable);
    // Even this may take too long where many wait for a processor.
    await expect.poll(() => hasty.query(plain("select 1 as one")).catch(() => null)).toEqual([{ one: 1 }]);
    await hasty.close();
  });

  it("answers a wrong statement with its own words, and the connection stays usable", async () => {
    await expect(sql.query(plain("select nonsense"))).rejects.toThrow('column "nonsense" does not exist');
    const work = sql.transaction(async (within) => {
      await within.query(plain("insert into organisations values ('org_x', 1)"));
      throw new Error("changed my mind");
    });
    await expect(work).rejects.toThrow("changed my mind");
    expect(await sql.query(plain("select from organisations where org_id = 'org_x'"))).toEqual([]);
  });

  it("that makes two programs wait for each other lets one of them try again", async () => {
    const ids = Array.from({ length: 30 }, (_, index) => `run_d${index}`);
    await store.commit(ids.map((id) => creation(id)));
    const rival = createSqlStore(connect(database.url, 2));
    for (let version = 1; version <= 5; version += 1) {
      const batch = ids.map((id) => share(id, version, logFrom(version + 1, 1)));
      const outcomes = await Promise.all([store, rival, store, rival].map((one) => one.commit(batch)));
      // Of each run, three of four were too late.
      expect(outcomes.flatMap(({ conflicts }) => conflicts)).toHaveLength(3 * ids.length);
    }
    await rival.close();
  });
});

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connect, createDatabase, type TestDatabase } from "../../test/postgres/database.ts";
import { readDatabaseIdentity, type Sql, type Store, StoreUnavailable } from "../store/index.ts";
import { survey } from "./cell-checks.ts";
import type { FleetCell } from "./fleet-cell.ts";

/** A server that restarts, or is away for one query, after so many of its identities were read. */
class RestartingServer {
  #reads = 0;
  readonly #restartAfter: number;
  readonly #isAway: boolean;

  constructor(restartAfter: number, isAway: boolean) {
    this.#restartAfter = restartAfter;
    this.#isAway = isAway;
  }

  /** A cell at one of the addresses of the server. */
  cell(name: string, database = "one"): FleetCell {
    const query = async (text: string): Promise<readonly unknown[]> => {
      if (!text.includes("pg_postmaster_start_time")) return [];
      this.#reads += 1;
      if (this.#isAway && this.#reads === this.#restartAfter + 1) throw new StoreUnavailable("it restarts");
      return [{ identity: `${this.#reads > this.#restartAfter ? "second" : "first"} start/${database}` }];
    };
    const sql = { query: ({ text }: { readonly text: string }) => query(text) } as Partial<Sql> as Sql;
    const store = { ping: () => Promise.resolve() } as Partial<Store> as Store;
    const checkPooler = (): Promise<void> => Promise.resolve();
    return { name, shown: name, accepts: true, sql, store, checkPooler, openLong: () => sql };
  }
}

describe("the survey of cells", () => {
  it.each([0, 1, 2, 3])("finds two addresses of one database also when its server restarts (%i)", async (after) => {
    const server = new RestartingServer(after, false);
    const north = server.cell("north");
    const { problems } = await survey({ cells: [north, server.cell("south")], directory: north });
    expect(problems).toEqual(["the cells north and south have one database: give each its own"]);
  });

  it.each([
    [1, false],
    [3, true],
  ])("finds nothing wrong with two databases of a server that restarts (%i)", async (after, isAway) => {
    const server = new RestartingServer(after, isAway);
    const north = server.cell("north");
    const found = await survey({ cells: [north, server.cell("south", "two")], directory: north });
    expect(found).toMatchObject({ problems: [], unreachableCells: [] });
    expect([...found.surveyed.keys()]).toEqual(["north", "south"]);
  });
});

describe("the identity of a database", () => {
  let databases: readonly TestDatabase[];
  let sqls: readonly Sql[];
  beforeAll(async () => {
    databases = [await createDatabase("empty"), await createDatabase("empty")];
    sqls = databases.map(({ url }) => connect(url, 1));
  });
  afterAll(async () => {
    for (const sql of sqls) await sql.close();
    for (const database of databases) await database.drop();
  });

  it("is the same in every time zone, and another for another database of the server", async () => {
    const identities = new Set<string>();
    for (const zone of ["UTC", "Asia/Tokyo"]) {
      for (const sql of sqls) {
        const identity = await sql.transaction(async (within) => {
          await within.query({ name: "", text: `set local timezone = '${zone}'` });
          return readDatabaseIdentity(within);
        });
        identities.add(identity);
      }
    }
    expect(identities.size).toBe(2);
  });
});

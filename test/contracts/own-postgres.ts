import { afterAll, beforeAll } from "vitest";
import { openPostgres } from "../../src/store/postgres/index.ts";
import type { Sql } from "../../src/store/index.ts";
import { createDatabase, type TestDatabase } from "../postgres/database.ts";

/** A database for the tests of one file, there as long as they run. */
export function ownPostgres(): () => Sql {
  let database: TestDatabase;
  let sql: Sql;
  beforeAll(async () => {
    database = await createDatabase();
    sql = openPostgres({ url: database.url, connections: 2 });
  });
  afterAll(async () => {
    await sql.close();
    await database.drop();
  });
  return () => sql;
}

import { afterAll, beforeAll } from "vitest";
import type { Sql } from "../../src/store/index.ts";
import { connect, createDatabase, type TestDatabase } from "../postgres/database.ts";

/** A database for the tests of one file, there as long as they run. */
export function ownPostgres(): () => Sql {
  let database: TestDatabase;
  let sql: Sql;
  beforeAll(async () => {
    database = await createDatabase();
    sql = connect(database.url, 2);
  });
  afterAll(async () => {
    await sql.close();
    await database.drop();
  });
  return () => sql;
}

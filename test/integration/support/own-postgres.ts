import { afterAll, beforeAll } from "vitest";
import { type PostgresInstance, startPostgres } from "./postgres-instance.ts";
import { prepareProgram } from "./server-process.ts";

const PREPARE_MS = 300_000;

/** A database server for the tests of a `describe`, and the program that they start on it. The answer is its address. */
export function ownPostgres(): () => string {
  let postgres: PostgresInstance | null = null;
  beforeAll(async () => {
    prepareProgram();
    postgres = await startPostgres();
  }, PREPARE_MS);
  afterAll(() => postgres?.dispose());
  return () => {
    if (postgres === null) throw new Error("the database server starts with the first test");
    return postgres.url;
  };
}

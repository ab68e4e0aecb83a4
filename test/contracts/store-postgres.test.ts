import { openPostgres } from "../../src/store/postgres/index.ts";
import { createDatabase } from "../postgres/database.ts";
import { testAgainstMemory } from "./same-as-memory.ts";
import { sqlSubject } from "./sql-subject.ts";
import { testStore, type Subject } from "./store-contract.ts";

async function open(): Promise<Subject> {
  const { url, drop } = await createDatabase();
  return sqlSubject(openPostgres({ url, connections: 4 }), openPostgres({ url, connections: 4 }), drop);
}

testStore("Postgres", open);
testAgainstMemory("Postgres", 25, open);

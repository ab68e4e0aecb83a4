import { connect, createDatabase } from "../postgres/database.ts";
import { testAgainstMemory } from "./same-as-memory.ts";
import { sqlSubject } from "./sql-subject.ts";
import { testStore, type Subject } from "./store-contract.ts";

async function open(): Promise<Subject> {
  const { url, drop } = await createDatabase();
  return sqlSubject(connect(url, 4), connect(url, 4), drop);
}

testStore("Postgres", open);
testAgainstMemory("Postgres", 25, open);

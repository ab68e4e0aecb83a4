import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbedded } from "../../src/store/embedded/index.ts";
import { createSqlStore } from "../../src/store/index.ts";
import { testAgainstMemory } from "./same-as-memory.ts";
import { sqlSubject } from "./sql-subject.ts";
import { testStore, type Subject } from "./store-contract.ts";

async function open(): Promise<Subject> {
  const directory = mkdtempSync(join(tmpdir(), "sluice-embedded-"));
  const sql = await openEmbedded({ directory });
  await createSqlStore(sql).migrate();
  return sqlSubject(sql, sql, async () => rmSync(directory, { recursive: true }));
}

testStore("the embedded database", open);
testAgainstMemory("the embedded database", 10, open);

/** A place for servers that are killed: a folder with their script and their ledger, and the database they use. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbedded } from "../../../src/embedded/index.ts";
import { openPostgres } from "../../../src/postgres/index.ts";
import type { Sql } from "../../../src/store/index.ts";
import { createDatabase } from "../../postgres/database.ts";
import { KEY } from "./kills.ts";
import { callProgram, type ServerSettings } from "./server-process.ts";

export interface Ground {
  readonly settings: ServerSettings;
  /** Reads what is left once no server is at it any more. */
  read(look: (sql: Sql) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export async function openGround(on: "embedded" | "postgres", script: unknown): Promise<Ground> {
  const data = mkdtempSync(join(tmpdir(), "sluice-ground-"));
  const scriptPath = join(data, "script.json");
  writeFileSync(scriptPath, JSON.stringify(script));
  const common = { data, script: scriptPath, ledger: join(data, "ledger.jsonl"), key: KEY };
  const database = on === "postgres" ? await createDatabase() : null;
  if (database !== null) callProgram(["migrate", "--database-url", database.url]);
  return {
    settings:
      database === null
        ? { ...common, command: "up", databaseUrl: null }
        : { ...common, command: "serve", databaseUrl: database.url },
    async read(look) {
      const sql =
        database === null
          ? await openEmbedded({ directory: join(data, "database") })
          : openPostgres({ url: database.url, connections: 1 });
      try {
        await look(sql);
      } finally {
        await sql.close();
      }
    },
    async close() {
      rmSync(data, { recursive: true, force: true });
      await database?.drop();
    },
  };
}

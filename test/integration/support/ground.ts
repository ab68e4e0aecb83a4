/** A place for servers that are killed: files of their own, and a database that can be read when they are gone. */
import { join } from "node:path";
import { openEmbedded } from "../../../src/store/embedded/index.ts";
import type { Sql } from "../../../src/store/index.ts";
import { connect, createDatabase } from "../../postgres/database.ts";
import { openGround } from "./kills.ts";
import { callProgram, type ServerSettings } from "./server-process.ts";

export interface ReadableGround {
  readonly settings: ServerSettings;
  /** Opens the database beside the servers; the embedded one only once no server uses it any more. */
  read(look: (sql: Sql) => Promise<void>): Promise<void>;
  close(): Promise<void>;
}

export async function openReadableGround(on: "embedded" | "postgres", script: unknown): Promise<ReadableGround> {
  const ground = openGround(JSON.stringify(script));
  const { settings } = ground;
  const database = on === "postgres" ? await createDatabase() : null;
  if (database !== null) callProgram(["migrate", "--database-url", database.url]);
  return {
    settings:
      database === null
        ? { ...settings, command: "up", databaseUrl: null }
        : { ...settings, command: "serve", databaseUrl: database.url },
    async read(look) {
      const sql =
        database === null
          ? await openEmbedded({ directory: join(settings.data, "database") })
          : connect(database.url, 1);
      try {
        await look(sql);
      } finally {
        await sql.close();
      }
    },
    async close() {
      ground.dispose();
      await database?.drop();
    },
  };
}

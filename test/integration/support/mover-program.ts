import { setTimeout as pause } from "node:timers/promises";
import { Mover } from "../../../src/cells/mover.ts";
import { createDirectory, type Sql } from "../../../src/store/index.ts";
import { openPostgres } from "../../../src/store/postgres/index.ts";

/** Carries one move on, and dies by kill −9 so long after a stage has begun. */
const [moveId = "", directory = "", urls = "{}", stage, afterMs] = process.argv.slice(2);
const databases = new Map<string, Sql>();
for (const [name, url] of Object.entries(JSON.parse(urls) as Record<string, string>)) {
  databases.set(name, openPostgres({ url, connections: 3 }));
}
const sqlOf = (name: string): Sql => {
  const sql = databases.get(name);
  if (sql === undefined) throw new Error(`there is no cell ${name}`);
  return sql;
};
const directoryStore = createDirectory(sqlOf(directory));
const move = await directoryStore.getMove(moveId);
if (move === undefined) throw new Error(`there is no move ${moveId}`);
const mover = new Mover({
  directory: directoryStore,
  sqlOf,
  directoryCell: directory,
  now: Date.now,
  settled: () => pause(100),
  onStage: (begun) => {
    if (begun.stage === stage) setTimeout(() => process.kill(process.pid, "SIGKILL"), Number(afterMs));
  },
});
const { stage: ended, reason } = await mover.continueMove(move);
process.stdout.write(JSON.stringify({ stage: ended, reason }));
await Promise.all([...databases.values()].map((sql) => sql.close()));

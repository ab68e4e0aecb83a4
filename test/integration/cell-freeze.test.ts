import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDirectory, lowerFence, movedTables, raiseFence } from "../../src/store/index.ts";
import { apiOf, ask, type CellsGround, createCells, makeOrganisation } from "./support/cells-ground.ts";
import { prepareProgram } from "./support/server-process.ts";
import { waitFor } from "./support/waiting.ts";

const SLOW = "name: slow\nsteps:\n  - {id: work, command: Work}\n  - {id: after, command: Go on, depends_on: [work]}\n";
const CELL = "south";

let ground: CellsGround;
beforeAll(async () => {
  prepareProgram();
  ground = await createCells(["north", CELL]);
});
afterAll(() => ground.dispose());

it("a server starts while an organisation is frozen, and takes over what others in its cell have begun", async () => {
  const script = join(ground.directory, "script.json");
  writeFileSync(script, JSON.stringify({ default: "echo", nodes: { "slow/work": { delay_ms: 3_600_000 } } }));
  const first = await ground.start(["--script", script]);
  const frozen = await makeOrganisation(first.url, "acme");
  await makeOrganisation(first.url, "filler");
  const other = await makeOrganisation(first.url, "globex");
  const directory = createDirectory(ground.sql("north"));
  expect([await directory.cellOf("acme"), await directory.cellOf("globex")]).toEqual([CELL, CELL]);
  const ids: string[] = [];
  for (const key of [frozen, other]) {
    await apiOf(first.url, key).putWorkflow("slow", SLOW);
    const { id } = await apiOf(first.url, key).startRun("slow", "one");
    ids.push(id);
    const isUnderWay = async (): Promise<boolean> =>
      (await ground.sql(CELL).query({ name: "", text: "select from open_attempts where run_id = $1" }, [id])).length >
      0;
    await waitFor("the attempt to be open", isUnderWay);
  }
  await first.kill();
  const tables = await movedTables(ground.sql(CELL));
  await raiseFence(ground.sql(CELL), tables, "acme");
  const second = await ground.start();
  expect((await apiOf(second.url, other).waitUntilEnded(ids[1] ?? "")).status).toBe("completed");
  const refused = await ask(second.url, frozen, "POST", "/api/v1/runs", { workflow: "slow" });
  expect([refused.status, refused.body["code"]]).toEqual([503, "organisation_moving"]);
  await lowerFence(ground.sql(CELL), tables, "acme");
  expect((await apiOf(second.url, frozen).waitUntilEnded(ids[0] ?? "")).status).toBe("completed");
});

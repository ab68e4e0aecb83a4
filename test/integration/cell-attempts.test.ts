import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDirectory } from "../../src/store/index.ts";
import { ADMIN_KEY, apiOf, ask, type CellsGround, createCells, makeOrganisation } from "./support/cells-ground.ts";
import { prepareProgram } from "./support/server-process.ts";
import { waitFor } from "./support/waiting.ts";

const FLOW = "name: flow\nsteps:\n  - {id: work, command: Work}\n";
const SOURCE = "south";

let ground: CellsGround;
beforeAll(async () => {
  prepareProgram();
  ground = await createCells(["north", SOURCE]);
});
afterAll(() => ground.dispose());

it("an attempt that is open in the name of a living replica which does not have it begins after the move", async () => {
  const script = join(ground.directory, "script.json");
  writeFileSync(script, JSON.stringify({ default: "echo", nodes: { "flow/work": { delay_ms: 3_600_000 } } }));
  const first = await ground.start(["--script", script]);
  const key = await makeOrganisation(first.url, "acme");
  expect(await createDirectory(ground.sql("north")).cellOf("acme")).toBe(SOURCE);
  await apiOf(first.url, key).putWorkflow("flow", FLOW);
  const { id } = await apiOf(first.url, key).startRun("flow", "one");
  const holders = async (): Promise<readonly string[]> =>
    (await named("select replica_id as name from open_attempts where run_id = $1", [id])).map(({ name }) => name);
  await waitFor("the attempt to be open", async () => (await holders()).length > 0);
  const second = await ground.start();
  const [held = ""] = await holders();
  // As it is left when a replica has claimed what it then did not begin, its lease being lost.
  const others = await named("select replica_id as name from replicas where replica_id <> $1", [held]);
  expect(others).toHaveLength(1);
  await named("update open_attempts set replica_id = $2 where run_id = $1", [id, others[0]?.name ?? ""]);
  await first.kill();
  const asked = { organisation: "acme", to: "north" };
  expect((await ask(second.url, ADMIN_KEY, "POST", "/api/v1/cells/moves", asked)).status).toBe(202);
  const run = await apiOf(second.url, key).waitUntilEnded(id);
  expect(run.status).toBe("completed");
});

function named(text: string, params: readonly string[]): Promise<readonly { readonly name: string }[]> {
  return ground.sql(SOURCE).query({ name: "", text }, params);
}

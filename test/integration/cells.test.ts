import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ADMIN_KEY,
  apiOf,
  ask,
  type CellsGround,
  countRuns,
  createCells,
  makeOrganisation,
} from "./support/cells-ground.ts";
import { prepareProgram, type ServerProcess } from "./support/server-process.ts";

const HELLO = `name: hello
steps:
  - id: greet
    command: Say hello
`;

describe("a server over two cells", () => {
  let ground: CellsGround;
  let server: ServerProcess;
  let acme: string;
  beforeAll(async () => {
    prepareProgram();
    ground = await createCells(["north", "south"]);
    server = await ground.start(["--ledger", "ledger.ndjson"]);
    acme = await makeOrganisation(server.url, "acme");
  });
  afterAll(() => ground.dispose());

  it("runs each organisation in its cell, and nothing of it in another", async () => {
    for (const key of [ADMIN_KEY, acme]) {
      const api = apiOf(server.url, key);
      await api.putWorkflow("hello", HELLO);
      const { id } = await api.startRun("hello", "first");
      const run = await api.waitUntilEnded(id);
      expect(run.status).toBe("completed");
      expect((await api.readLog(id)).length).toBe(run.lastEventId);
    }
    const counts = [];
    for (const cell of ["north", "south"]) {
      for (const orgId of ["default", "acme"]) counts.push([cell, orgId, await countRuns(ground.sql(cell), orgId)]);
    }
    expect(counts).toEqual([
      ["north", "default", 1],
      ["north", "acme", 0],
      ["south", "default", 0],
      ["south", "acme", 1],
    ]);
  });

  it("says of each cell that it is ready, and whose figures are whose", async () => {
    const { body } = await ask(server.url, null, "GET", "/readyz");
    expect(body["cells"]).toMatchObject([
      { name: "north", status: "ready" },
      { name: "south", status: "ready" },
    ]);
    const { body: figures } = await ask(server.url, null, "GET", "/metrics");
    expect(figures["text"]).toMatch(/sluice_\w+\{cell="south"/);
  });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDirectory } from "../../src/store/index.ts";
import { callSluice } from "../cli/terminal.ts";
import { ADMIN_KEY, ask, type CellsGround, createCells, makeOrganisation } from "./support/cells-ground.ts";

describe("cells that cannot be used", () => {
  let ground: CellsGround;
  beforeAll(async () => {
    ground = await createCells(["north", "south"]);
  });
  afterAll(() => ground.dispose());

  /** What a server says that is started with a file of cells, before it ends. */
  async function refusalOf(text: string): Promise<{ readonly status: number; readonly said: string }> {
    const file = join(ground.directory, "tried.yaml");
    writeFileSync(file, text);
    const { code, err } = await callSluice(
      ["serve", "--port", "0", "--cells", file, "--key", ADMIN_KEY],
      surroundings(),
    );
    return { status: code, said: err };
  }
  const surroundings = () => ({ cwd: ground.directory, env: { SLUICE_DATA: join(ground.directory, "data") } });
  const cell = (name: string, url: string): string => `  - {name: ${name}, url: "${url}"}\n`;
  const organisations = async (): Promise<number> => {
    const text = "select count(*)::int as n from organisations";
    return (await ground.sql("north").query<{ n: number }>({ name: "", text }))[0]?.n ?? 0;
  };

  it("two with one database are refused, also under another address, before anything is written", async () => {
    const url = ground.url("north");
    const same = await refusalOf(`cells:\n${cell("north", url)}${cell("south", url)}`);
    expect(same).toMatchObject({
      status: 2,
      said: expect.stringContaining("north and south have one database") as string,
    });
    const other = url.includes("127.0.0.1") ? url.replace("127.0.0.1", "localhost") : `${url}?application_name=x`;
    const disguised = await refusalOf(`cells:\n${cell("north", url)}${cell("south", other)}`);
    expect(disguised).toMatchObject({
      status: 2,
      said: expect.stringContaining("north and south have one database") as string,
    });
    expect(await organisations()).toBe(0);
  });

  it("one with another schema is refused", async () => {
    const ahead = { name: "", text: "insert into schema_migrations values (999, 'later', 999, 0)" };
    await ground.sql("south").query(ahead);
    const { status, said } = await refusalOf(
      `cells:\n${cell("north", ground.url("north"))}${cell("south", ground.url("south"))}`,
    );
    await ground.sql("south").query({ name: "", text: "delete from schema_migrations where version = 999" });
    expect([status, said]).toEqual([2, expect.stringContaining("the cell south: the database is at schema 999")]);
    expect(await organisations()).toBe(0);
  });

  it.each([
    ["cells: []\n", "cells"],
    ["cells:\n  - {name: North, url: x}\n", "must be 1 to 32 small letters"],
    ["cells:\n  - {name: north}\n", "needs url or url_env"],
    ["cells:\n  - {name: north, url_env: NOT_SET_AT_ALL}\n", "the variable NOT_SET_AT_ALL is not set"],
    ["cells:\n  - {name: north, url: 'mysql://h/d'}\n", "must be a postgres:// URL"],
    ["directory: west\ncells:\n  - {name: north, url: 'postgres://h/d'}\n", "the cell west, which is not among"],
    ["cells:\n  - {name: north, url: 'postgres://h/d', colour: red}\n", "colour"],
  ])("%j is refused: %s", async (text, said) => {
    expect(await refusalOf(text)).toMatchObject({ status: 2, said: expect.stringContaining(said) as string });
  });

  it("databases that are mixed up with each other or with a new one are refused, and nothing is made in them", async () => {
    const mixed = await createCells(["north", "south", "fresh"]);
    try {
      const own = (north: string, south: string): string =>
        `cells:\n${cell("north", mixed.url(north))}${cell("south", mixed.url(south))}`;
      writeFileSync(mixed.file, own("north", "south"));
      await (await mixed.start()).stop();
      const said = "the organisation default is in the cell south, and its database says north";
      const renamed = await refusalOf(own("south", "north"));
      expect(renamed).toMatchObject({ status: 2, said: expect.stringContaining(said) as string });
      const server = await mixed.start();
      await makeOrganisation(server.url, "acme");
      await server.stop();
      const swapped = await refusalOf(own("south", "north"));
      expect(swapped).toMatchObject({ status: 2, said: expect.stringContaining("acme is in two cells") as string });
      const fresh = await refusalOf(own("north", "fresh"));
      const isNew = "the cell south is a new database, and by the directory it has the organisation acme";
      expect(fresh).toMatchObject({ status: 2, said: expect.stringContaining(isNew) as string });
      const made = await mixed.sql("fresh").query({ name: "", text: "select from organisations" });
      expect(made).toEqual([]);
    } finally {
      await mixed.dispose();
    }
  });

  it("doctor looks at the database of each cell", async () => {
    const file = join(ground.directory, "looked-at.yaml");
    writeFileSync(
      file,
      `cells:\n${cell("north", ground.url("north"))}${cell("south", "postgres://127.0.0.1:9/nothing")}`,
    );
    const { code, out } = await callSluice(["doctor", "--json", "--port", "0", "--cells", file], surroundings());
    const { findings } = JSON.parse(out) as { readonly findings: readonly { readonly check: string }[] };
    expect(findings.filter(({ check }) => check.includes("database"))).toMatchObject([
      { check: "north database", ok: true },
      { check: "north database durability" },
      { check: "south database", ok: false, fix: expect.stringContaining(`the url of south in ${file}`) as string },
    ]);
    expect(code).toBe(1);
  });

  it("moves that make no sense are refused with a reason, and nothing moves", async () => {
    const server = await ground.start();
    await makeOrganisation(server.url, "acme");
    const move = async (organisation: string, to: string): Promise<readonly unknown[]> => {
      const { status, body } = await ask(server.url, ADMIN_KEY, "POST", "/api/v1/cells/moves", { organisation, to });
      return [status, body["code"]];
    };
    expect(await move("acme", "west")).toEqual([404, "unknown_cell"]);
    expect(await move("acme", "south")).toEqual([409, "same_cell"]);
    expect(await move("ghost", "south")).toEqual([404, "unknown_organisation"]);
    const verified = await ask(server.url, ADMIN_KEY, "GET", "/api/v1/cells/verification?of=ghost");
    expect([verified.status, verified.body["code"]]).toEqual([404, "unknown_organisation"]);
    const other = await makeOrganisation(server.url, "other");
    const asked = await ask(server.url, other, "GET", "/api/v1/cells");
    expect([asked.status, asked.body["code"]]).toEqual([403, "forbidden"]);
    // The directory says south, and a cell says that it is there as well.
    await ground.sql("north").query({
      name: "",
      text: "insert into workflows (org_id, name, status, latest_version) values ('twin', 'w', 'active', 1)",
    });
    await ground
      .sql("south")
      .query({ name: "", text: "insert into organisations (org_id, created_at, cell) values ('twin', 0, 'south')" });
    expect(await move("acme", "north")).toEqual([409, "move_refused"]);
    expect(await createDirectory(ground.sql("north")).openMoves()).toEqual([]);
    await server.stop();
    const again = await refusalOf(`cells:\n${cell("north", ground.url("north"))}${cell("south", ground.url("south"))}`);
    expect(again).toMatchObject({ status: 2, said: expect.stringContaining("twin is in two cells") as string });
  });
});

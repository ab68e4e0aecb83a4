import { afterAll, beforeAll, expect, it } from "vitest";
import { Fleet, type FleetCell } from "../../src/cells/index.ts";
import { createSystemClock } from "../../src/clock/index.ts";
import { createSqlStore, type Sql, StoreUnavailable } from "../../src/store/index.ts";
import { connect } from "../postgres/database.ts";
import { type CellsGround, createCells } from "./support/cells-ground.ts";

let ground: CellsGround;
beforeAll(async () => {
  ground = await createCells(["north", "south"]);
});
afterAll(() => ground.dispose());

function cellOf(name: string, sql: Sql, openLong: () => Sql): FleetCell {
  const checkPooler = (): Promise<void> => Promise.resolve();
  return { name, shown: name, accepts: true, sql, store: createSqlStore(sql), checkPooler, openLong };
}

it("a move that waits for a dead cell keeps no other move waiting", async () => {
  const troubles: string[] = [];
  const openLong = (name: string) => () => connect(ground.url(name), 2);
  const north = cellOf("north", ground.sql("north"), openLong("north"));
  const south = cellOf("south", ground.sql("south"), openLong("south"));
  const dead = cellOf("dead", ground.sql("north"), () => {
    throw new StoreUnavailable("the database is away");
  });
  const fleet = new Fleet({
    cells: [north, south, dead],
    directory: north,
    operators: "default",
    // What it waits for are other servers, and there are none.
    clock: { now: Date.now, after: (_delayMs, fire) => createSystemClock().after(0, fire) },
    isReady: () => true,
    onSwitched: () => undefined,
    onTrouble: (what) => void troubles.push(what),
  });
  for (const orgId of ["acme", "globex"]) await fleet.directory.place(orgId, "south");
  await fleet.directory.openMove({ id: "move_1", orgId: "acme", source: "south", target: "dead", askedBy: null });
  await fleet.directory.openMove({ id: "move_2", orgId: "globex", source: "south", target: "north", askedBy: null });
  await fleet.continueMoves();
  await fleet.stop();
  expect(troubles).toEqual(["the move of acme to dead waits, and is tried again"]);
  expect(await fleet.directory.getMove("move_1")).toMatchObject({ stage: "copying" });
  expect(await fleet.directory.getMove("move_2")).toMatchObject({ stage: "done" });
});

import { expect, it } from "vitest";
import { createVirtualClock } from "../clock/index.ts";
import { type Sql, type Store, StoreUnavailable } from "../store/index.ts";
import { Fleet } from "./fleet.ts";
import type { FleetCell } from "./fleet-cell.ts";

const MOVE = {
  id: "move_1",
  org_id: "acme",
  source: "north",
  target: "south",
  stage: "removing",
  reason: null,
  tables: null,
  asked_by: null,
  created_at: 0,
  updated_at: 0,
  frozen_at: 0,
  switched_at: 0,
};

/** A directory with one move that has switched, which answers where the organisation is as `cellOf` says. */
function fleetOver(cellOf: () => Promise<string>) {
  const switched: string[] = [];
  const query = async ({ name }: { readonly name: string }): Promise<readonly object[]> =>
    name === "recent moves" ? [MOVE] : [{ cell: await cellOf() }];
  const sql = { query } as Partial<Sql> as Sql;
  const store = {} as Partial<Store> as Store;
  const cells = ["north", "south"].map((name): FleetCell => {
    return { name, shown: name, accepts: true, sql, store, checkPooler: () => Promise.resolve(), openLong: () => sql };
  });
  const [directory] = cells;
  if (directory === undefined) throw new Error("there is no cell");
  const fleet = new Fleet({
    cells,
    directory,
    operators: "default",
    clock: createVirtualClock(0),
    isReady: () => true,
    onSwitched: ({ orgId }) => void switched.push(orgId),
    onTrouble: () => undefined,
  });
  return { fleet, switched };
}

it("a switch that could not be looked at because the directory failed in between is noticed by the next look", async () => {
  let isAway = true;
  const { fleet, switched } = fleetOver(() =>
    isAway ? Promise.reject(new StoreUnavailable("the directory is away")) : Promise.resolve("south"),
  );
  await expect(fleet.look()).rejects.toBeInstanceOf(StoreUnavailable);
  expect(switched).toEqual([]);
  isAway = false;
  await fleet.look();
  await fleet.look();
  expect([switched, fleet.map.lastKnown("acme")]).toEqual([["acme"], "south"]);
});

it("a look that has ended knows of every switch, also while another look is under way", async () => {
  let answer: (cell: string) => void = () => undefined;
  let asked = 0;
  const { fleet, switched } = fleetOver(() => {
    asked += 1;
    return asked === 1 ? new Promise((resolve) => (answer = resolve)) : Promise.resolve("south");
  });
  const slow = fleet.look();
  await fleet.look();
  expect(switched).toEqual(["acme"]);
  answer("south");
  await slow;
  expect(switched).toEqual(["acme"]);
});

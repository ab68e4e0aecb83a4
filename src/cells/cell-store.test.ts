import { expect, it } from "vitest";
import { type DirectoryStore, OrganisationMoving, type RunCommit, type Store } from "../store/index.ts";
import { CellMap } from "./cell-map.ts";
import { type CellStoreOptions, createCellStore } from "./cell-store.ts";

const START = { orgId: "acme", create: {} } as Partial<RunCommit> as RunCommit;
const STEP = { orgId: "acme", create: null } as Partial<RunCommit> as RunCommit;

it("a run that starts late, when its organisation has left the cell, is not made there", async () => {
  let home = "north";
  const written: RunCommit[] = [];
  const commit: Store["commit"] = (batch) => {
    written.push(...batch);
    return Promise.resolve({ conflicts: [], duplicates: [], isOverLimit: false });
  };
  const own = { commit } as Partial<Store> as Store;
  const directory = { cellOf: () => Promise.resolve(home) } as Partial<DirectoryStore> as DirectoryStore;
  const map = new CellMap({ directory, now: () => 0 });
  const storeIn = (cell: string): Store | undefined => (cell === "north" ? own : undefined);
  const options = { own, directory, map, storeIn } as Partial<CellStoreOptions> as CellStoreOptions;
  const store = createCellStore(options);

  await store.commit([START]);
  expect(written).toEqual([START]);
  home = "south";
  map.learn("acme", "south");
  await expect(store.commit([STEP, START])).rejects.toBeInstanceOf(OrganisationMoving);
  await store.commit([STEP]);
  expect(written).toEqual([START, STEP]);
  // Back again, which this process has not noticed yet.
  home = "north";
  await store.commit([START]);
  expect(written).toEqual([START, STEP, START]);
});

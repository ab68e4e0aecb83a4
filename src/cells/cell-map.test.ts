import { expect, it } from "vitest";
import type { DirectoryStore } from "../store/index.ts";
import { CellMap } from "./cell-map.ts";

it("a process that was too busy to learn of a move asks the directory again before it calls anything unknown", async () => {
  let cell: string | null = "north";
  const directory = { cellOf: () => Promise.resolve(cell) } as Partial<DirectoryStore> as DirectoryStore;
  const map = new CellMap({ directory, now: () => 0 });
  expect(await map.cellOf("acme")).toBe("north");
  expect(await map.hasMoved("acme")).toBe(false);
  cell = "south";
  expect(await map.cellOf("acme")).toBe("north");
  expect(await map.hasMoved("acme")).toBe(true);
  expect(await map.cellOf("acme")).toBe("south");
});

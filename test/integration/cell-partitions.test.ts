import { afterAll, beforeAll, expect, it } from "vitest";
import type { Mover } from "../../src/cells/mover.ts";
import {
  type CellMove,
  compareRows,
  type ComparedTable,
  createDirectory,
  createSqlStore,
  type DirectoryStore,
  movedTables,
  type Sql,
  StoreUnavailable,
} from "../../src/store/index.ts";
import { firstIdOf, weekAt } from "../../src/store/sql/run-week.ts";
import { type CellsGround, createCells, moverOn } from "./support/cells-ground.ts";

const FILLED = ["event_blocks", "verdict_blocks", "verdict_parts", "audit_open", "audit_blocks", "audit_facets"];
const WEEK = weekAt(Date.now());

let ground: CellsGround;
let directory: DirectoryStore;
beforeAll(async () => {
  ground = await createCells(["north", "south"]);
  directory = createDirectory(ground.sql("north"));
  for (const cell of ["north", "south"]) await createSqlStore(ground.sql(cell)).makePartitions(Date.now());
  // The target has no partition for this week: what it holds goes where rows without one go.
  await run(ground.sql("north"), `drop table event_blocks_w${WEEK}`);
  for (const orgId of ["acme", "globex"]) {
    await fill(ground.sql("south"), orgId);
    await directory.place(orgId, "south");
  }
});
afterAll(() => ground.dispose());

it("rows in partitions and sealed blocks go over with their organisation, also while a partition is detached", async () => {
  const [north, south] = [ground.sql("north"), ground.sql("south")];
  const before = await holdings(south, "acme");
  expect(before.filter(({ rows }) => rows > 0).map(({ table }) => table)).toEqual(FILLED.toSorted());
  const others = await holdings(south, "globex");
  const asked = { id: "move_1", orgId: "acme", source: "south", target: "north", askedBy: null };
  await directory.openMove(asked);
  const isStopped = new Error("stopped before it freezes");
  const stopping = moverOf((stage) => {
    if (stage === "freezing") throw isStopped;
  });
  await expect(stopping.continueMove(await moveNow())).rejects.toBe(isStopped);
  const isUndone = new Error("the partition stays");
  const detaching = south.transaction(async (within) => {
    await run(within, `alter table event_blocks detach partition event_blocks_w${WEEK}`);
    // It gives up soon, so that commits do not queue behind it, and is tried again.
    await expect(moverOf().continueMove(await moveNow())).rejects.toThrow(StoreUnavailable);
    throw isUndone;
  });
  await expect(detaching).rejects.toBe(isUndone);
  expect(await moveNow()).toMatchObject({ stage: "freezing", reason: null });
  expect(await moverOf().continueMove(await moveNow())).toMatchObject({ stage: "done", reason: null });
  expect(await holdings(north, "acme")).toEqual(before);
  expect((await holdings(south, "acme")).filter(({ rows }) => rows > 0)).toEqual([]);
  expect(await holdings(south, "globex")).toEqual(others);
});

it("a table that only one cell has ends a move before anything is copied, by its name", async () => {
  await run(ground.sql("south"), "create table event_blocks_kept_apart (org_id text not null)");
  await directory.openMove({ id: "move_2", orgId: "globex", source: "south", target: "north", askedBy: null });
  const move = await directory.getMove("move_2");
  if (move === undefined) throw new Error("there is no move");
  const { stage, reason } = await moverOf().continueMove(move);
  expect([stage, reason]).toEqual(["failed", expect.stringContaining("event_blocks_kept_apart")]);
  expect((await holdings(ground.sql("north"), "globex")).filter(({ rows }) => rows > 0)).toEqual([]);
  expect(await directory.cellOf("globex")).toBe("south");
});

function moverOf(onStage: (stage: CellMove["stage"]) => void = () => undefined): Mover {
  return moverOn(ground, { onStage: ({ stage }) => onStage(stage) });
}

async function moveNow(): Promise<CellMove> {
  const move = await directory.getMove("move_1");
  if (move === undefined) throw new Error("there is no move");
  return move;
}

async function run(sql: Sql, text: string, params: readonly string[] = []): Promise<void> {
  await sql.query({ name: "", text }, params);
}

/** Runs of this week, of next week and of a time without a partition; blocks that are kept for ever and others. */
async function fill(sql: Sql, orgId: string): Promise<void> {
  for (const week of [WEEK - 100, WEEK, WEEK + 1]) {
    const runId = `${firstIdOf(week)}_${orgId}`;
    await run(sql, "insert into event_blocks values ($1, 1, 3, 'three events', $2)", [runId, orgId]);
    await run(sql, "insert into verdict_blocks values ($1, 1, $2, 7, 'verdicts')", [runId, orgId]);
  }
  await run(sql, "insert into verdict_parts values ($1, 'part', 'shared')", [orgId]);
  await run(sql, "insert into audit_open values ($1, 30, 7, '\\x00ff'::bytea)", [orgId]);
  const blocks =
    "insert into audit_blocks values ($1, 10, true, 7, '\\x1f8b00'::bytea), ($1, 10, false, $2, '\\x'::bytea)";
  await run(sql, blocks, [orgId, String(Date.now())]);
  await run(sql, "insert into audit_facets values ($1, 'run:1', 10)", [orgId]);
}

async function holdings(sql: Sql, orgId: string): Promise<readonly ComparedTable[]> {
  const found: ComparedTable[] = [];
  for (const table of await movedTables(sql)) found.push(await compareRows(sql, table, orgId));
  return found;
}

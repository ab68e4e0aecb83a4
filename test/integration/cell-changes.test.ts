import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import {
  type CellMove,
  compareRows,
  type ComparedTable,
  createDirectory,
  createSqlStore,
  type DirectoryStore,
  lowerFence,
  movedTables,
  OrganisationMoving,
  passFence,
  raiseFence,
  type Sql,
} from "../../src/store/index.ts";
import { creation, logFrom } from "../contracts/shares.ts";
import { type CellsGround, createCells, moverOn } from "./support/cells-ground.ts";
import { waitFor } from "./support/waiting.ts";

/** More than are copied at once, and more than are removed at once. */
const RUNS = 6_000;

let ground: CellsGround;
let directory: DirectoryStore;
let count = 0;
let [source, target] = ["north", "south"];

beforeAll(async () => {
  ground = await createCells(["north", "south"]);
  directory = createDirectory(ground.sql("north"));
  await directory.place("acme", "south");
  await run(
    ground.sql("south"),
    `insert into event_blocks (run_id, first_event_id, last_event_id, body, org_id)
      select 'run_' || n, 1, 3, 'events', 'acme' from generate_series(1, ${RUNS}) n`,
  );
});
afterAll(() => ground.dispose());

beforeEach(async () => {
  source = (await directory.cellOf("acme")) ?? "";
  target = source === "north" ? "south" : "north";
  count += 1;
  await directory.openMove({ id: `move_${count}`, orgId: "acme", source, target, askedBy: null });
});

it("what changes after it was copied goes over in the freeze, which reads nothing else of what was copied", async () => {
  const texts: string[] = [];
  const change = async ({ stage }: CellMove): Promise<void> => {
    if (stage === "freezing") await changeSome(ground.sql(source));
    if (stage === "frozen") texts.length = 0;
  };
  const sqlOf = (cell: string): Sql => (cell === source ? noting(ground.sql(cell), texts) : ground.sql(cell));
  let frozen: readonly string[] = [];
  let before: readonly ComparedTable[] = [];
  const move = await carriedOn(change, sqlOf, async ({ stage }) => {
    if (stage !== "switching") return;
    frozen = [...texts];
    before = await holdings(ground.sql(source));
  });
  expect(move).toMatchObject({ stage: "done", reason: null });
  const reading = frozen.filter((text) => text.includes('"event_blocks"'));
  expect(reading.length).toBeGreaterThan(0);
  expect(reading.filter((text) => !text.includes("json_array_elements"))).toEqual([]);
  expect(await holdings(ground.sql(target))).toEqual(before);
  expect((await holdings(ground.sql(source))).filter(({ rows }) => rows > 0)).toEqual([]);
  expect(move.tables?.filter(({ rows }) => rows > 0)).toEqual(before.filter(({ rows }) => rows > 0));
  expect(await traces(ground.sql(source))).toEqual([0, 0]);
  expect(await traces(ground.sql(target))).toEqual([0, 0]);
});

it("while it arrives nothing in the target can change what was copied", async () => {
  let refused: unknown;
  const tamper = async ({ stage }: CellMove): Promise<void> => {
    if (stage !== "freezing") return;
    const text = "update event_blocks set body = 'other' where org_id = 'acme'";
    refused = await run(ground.sql(target), text).catch((error: unknown) => error);
  };
  const before = await holdings(ground.sql(source));
  expect((await carriedOn(tamper)).stage).toBe("done");
  expect(refused).toBeInstanceOf(OrganisationMoving);
  expect(await holdings(ground.sql(target))).toEqual(before);
  await run(ground.sql(target), "update event_blocks set last_event_id = 4 where org_id = 'acme' and run_id = 'run_9'");
});

it("what an older server copied, without the log, is compared as a whole in the freeze", async () => {
  const forget = async ({ stage }: CellMove): Promise<void> => {
    if (stage !== "freezing") return;
    await run(
      ground.sql(source),
      "update event_blocks set body = 'unseen' where org_id = 'acme' and run_id = 'run_11'",
    );
    await run(ground.sql(source), "delete from cell_changes");
  };
  let before: readonly ComparedTable[] = [];
  const move = await carriedOn(forget, undefined, async ({ stage }) => {
    if (stage === "switching") before = await holdings(ground.sql(source));
  });
  expect(move).toMatchObject({ stage: "done", reason: null });
  expect(await holdings(ground.sql(target))).toEqual(before);
});

it("a run is found in the source with all of its log or not at all, while its rows are removed", async () => {
  const sql = ground.sql(source);
  const store = createSqlStore(sql);
  await store.commit([creation("run_open", {}, { orgId: "acme", events: logFrom(0, 3) })]);
  const found: number[] = [];
  const looking: Sql = {
    ...sql,
    transaction: async (work) => {
      const outcome = await sql.transaction(work);
      found.push(...(await store.loadRuns(["run_open"])).map(({ events }) => events.length));
      return outcome;
    },
  };
  const move = await carriedOn(undefined, (cell) => (cell === source ? looking : ground.sql(cell)));
  expect(move.stage).toBe("done");
  expect(new Set(found)).toEqual(new Set([3]));
  expect(await store.loadRuns(["run_open"])).toEqual([]);
  expect(await createSqlStore(ground.sql(target)).loadRuns(["run_open"])).toHaveLength(1);
});

it("a process that empties the source beside another one, which has some of the rows, ends only when all are gone", async () => {
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = '${nameOf(source)}'`;
  const isWaitedFor = async (): Promise<boolean> =>
    (await ground.sql(target).query({ name: "", text: waiting })).length > 0;
  let beside: Promise<void> = Promise.resolve();
  const settled = (): Promise<void> =>
    new Promise((locked, failed) => {
      beside = ground.sql(source).transaction(async (within) => {
        await passFence(within, "acme");
        await run(within, "delete from event_blocks where org_id = 'acme' and run_id like 'run_1%'");
        locked();
        await waitFor("the other process to wait", isWaitedFor);
      });
      beside.catch(failed);
    });
  const move = await directory.getMove(`move_${count}`);
  if (move === undefined) throw new Error("there is no move");
  expect(await moverOn(ground, { settled }).continueMove(move)).toMatchObject({ stage: "done", reason: null });
  expect((await holdings(ground.sql(source))).filter(({ rows }) => rows > 0)).toEqual([]);
  await beside;
});

it("a row that is not the same in the target after all ends the move, and the organisation stays", async () => {
  // As a database would that keeps less of a value than it was given.
  const shorten = `create function shorten() returns trigger language plpgsql as $$
    begin new.body := left(new.body, 3); return new; end $$`;
  await run(ground.sql(target), shorten);
  await run(
    ground.sql(target),
    "create trigger shorten before insert on event_blocks for each row when (new.run_id = 'run_7') execute function shorten()",
  );
  const before = await holdings(ground.sql(source));
  const move = await carriedOn();
  expect([move.stage, move.reason]).toEqual(["failed", expect.stringContaining("event_blocks")]);
  expect(await directory.cellOf("acme")).toBe(source);
  expect(await holdings(ground.sql(source))).toEqual(before);
  expect((await holdings(ground.sql(target))).filter(({ rows }) => rows > 0)).toEqual([]);
  expect(await traces(ground.sql(source))).toEqual([0, 0]);
  expect(await traces(ground.sql(target))).toEqual([0, 0]);
});

it("two servers that freeze at once do not disturb each other, though one has not seen the triggers of the other", async () => {
  const sql = ground.sql(source);
  const tables = await movedTables(sql);
  const blind: Sql = {
    ...sql,
    query: (statement, params) =>
      statement.name === "triggers of moves" ? Promise.resolve([]) : sql.query(statement, params),
  };
  await raiseFence(sql, tables, "acme");
  const raised = await traces(sql);
  await raiseFence(blind, tables, "acme");
  expect(await traces(sql)).toEqual(raised);
  await lowerFence(sql, tables, "acme");
  expect(await traces(sql)).toEqual([0, 0]);
  await directory.advanceMove(`move_${count}`, "copying", { stage: "failed" });
});

function nameOf(cell: string): string {
  return new URL(ground.url(cell)).pathname.slice(1);
}

/** Rows are changed, are gone, are new, and have another key. */
async function changeSome(sql: Sql): Promise<void> {
  await run(sql, "update event_blocks set body = 'changed' where org_id = 'acme' and run_id = 'run_7'");
  await run(sql, "delete from event_blocks where org_id = 'acme' and run_id in ('run_1', 'run_2999')");
  await run(sql, "update event_blocks set first_event_id = 2 where org_id = 'acme' and run_id = 'run_5'");
  await run(sql, "insert into event_blocks select 'run_new', 1, 3, 'new', 'acme'");
}

async function carriedOn(
  after: (next: CellMove) => Promise<void> = () => Promise.resolve(),
  sqlOf: (cell: string) => Sql = (cell) => ground.sql(cell),
  before: (next: CellMove) => Promise<void> = () => Promise.resolve(),
): Promise<CellMove> {
  const move = await directory.getMove(`move_${count}`);
  if (move === undefined) throw new Error("there is no move");
  const watched: DirectoryStore = {
    ...directory,
    advanceMove: async (id, from, change) => {
      await before({ ...move, stage: change.stage });
      const isAdvanced = await directory.advanceMove(id, from, change);
      await after({ ...move, stage: change.stage });
      return isAdvanced;
    },
  };
  return moverOn(ground, { directory: watched, sqlOf }).continueMove(move);
}

function noting(sql: Sql, texts: string[]): Sql {
  return {
    ...sql,
    query: (statement, params) => {
      texts.push(statement.text);
      return sql.query(statement, params);
    },
  };
}

async function run(sql: Sql, text: string): Promise<void> {
  await sql.query({ name: "", text });
}

async function holdings(sql: Sql): Promise<readonly ComparedTable[]> {
  const found: ComparedTable[] = [];
  for (const table of await movedTables(sql)) found.push(await compareRows(sql, table, "acme"));
  return found;
}

/** Triggers of moves, and entries of the log of changes. */
async function traces(sql: Sql): Promise<readonly number[]> {
  const triggers = await sql.query({ name: "", text: "select from pg_trigger where tgname like 'moving%'" });
  const changes = await sql.query({ name: "", text: "select from cell_changes" });
  return [triggers.length, changes.length];
}

import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import {
  type CellMove,
  createDirectory,
  type DirectoryStore,
  type Sql,
  StoreUnavailable,
} from "../../src/store/index.ts";
import { apiOf, type CellsGround, leftIn, moverOn, openFleet } from "./support/cells-ground.ts";

const FLOW = "name: flow\nsteps:\n  - {id: work, command: Work}\n";
const MINUTE_MS = 60_000;

let ground: CellsGround;
let directory: DirectoryStore;
let key: string;
let move: CellMove;
let source: string;
let count = 0;

beforeAll(async () => {
  const fleet = await openFleet(() => [], "directory");
  const { server } = fleet;
  ({ ground, key } = fleet);
  directory = createDirectory(ground.sql("directory"));
  await apiOf(server.url, key).putWorkflow("flow", FLOW);
  const { id } = await apiOf(server.url, key).startRun("flow", "one");
  await apiOf(server.url, key).waitUntilEnded(id);
  await server.stop();
});
afterAll(() => ground.dispose());

beforeEach(async () => {
  source = (await directory.cellOf("acme")) ?? "";
  const target = source === "north" ? "south" : "north";
  count += 1;
  await directory.openMove({ id: `move_${count}`, orgId: "acme", source, target, askedBy: null });
  move = await moveNow();
});

it("a target that is away while the organisation is frozen is given up, and emptied when it is back", async () => {
  const close = async ({ stage }: CellMove): Promise<void> => {
    if (stage === "frozen") await ground.close(move.target, "directory");
  };
  await expect(carriedOn({ after: close })).rejects.toBeInstanceOf(StoreUnavailable);
  expect((await moveNow()).stage).toBe("frozen");
  expect(await triggersIn(ground.sql(source))).toBeGreaterThan(0);

  await expect(carriedOn({ now: () => Date.now() + MINUTE_MS })).rejects.toBeInstanceOf(StoreUnavailable);
  expect(await moveNow()).toMatchObject({
    stage: "withdrawing",
    reason: expect.stringContaining("database") as string,
  });
  expect(await triggersIn(ground.sql(source))).toBe(0);

  await ground.open(move.target, "directory");
  expect((await carriedOn({})).stage).toBe("failed");
  expect(await leftIn(ground.sql(move.target), "acme")).toEqual([]);
  await livesIn(source);
});

it("a process that was slow to bring the last rows does not count when the move was given up meanwhile", async () => {
  const giveUp = async ({ stage }: CellMove, from: string): Promise<void> => {
    if (stage === "switching" && from === "frozen")
      await directory.advanceMove(move.id, "frozen", { stage: "withdrawing", reason: "given up" });
  };
  expect(await carriedOn({ before: giveUp })).toMatchObject({ stage: "failed", reason: "given up" });
  expect(await leftIn(ground.sql(move.target), "acme")).toEqual([]);
  expect(await triggersIn(ground.sql(source))).toBe(0);
  await livesIn(source);
});

it("a transaction that did not commit though the stage says so is made again", async () => {
  const lose = ({ stage }: CellMove): Promise<void> =>
    stage === "switching" ? Promise.reject(new StoreUnavailable("the answer was lost")) : Promise.resolve();
  await expect(carriedOn({ after: lose })).rejects.toBeInstanceOf(StoreUnavailable);
  expect((await moveNow()).stage).toBe("switching");
  const settled = "select from organisations where org_id = 'acme' and cell is not null";
  expect(await ground.sql(move.target).query({ name: "", text: settled })).toHaveLength(0);
  expect((await carriedOn({ now: () => Date.now() + MINUTE_MS })).stage).toBe("done");
  expect(await leftIn(ground.sql(source), "acme", "organisations")).toEqual([]);
  await livesIn(move.target);
});

interface Around {
  readonly now?: () => number;
  /** What happens just before or after a stage is recorded. */
  readonly before?: (next: CellMove, from: string) => Promise<void>;
  readonly after?: (next: CellMove) => Promise<void>;
}

function carriedOn({ now = Date.now, before, after }: Around): Promise<CellMove> {
  const watched: DirectoryStore = {
    ...directory,
    advanceMove: async (id, from, change) => {
      const next = { ...move, stage: change.stage };
      await before?.(next, from);
      const isAdvanced = await directory.advanceMove(id, from, change);
      await after?.(next);
      return isAdvanced;
    },
  };
  const mover = moverOn(ground, { directory: watched, directoryCell: null, now });
  return moveNow().then((current) => mover.continueMove(current));
}

async function moveNow(): Promise<CellMove> {
  const found = await directory.getMove(`move_${count}`);
  if (found === undefined) throw new Error("there is no move");
  return found;
}

async function triggersIn(sql: Sql): Promise<number> {
  const text = "select from pg_trigger where tgname like 'moving_%'";
  return (await sql.query({ name: "", text })).length;
}

/** It works there, and no server finds anything wrong. */
async function livesIn(cell: string): Promise<void> {
  expect(await directory.cellOf("acme")).toBe(cell);
  const server = await ground.start();
  const api = apiOf(server.url, key);
  const { id } = await api.startRun("flow", `run ${count}`);
  expect((await api.waitUntilEnded(id)).status).toBe("completed");
  await server.stop();
}

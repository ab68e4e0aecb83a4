import {
  catchUp,
  type CellMove,
  closeArrival,
  compareRows,
  type ComparedTable,
  copyChanges,
  copyRows,
  copySettled,
  type DirectoryStore,
  forgetChanges,
  guardArrival,
  holdArrival,
  isMarkedCopied,
  logChanges,
  lowerFence,
  markCopied,
  type MovedTable,
  movedTables,
  NotArriving,
  openArrival,
  passFence,
  raiseFence,
  removeRows,
  type Sql,
  StoreUnavailable,
  whileArriving,
  type Write,
} from "../store/index.ts";

export interface MoverOptions {
  readonly directory: DirectoryStore;
  /** Returns the connection to a cell, with a longer timeout for long statements. */
  readonly sqlOf: (cell: string) => Sql;
  /** The cell that contains the directory. Null when the directory is a separate database. */
  readonly directoryCell: string | null;
  /** Waits until every server knows of the switch. */
  readonly settled: () => Promise<void>;
  readonly now: () => number;
  /** Called after a stage is recorded and before it begins. */
  readonly onStage?: (move: CellMove) => void;
}

/** Maximum time that an organisation stays frozen while a database is unavailable. */
const FROZEN_MAX_MS = 30_000;
/** The freeze begins when at most this many changes are left, or after the maximum number of rounds. */
const CHANGES_FEW = 500;
const CATCH_UP_ROUNDS = 20;

/** Thrown when source and target differ. The move is given up, and the organisation stays in the source. */
class NotTheSame extends Error {
  override readonly name = "NotTheSame";
}

/**
 * Moves organisations from one cell to another. Each stage is recorded before it begins and can be repeated, so that
 * another server can continue a move after a crash. The organisation is in the target as soon as one transaction
 * commits. That transaction copies the last rows and checks that both sides are equal. It commits only in the stage
 * `switching`, so that before this stage a move can be given up without a query to the target.
 */
export class Mover {
  readonly #options: MoverOptions;

  constructor(options: MoverOptions) {
    this.#options = options;
  }

  /** Continues a move until it is done or has failed. Throws while a database is unavailable; the caller tries again later. */
  async continueMove(begun: CellMove): Promise<CellMove> {
    let move: CellMove | undefined = begun;
    while (move !== undefined && move.stage !== "done" && move.stage !== "failed") {
      this.#options.onStage?.(move);
      try {
        await this.#advance(move);
      } catch (error) {
        if (!this.#mayGiveUp(move, error)) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        await this.#options.directory.advanceMove(move.id, move.stage, { stage: "withdrawing", reason });
      }
      move = await this.#options.directory.getMove(begun.id);
    }
    return move ?? begun;
  }

  async #advance(move: CellMove): Promise<void> {
    const { directory } = this.#options;
    switch (move.stage) {
      case "copying":
        await this.#copyHistory(move);
        await directory.advanceMove(move.id, "copying", { stage: "freezing" });
        return;
      case "freezing":
        await this.#freeze(move);
        return;
      case "frozen":
        await this.#copyRemaining(move, () => directory.advanceMove(move.id, "frozen", { stage: "switching" }));
        return;
      case "switching":
        // Either the reply to the commit was lost, or the commit itself.
        if (!(await hasSettled(this.#target(move), move))) await this.#copyRemaining(move, () => Promise.resolve(true));
        await this.#source(move).query(LEAVE, [move.orgId, move.target]);
        await directory.switchMove(move);
        return;
      case "withdrawing":
        await lowerFence(this.#source(move), await movedTables(this.#source(move)), move.orgId);
        await forgetChanges(this.#source(move), move.orgId);
        await this.#emptyTarget(move);
        await directory.advanceMove(move.id, "withdrawing", { stage: "failed" });
        return;
      default:
        await this.#empty(move);
        await directory.advanceMove(move.id, "removing", { stage: "done" });
    }
  }

  /**
   * Copies settled rows while the organisation is still running. Rows that change later are recorded in the log of
   * changes and copied again, until few are left for the freeze.
   */
  async #copyHistory(move: CellMove): Promise<void> {
    const { orgId, id } = move;
    const [source, target] = [this.#source(move), this.#target(move)];
    const tables = await movedTables(source);
    requireSameTables(tables, await movedTables(target));
    await openArrival(target, orgId, id);
    await guardArrival(target, tables, orgId);
    await logChanges(source, tables, orgId);
    await this.#lowerIfOver(move);
    const settled = tables.filter((table) => table.settled !== null);
    const write: Write = (work) => whileArriving(target, orgId, id, work);
    for (const table of settled) await copySettled(source, write, table, orgId);
    await markCopied(source, orgId);
    for (let round = 0; round < CATCH_UP_ROUNDS; round += 1) {
      if ((await catchUp(source, write, settled, orgId)) <= CHANGES_FEW) return;
    }
  }

  async #freeze(move: CellMove): Promise<void> {
    const source = this.#source(move);
    await raiseFence(source, await movedTables(source), move.orgId);
    await this.#options.directory.advanceMove(move.id, "freezing", { stage: "frozen" });
    await this.#lowerIfOver(move);
  }

  /** Lowers the triggers again if the move is over: another process may have lowered them before this one raised some. */
  async #lowerIfOver({ id, orgId, ...move }: CellMove): Promise<void> {
    const stage = (await this.#options.directory.getMove(id))?.stage;
    if (stage !== "withdrawing" && stage !== "failed" && stage !== "done") return;
    for (const cell of [move.source, move.target]) {
      const sql = this.#options.sqlOf(cell);
      await lowerFence(sql, await movedTables(sql), orgId);
    }
  }

  /** True while the target is not complete. When a database is unavailable, only after the maximum time of a freeze. */
  #mayGiveUp({ stage, frozenAt }: CellMove, error: unknown): boolean {
    if (stage !== "copying" && stage !== "freezing" && stage !== "frozen") return false;
    if (!(error instanceof StoreUnavailable)) return true;
    return frozenAt !== null && this.#options.now() - frozenAt > FROZEN_MAX_MS;
  }

  /** Copies the remaining rows in one target transaction, so no process sees an incomplete organisation. Commits if `mayCount` is true. */
  async #copyRemaining(move: CellMove, mayCount: () => Promise<boolean>): Promise<void> {
    const { orgId, id } = move;
    const [source, target] = [this.#source(move), this.#target(move)];
    const tables = await movedTables(source);
    const [organisation] = await source.query<{ name: string | null }>(NAME, [orgId]);
    const [rolled] = await source.query<{ rolled_until: number }>(ROLLED);
    await whileArriving(target, orgId, id, async (within) => {
      const settled = tables.filter((table) => table.settled !== null);
      for (const sides of await copyChanges(source, within, settled, orgId)) requireSame(sides);
      const isCopied = await isMarkedCopied(source, orgId);
      for (const table of tables.filter((one) => !isCopied || one.settled !== "true")) {
        const portion = { share: isCopied ? "rest" : "all" } as const;
        requireSame(await copyRows(source, (work) => work(within), table, orgId, portion));
      }
      const arrived = { orgId, name: organisation?.name ?? null, cell: move.target };
      await closeArrival(within, arrived, rolled?.rolled_until ?? 0);
      if (!(await mayCount())) throw new NotArriving(`the move ${id} has been given up`);
    });
  }

  /** Removes the organisation from the source. The fence stays until no rows are left that a server with an old map could use. */
  async #empty(move: CellMove): Promise<void> {
    const { source, target } = { source: this.#source(move), target: this.#target(move) };
    const tables = await movedTables(source);
    await lowerFence(target, tables, move.orgId);
    if (move.tables === null) await this.#record(move, tables);
    await this.#options.settled();
    for (const table of tables.toSorted(headsFirst)) {
      await removeRows(source, table, move.orgId, (within) => passFence(within, move.orgId));
    }
    if (this.#options.directoryCell !== move.source) await source.query(REMOVE_ORGANISATION, [move.orgId]);
    await lowerFence(source, tables, move.orgId);
    await forgetChanges(source, move.orgId);
  }

  /** Records what was moved. At this time the source still has all rows, and none of them changes. */
  async #record(move: CellMove, tables: readonly MovedTable[]): Promise<void> {
    const moved: ComparedTable[] = [];
    for (const table of tables) moved.push(await compareRows(this.#source(move), table, move.orgId));
    await this.#options.directory.advanceMove(move.id, "removing", { stage: "removing", tables: moved });
  }

  /** Removes the copied rows from the target after a move was given up. */
  async #emptyTarget(move: CellMove): Promise<void> {
    const target = this.#target(move);
    try {
      for (const table of await movedTables(target)) {
        await removeRows(target, table, move.orgId, (within) => holdArrival(within, move.orgId, move.id));
      }
      await target.query(CLOSE_ARRIVAL, [move.orgId, move.id]);
    } catch (thrown) {
      // No rows had arrived yet.
      if (!(thrown instanceof NotArriving)) throw thrown;
    }
    await lowerFence(target, await movedTables(target), move.orgId);
  }

  #source({ source }: CellMove): Sql {
    return this.#options.sqlOf(source);
  }

  #target({ target }: CellMove): Sql {
    return this.#options.sqlOf(target);
  }
}

const NAME = { name: "name of organisation", text: "select name from organisations where org_id = $1" };
const ROLLED = { name: "usage rolled there", text: "select rolled_until from usage_rolling" };
const LEAVE = { name: "organisation leaves", text: "update organisations set cell = $2 where org_id = $1" };
const REMOVE_ORGANISATION = { name: "organisation is gone", text: "delete from organisations where org_id = $1" };
const CLOSE_ARRIVAL = {
  name: "arrival given up",
  text: "delete from cell_arrivals where org_id = $1 and move_id = $2",
};
const SETTLED = {
  name: "has organisation settled",
  text: `select o.org_id from organisations o left join cell_arrivals a using (org_id)
    where o.org_id = $1 and o.cell = $2 and a.org_id is null`,
};

async function hasSettled(target: Sql, move: CellMove): Promise<boolean> {
  return (await target.query(SETTLED, [move.orgId, move.target])).length > 0;
}

/**
 * Without its head a run is not found in the source, and its inputs are passed to the target. With its head and without
 * its log it would be taken for a run that has not begun, and the result of its attempt would be dropped.
 */
function headsFirst(left: MovedTable, right: MovedTable): number {
  return Number(right.name === "run_heads") - Number(left.name === "run_heads");
}

function requireSameTables(source: readonly MovedTable[], target: readonly MovedTable[]): void {
  const [here, there] = [described(source), described(target)];
  const names = [...new Set([...here.keys(), ...there.keys()])].filter((name) => here.get(name) !== there.get(name));
  if (names.length === 0) return;
  throw new NotTheSame(
    `the cells differ in the tables ${names.join(", ")}: migrate both, and drop what is not of Sluice`,
  );
}

function requireSame({ source, target }: { readonly source: ComparedTable; readonly target: ComparedTable }): void {
  if (source.rows === target.rows && source.digest === target.digest) return;
  throw new NotTheSame(`${source.table} has ${source.rows} rows in the source and ${target.rows} others in the target`);
}

function described(tables: readonly MovedTable[]): ReadonlyMap<string, string> {
  return new Map(tables.map(({ name, columns }) => [name, columns.toSorted().join(",")]));
}

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
  /** The database of a cell, with time for long statements. */
  readonly sqlOf: (cell: string) => Sql;
  /** Which cell keeps the directory; null: a database of its own. */
  readonly directoryCell: string | null;
  /** Waits until every server knows of the switch. */
  readonly settled: () => Promise<void>;
  readonly now: () => number;
  /** Called when a stage has been recorded, before it begins. */
  readonly onStage?: (move: CellMove) => void;
}

/** A database that is away keeps an organisation frozen no longer than this. */
const FROZEN_MAX_MS = 30_000;
/** So few changes are left for the freeze, unless they come faster than they are brought over. */
const CHANGES_FEW = 500;
const CATCH_UP_ROUNDS = 20;

/** Both sides do not hold the same: the move is given up, and the organisation stays where it was. */
class NotTheSame extends Error {
  override readonly name = "NotTheSame";
}

/**
 * Carries organisations from one cell to another. Each stage is recorded before it begins and may be done again, so that
 * the server that takes a move on after a crash continues it. The organisation lives in the target from the moment the transaction
 * commits that has brought its last rows and found both sides the same; it commits only in the stage `switching`, so that
 * before it a move can be given up without asking the target.
 */
export class Mover {
  readonly #options: MoverOptions;

  constructor(options: MoverOptions) {
    this.#options = options;
  }

  /** Until it is done or has failed. Throws while a database is away: the same is tried again later. */
  async carryOn(begun: CellMove): Promise<CellMove> {
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
        await this.#bringTheRest(move, () => directory.advanceMove(move.id, "frozen", { stage: "switching" }));
        return;
      case "switching":
        // The answer of the commit was lost, or the commit.
        if (!(await hasSettled(this.#target(move), move))) await this.#bringTheRest(move, () => Promise.resolve(true));
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
   * What is settled goes over while the organisation runs: afterwards it is the same on both sides, except for rows that the log
   * of changes names. They are brought over again until few are left for the freeze.
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

  /** Another process was faster, and may have lowered the triggers already that a part of this one has raised since. */
  async #lowerIfOver({ id, orgId, ...move }: CellMove): Promise<void> {
    const stage = (await this.#options.directory.getMove(id))?.stage;
    if (stage !== "withdrawing" && stage !== "failed" && stage !== "done") return;
    for (const cell of [move.source, move.target]) {
      const sql = this.#options.sqlOf(cell);
      await lowerFence(sql, await movedTables(sql), orgId);
    }
  }

  /** While the target has not got it all; when a database is away that may soon be back, not at once. */
  #mayGiveUp({ stage, frozenAt }: CellMove, error: unknown): boolean {
    if (stage !== "copying" && stage !== "freezing" && stage !== "frozen") return false;
    if (!(error instanceof StoreUnavailable)) return true;
    return frozenAt !== null && this.#options.now() - frozenAt > FROZEN_MAX_MS;
  }

  /** All in one transaction of the target: nothing there acts on half of an organisation. Commits when it `mayCount`. */
  async #bringTheRest(move: CellMove, mayCount: () => Promise<boolean>): Promise<void> {
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

  /** The fence stands until nothing is left that a server with an old map could act on. */
  async #empty(move: CellMove): Promise<void> {
    const { source, target } = { source: this.#source(move), target: this.#target(move) };
    const tables = await movedTables(source);
    await lowerFence(target, tables, move.orgId);
    if (move.tables === null) await this.#record(move, tables);
    await this.#options.settled();
    for (const table of tables) {
      await removeRows(source, table, move.orgId, (within) => passFence(within, move.orgId));
    }
    if (this.#options.directoryCell !== move.source) await source.query(REMOVE_ORGANISATION, [move.orgId]);
    await lowerFence(source, tables, move.orgId);
    await forgetChanges(source, move.orgId);
  }

  /** What has moved, for the record: the source has all of it still, and nothing changes there. */
  async #record(move: CellMove, tables: readonly MovedTable[]): Promise<void> {
    const moved: ComparedTable[] = [];
    for (const table of tables) moved.push(await compareRows(this.#source(move), table, move.orgId));
    await this.#options.directory.advanceMove(move.id, "removing", { stage: "removing", tables: moved });
  }

  /** What had been copied is of no use there. */
  async #emptyTarget(move: CellMove): Promise<void> {
    const target = this.#target(move);
    try {
      for (const table of await movedTables(target)) {
        await removeRows(target, table, move.orgId, (within) => holdArrival(within, move.orgId, move.id));
      }
      await target.query(CLOSE_ARRIVAL, [move.orgId, move.id]);
    } catch (thrown) {
      // Nothing had arrived yet.
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

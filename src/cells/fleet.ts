import { type Clock, Rounds } from "../clock/index.ts";
import type { CellOperations } from "../server/index.ts";
import {
  type CellContent,
  type CellMove,
  createDirectory,
  type DirectoryStore,
  type Sql,
  type Store,
} from "../store/index.ts";
import { survey } from "./cell-checks.ts";
import { CellMap } from "./cell-map.ts";
import { createCellStore } from "./cell-store.ts";
import { createOperations } from "./cell-operations.ts";
import type { FleetCell } from "./fleet-cell.ts";
import { HeldLease } from "./held-lease.ts";
import { Mover } from "./mover.ts";
import { sharedPeople, type SharedPeople } from "./people.ts";

export interface FleetOptions {
  readonly cells: readonly FleetCell[];
  /** The database of the directory: one of the cells or a separate one. */
  readonly directory: FleetCell;
  /** The organisation whose administrators manage the cells. */
  readonly operators: string;
  readonly clock: Clock;
  /** Returns whether this process serves the cell. */
  readonly isReady: (cell: string) => boolean;
  /** Called when this process detects that an organisation was moved to another cell. */
  readonly onSwitched: (move: CellMove) => void;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Interval between checks for moves. */
const WATCH_MS = 1_000;
/** Time until all servers know of a switch. It is much longer than the check interval, so that a busy server also detects it. */
const SETTLE_MS = 10_000;
/** Moves changed within this time are read again, because the clocks of servers differ. */
const RECENT_MS = 300_000;
const MOVE_ROUND_MS = 2_000;

/** The cells of an installation in one process: the location of organisations, and their moves. */
export class Fleet {
  readonly map: CellMap;
  readonly people: SharedPeople;
  readonly directory: DirectoryStore;
  readonly operations: CellOperations;
  readonly #options: FleetOptions;
  readonly #watch: Rounds;
  readonly #lease: HeldLease;
  readonly #moving: Rounds;
  readonly #seen = new Set<string>();
  readonly #long = new Map<string, Sql>();

  constructor(options: FleetOptions) {
    const { directory, clock, onTrouble } = options;
    this.#options = options;
    const now = (): number => clock.now();
    this.directory = createDirectory(directory.sql);
    this.map = new CellMap({ directory: this.directory, now });
    this.people = sharedPeople(directory.store, now);
    this.operations = createOperations({ ...options, store: this.directory, longOf: (cell) => this.#longOf(cell) });
    this.#watch = new Rounds({
      clock,
      everyMs: WATCH_MS,
      round: () => this.look(),
      onTrouble: (error) => onTrouble("moves of organisations could not be looked for", error),
    });
    this.#lease = new HeldLease({ leases: directory.store, clock, name: "cell moves", onTrouble });
    this.#moving = new Rounds({
      clock,
      everyMs: MOVE_ROUND_MS,
      round: () => this.#lease.during(() => this.continueMoves()),
      onTrouble: (error) => onTrouble("a move of an organisation did not go on", error),
    });
  }

  get cells(): readonly FleetCell[] {
    return this.#options.cells;
  }

  /** Returns the store of a cell, in the form that a server uses. */
  storeOf(cell: FleetCell): Store {
    return createCellStore({
      own: cell.store,
      directory: this.directory,
      directoryStore: this.#options.directory.store,
      people: this.people,
      map: this.map,
      storeIn: (name) => this.cells.find((one) => one.name === name)?.store,
      nextCell: () => this.#nextCell(),
    });
  }

  /** Registers the content of a cell in the directory, after the survey found no contradictions. */
  async adopt(cell: string, { organisations, claims }: CellContent): Promise<void> {
    for (const orgId of organisations) this.map.learn(orgId, await this.directory.place(orgId, cell));
    for (let from = 0; from < claims.length; from += CLAIMS_AT_ONCE) {
      await this.directory.claim(claims.slice(from, from + CLAIMS_AT_ONCE));
    }
  }

  survey() {
    return survey(this.#options);
  }

  start(): void {
    this.#watch.start();
    this.#moving.start();
  }

  async stop(): Promise<void> {
    await this.#watch.stop();
    await this.#moving.stop();
    await this.#lease.drop().catch(() => undefined);
    for (const sql of this.#long.values()) await sql.close();
  }

  /** Reads recent moves, including those of other processes, and updates the location of moved organisations. */
  async look(): Promise<void> {
    for (const move of await this.directory.recentMoves(this.#options.clock.now() - RECENT_MS)) {
      const isSwitched = move.stage === "removing" || move.stage === "done";
      if (!isSwitched || this.#seen.has(move.id)) continue;
      const cell = (await this.directory.cellOf(move.orgId)) ?? move.target;
      // Seen only now: a failed query is repeated by the next look, and a look in parallel must not pass over the move.
      if (this.#seen.has(move.id)) continue;
      this.#seen.add(move.id);
      this.map.learn(move.orgId, cell);
      this.#options.onSwitched(move);
    }
  }

  /** Continues every open move, including those started by other processes. A move that fails does not stop the others. */
  async continueMoves(): Promise<void> {
    const { clock, directory, cells, onTrouble } = this.#options;
    for (const move of await this.directory.openMoves()) {
      const mover = new Mover({
        directory: this.directory,
        sqlOf: (cell) => this.#longOf(cell),
        directoryCell: cells.includes(directory) ? directory.name : null,
        now: () => clock.now(),
        settled: () => this.#settle(),
      });
      try {
        await mover.continueMove(move);
      } catch (error) {
        onTrouble(`the move of ${move.orgId} to ${move.target} waits, and is tried again`, error);
      }
    }
  }

  /** Waits until every server knows of the switch. Throws while the directory cannot be read, because then no server learns of it. */
  async #settle(): Promise<void> {
    const { clock } = this.#options;
    for (let waitedMs = 0; waitedMs < SETTLE_MS; waitedMs += WATCH_MS) {
      await new Promise<void>((resolve) => void clock.after(WATCH_MS, resolve));
      await this.directory.openMoves();
    }
  }

  #longOf(name: string): Sql {
    const known = this.#long.get(name);
    if (known !== undefined) return known;
    const cell = this.cells.find((one) => one.name === name);
    if (cell === undefined) throw new Error(`there is no cell ${name}`);
    const sql = cell.openLong();
    this.#long.set(name, sql);
    return sql;
  }

  /** Returns the cell with the fewest organisations, among the ready cells that accept new ones. */
  async #nextCell(): Promise<string> {
    const { cells, isReady } = this.#options;
    const open = cells.filter(({ accepts }) => accepts);
    const ready = open.filter(({ name }) => isReady(name));
    const counts = new Map<string, number>();
    for (const { cell } of await this.directory.listPlaced()) counts.set(cell, (counts.get(cell) ?? 0) + 1);
    const [first, ...others] = ready.length > 0 ? ready : open;
    if (first === undefined) throw new Error("no cell takes new organisations");
    const countOf = ({ name }: FleetCell): number => counts.get(name) ?? 0;
    return others.reduce((least, cell) => (countOf(cell) < countOf(least) ? cell : least), first).name;
  }
}

const CLAIMS_AT_ONCE = 5_000;

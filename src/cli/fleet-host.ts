import { closeAdapters } from "../adapters/index.ts";
import { createCellRouter, Fleet, type FleetCell } from "../cells/index.ts";
import { Rounds } from "../clock/index.ts";
import { newReplicaId, NUDGE, type Waiting } from "../driver/index.ts";
import type { OidcSettings } from "../oidc/index.ts";
import type { App } from "../server/index.ts";
import {
  type CellMove,
  createSqlStore,
  readDatabaseHosts,
  runsHeldBy,
  type Store,
  StoreUnavailable,
} from "../store/index.ts";
import { openPostgres } from "../store/postgres/index.ts";
import { DEFAULT_ORGANISATION } from "./config.ts";
import type { CellsFile, NamedCell } from "./cells-file.ts";
import { closeEach, closeOnFailure } from "./closing.ts";
import { addressOf, type Host, type HostPart, type HostParts, listenFor, openHostPart } from "./host.ts";
import type { Io } from "./io.ts";
import { troubleLogger } from "./log.ts";
import { Refusal } from "./refusal.ts";
import { printable } from "./terminal-text.ts";

/** Interval between tries to open a cell that could not be reached. */
const RETRY_MS = 3_000;
/** Timeout of statements that copy or compare. */
const LONG_MS = 600_000;
const LONG_CONNECTIONS = 3;

/** A server for several cells: one host part for each cell in this process, and a router in front of them. */
export class FleetHost {
  readonly #io: Io;
  readonly #parts: Omit<HostParts, "storage">;
  readonly #cells: readonly FleetCell[];
  readonly #directory: FleetCell;
  readonly #fleet: Fleet;
  readonly #open = new Map<string, HostPart>();
  /** The target cells of organisations that left a cell since this process started, by source cell. */
  readonly #left = new Map<string, Set<string>>();
  /** Steps after a move that failed, to be repeated by the next round. */
  readonly #unfinished: { readonly what: string; readonly work: () => Promise<void> }[] = [];
  readonly #replicaId = newReplicaId();
  readonly #retries: Rounds;
  #server: Awaited<ReturnType<typeof listenFor>>["server"] | null = null;
  #url = "";

  constructor(io: Io, file: CellsFile, parts: Omit<HostParts, "storage">) {
    this.#io = io;
    this.#parts = parts;
    this.#cells = file.cells.map(openCell);
    const own = this.#cells.find(({ name }) => name === file.directory.name);
    this.#directory = own ?? openCell(file.directory);
    this.#fleet = new Fleet({
      cells: this.#cells,
      directory: this.#directory,
      operators: DEFAULT_ORGANISATION,
      clock: io.clock,
      isReady: (cell) => this.#open.has(cell),
      onSwitched: (move) => this.#switched(move),
      onTrouble: troubleLogger(parts.log),
    });
    this.#retries = new Rounds({
      clock: io.clock,
      everyMs: RETRY_MS,
      round: () => this.#retry(),
      onTrouble: (error) => troubleLogger(parts.log)("cells that cannot be used were not tried again", error),
    });
  }

  /** Checks all cells before it changes any data. `prepare` receives the store that knows all cells. */
  async start(prepare: (store: Store) => Promise<void>): Promise<Host> {
    const { config } = this.#parts;
    const onTrouble = troubleLogger(this.#parts.log);
    const { problems, surveyed, unreachableCells } = await this.#fleet.survey();
    if (problems.length > 0) throw new Refusal(`the cells cannot be used: ${printable(problems.join("; "))}`);
    for (const { cell, error } of unreachableCells)
      onTrouble(`the cell ${cell} cannot be reached, and is tried again`, error);
    for (const [cell, content] of surveyed) if (this.#isCell(cell)) await this.#fleet.adopt(cell, content);
    const reached = this.#cells.filter(({ name }) => surveyed.has(name));
    const [home] = reached;
    if (home === undefined) throw new StoreUnavailable("no cell can be reached");
    for (const cell of reached) this.#open.set(cell.name, await this.#openPart(cell));
    await prepare(this.#fleet.storeOf(home));
    const router = createCellRouter({
      map: this.#fleet.map,
      people: this.#fleet.people,
      publicUrl: config.publicUrl ?? null,
      organisationOfClaims: (claims) => organisationIn(this.#parts.oidc, claims),
      apps: () => new Map(this.#cells.map(({ name }) => [name, this.#open.get(name)?.app ?? null])),
      onTrouble,
    });
    const { server, url, localUrl } = await listenFor({ ...router, close: () => this.#closeApps() }, config);
    this.#server = server;
    this.#url = url;
    for (const part of this.#open.values()) await part.begin(url);
    this.#fleet.start();
    this.#retries.start(RETRY_MS);
    return {
      url,
      localUrl,
      signInUrl: (secret) => addressOf(url, this.#apps()[0]?.signInPath(secret) ?? null),
      close: () => this.close(),
    };
  }

  /** Closes everything that is open, also after a start that failed. A retry in progress may still open a cell. */
  close(): Promise<void> {
    const retried = this.#retries.stop();
    return closeEach([
      () => this.#server?.close(),
      () => retried,
      () => this.#fleet.stop(),
      () => closeEach([...this.#open.values()].map((part) => () => part.close())),
      () => closeAdapters([...this.#parts.bridge.adapters]),
      // Also the databases of cells that never opened, and of the directory.
      () => closeEach([...this.#cells, this.#directory].map((cell) => () => cell.store.close())),
    ]);
  }

  #openPart(cell: FleetCell): Promise<HostPart> {
    const isHome = cell === this.#cells[0];
    // The host closes the databases after all parts, which also use the directory. A cell that fails is opened again.
    const store = { ...this.#fleet.storeOf(cell), close: () => Promise.resolve() };
    return openHostPart(this.#io, {
      ...this.#parts,
      storage: { store, isEmbedded: false },
      cell: {
        operations: this.#fleet.operations,
        notesStart: isHome,
        driver: {
          replicaId: this.#replicaId,
          isOpenElsewhere: (dispatchId) => this.#others(cell).some(({ runtime }) => runtime.holds(dispatchId)),
          onGone: (runId, waiting) => this.#follow(cell, runId, waiting),
        },
      },
    });
  }

  #others(cell: FleetCell): readonly HostPart[] {
    return [...this.#open].filter(([name]) => name !== cell.name).map(([, part]) => part);
  }

  /** Passes the inputs of a run to the cell to which its organisation has moved. While a database is unavailable, they wait. */
  #follow(cell: FleetCell, runId: string, waiting: readonly Waiting[]): boolean {
    if (this.#cells.length === 1) return false;
    void this.#insist(`inputs of the run ${runId} could not be passed to its new cell`, async () => {
      const part = await this.#findRun(runId, cell.name);
      if (part !== undefined) part.runtime.take(runId, waiting);
      else for (const { done } of waiting) done({ kind: "unknown" });
    });
    return true;
  }

  /** Finds the cell of a run. Reads the directory first, because this process may not know of the move yet. */
  async #findRun(runId: string, source: string): Promise<HostPart | undefined> {
    await this.#fleet.look();
    const targets = this.#left.get(source);
    for (const { name, store } of this.#cells.filter((cell) => targets?.has(cell.name) === true)) {
      if ((await store.headsOf([runId])).length > 0) return this.#partOf(name);
    }
    return undefined;
  }

  #partOf(cell: string): HostPart {
    const part = this.#open.get(cell);
    if (part === undefined) throw new StoreUnavailable(`the cell ${cell} is not open`);
    return part;
  }

  /** Does a step after a move, and does it again with the next rounds until it succeeds. */
  async #insist(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      troubleLogger(this.#parts.log)(`${what} and is tried again`, error);
      this.#unfinished.push({ what, work });
    }
  }

  #switched({ orgId, source, target }: CellMove): void {
    this.#left.set(source, (this.#left.get(source) ?? new Set()).add(target));
    this.#open.get(source)?.app.endStreams(orgId);
    const what = `attempts of ${orgId} could not be looked for in the cell ${target}`;
    void this.#insist(what, () => this.#resume(orgId, target));
  }

  /**
   * Loads the runs that this replica holds in the target. It has the same id in both cells, so no other replica takes
   * them over. Work that its part in the source does not have, such as recent claims, starts when the run is loaded.
   */
  async #resume(orgId: string, target: string): Promise<void> {
    const { runtime } = this.#partOf(target);
    const cell = this.#cells.find(({ name }) => name === target);
    for (const runId of cell === undefined ? [] : await runsHeldBy(cell.sql, orgId, this.#replicaId)) {
      await runtime.submit(orgId, runId, { type: "timer", timer: NUDGE });
    }
  }

  /** Opens cells that were unavailable when the server started, and does again what failed after a move. */
  async #retry(): Promise<void> {
    await this.#openMissing();
    // Not awaited: a step that waits for one cell must not delay the opening of another.
    for (const { what, work } of this.#unfinished.splice(0)) void this.#insist(what, work);
  }

  async #openMissing(): Promise<void> {
    const onTrouble = troubleLogger(this.#parts.log);
    for (const cell of this.#cells.filter(({ name }) => !this.#open.has(name))) {
      try {
        await cell.store.ping();
        const { problems, surveyed } = await this.#fleet.survey();
        if (problems.length > 0) throw new Error(problems.join("; "));
        const content = surveyed.get(cell.name);
        if (content !== undefined) await this.#fleet.adopt(cell.name, content);
        const part = await this.#openPart(cell);
        await closeOnFailure(part.begin(this.#url), () => part.close());
        this.#open.set(cell.name, part);
      } catch (error) {
        onTrouble(`the cell ${cell.name} cannot be used yet`, error);
      }
    }
  }

  #isCell(name: string): boolean {
    return this.#cells.some((cell) => cell.name === name);
  }

  #apps(): readonly App[] {
    return [...this.#open.values()].map(({ app }) => app);
  }

  #closeApps(): void {
    for (const app of this.#apps()) app.close();
  }
}

/** Opens a cell. It connects at the first query. */
export function openCell({ name, url, accepts }: NamedCell): FleetCell {
  const sql = openPostgres({ url });
  const shown = `${readDatabaseHosts(url)
    .map((host) => host.name)
    .join(",")}${new URL(readDatabaseHosts(url)[0]?.url ?? url).pathname}`;
  const openLong = () => openPostgres({ url, connections: LONG_CONNECTIONS, statementTimeoutMs: LONG_MS });
  return { name, shown, accepts, sql, store: createSqlStore(sql), checkPooler: () => sql.checkPooler(), openLong };
}

/** Returns the organisation that the unverified claims of a token name. */
function organisationIn(oidc: OidcSettings | null, claims: Readonly<Record<string, unknown>>): string | null {
  if (oidc === null) return null;
  const { organisation } = oidc;
  if ("name" in organisation) return organisation.name;
  const named = claims[organisation.claim];
  return typeof named === "string" ? named : null;
}

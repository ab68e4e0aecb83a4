import { setTimeout as pause } from "node:timers/promises";
import type { MoveStage } from "../../src/core/event/index.ts";
import type { EventFrame } from "../../src/core/view/index.ts";
import { createDirectory } from "../../src/store/index.ts";
import { Probe } from "../cluster/probe.ts";
import { Api, type RunOnWire } from "../integration/support/api.ts";
import {
  ADMIN_KEY,
  ask,
  type CellsGround,
  createCells,
  leftIn,
  makeOrganisation,
} from "../integration/support/cells-ground.ts";
import { ALL_SAMPLES, openGround } from "../integration/support/kills.ts";
import { Load, type Verdict } from "../integration/support/load.ts";
import type { ServerProcess } from "../integration/support/server-process.ts";
import { followRestlessly } from "../integration/support/stream-client.ts";
import { PATIENCE_MS, waitFor } from "../integration/support/waiting.ts";
import { Prng } from "../simulation/prng.ts";
import { RESIDENT_WORKFLOWS, Residents } from "./residents.ts";

export interface MovesPlan {
  readonly seed: number;
  /** What the organisation has before it moves for the first time. */
  readonly runs: number;
  /** Moves with a kill; one without is made first. */
  readonly kills: number;
  /** No further move begins after it. */
  readonly until: number;
  readonly note: (line: string) => void;
}

export interface MovesVerdict extends Verdict {
  readonly moves: number;
  readonly streams: number;
  /** While the first move went on, without a kill. */
  readonly first: {
    readonly ms: number;
    readonly frozenMs: number;
    readonly rows: number;
    readonly neighbourGapMs: number;
  };
}

const ORG = "acme";
const NEIGHBOUR = "globex";
const SERVERS = 2;
const RUNS_PER_MOVE = 6;
const STREAMS_PER_MOVE = 2;
/** From just after a stage has begun to well inside it, if it lasts so long. */
const KILL_WITHIN_MS = 1_500;
/** Between a commit whose answer was lost and the same commit again. */
const OVERLAP_MS = 5_000;
const MOVE_PATIENCE_MS = 3_600_000;
/** For as long as moves and restarts take, all of them together. */
const STREAM_PATIENCE_MS = 4 * 3_600_000;
const STAGES: readonly MoveStage[] = ["copying", "freezing", "frozen", "switching", "removing"];

/** Two servers over two cells; an organisation goes to and fro between them under load, and servers die while it does. */
export async function surviveMoves(plan: MovesPlan): Promise<MovesVerdict> {
  const ground = openGround();
  const cells = await createCells(["north", "south"]);
  try {
    return await new Moves(plan, cells, ground.settings, ground.config).play();
  } finally {
    await cells.dispose();
    ground.dispose();
  }
}

class Moves {
  readonly #plan: MovesPlan;
  readonly #cells: CellsGround;
  readonly #flags: readonly string[];
  readonly #ledger: string;
  readonly #dice: Prng;
  readonly #servers: ServerProcess[] = [];
  readonly #violations: string[] = [];
  readonly #streams = new Map<string, Promise<readonly EventFrame[] | Error>>();

  constructor(
    plan: MovesPlan,
    cells: CellsGround,
    settings: ReturnType<typeof openGround>["settings"],
    config: string,
  ) {
    this.#plan = plan;
    this.#cells = cells;
    this.#ledger = settings.ledger;
    this.#flags = ["--script", settings.script, "--ledger", settings.ledger, "--config", config];
    this.#dice = new Prng(plan.seed);
  }

  async play(): Promise<MovesVerdict> {
    const { runs, kills, until, note } = this.#plan;
    for (let index = 0; index < SERVERS; index += 1) this.#servers.push(await this.#cells.start(this.#flags));
    const { key, api, neighbour } = await this.#settleOrganisations();
    note(`filling an organisation with ${runs} runs`);
    const residents = await Residents.settle(api, this.#cells.sql(await this.#home()), ORG, runs);
    try {
      await Load.saveSamples(api, ALL_SAMPLES);
      const load = new Load(api, this.#dice.fork("load"), ALL_SAMPLES);
      const first = await this.#firstMove(load, api, neighbour);
      let moves = 1;
      for (; moves <= kills && Date.now() < until; moves += 1) {
        await this.#moveAndKill(STAGES[(moves - 1) % STAGES.length] ?? "copying", load, api, moves);
      }
      await load.settle(PATIENCE_MS, RESIDENT_WORKFLOWS).catch((error: unknown) => this.#explain(error));
      const home = await this.#home();
      this.#violations.push(...(await residents.judge(this.#cells.sql(home), ORG)));
      await this.#judgeStreams(api);
      await this.#judgeRest(key);
      const verdict = await load.judge(this.#ledger, { overlapMs: OVERLAP_MS }, RESIDENT_WORKFLOWS);
      const violations = [...verdict.violations, ...this.#violations];
      return { ...verdict, violations, moves, streams: this.#streams.size, first };
    } finally {
      residents.close();
    }
  }

  /** A run that does not end tells most by its open nodes. */
  async #explain(error: unknown): Promise<never> {
    const sql = this.#cells.sql(await this.#home());
    const text = `select r.workflow, a.run_id, a.node_id, a.attempt, a.replica_id,
        exists (select from replicas p where p.replica_id = a.replica_id) as is_held
      from open_attempts a join runs r using (run_id) where a.org_id = $1`;
    for (const row of await sql.query({ name: "", text }, [ORG]))
      this.#plan.note(`open attempt: ${JSON.stringify(row)}`);
    throw error;
  }

  /** One that moves, and one that lives in the same cell and does not. */
  async #settleOrganisations() {
    const url = this.#url();
    const key = await makeOrganisation(url, ORG);
    await makeOrganisation(url, "filler");
    const other = await makeOrganisation(url, NEIGHBOUR);
    const alive = (): readonly string[] => this.#servers.filter(({ isAlive }) => isAlive).map((server) => server.url);
    return { key, api: new Api(key, alive), neighbour: new Api(other, alive) };
  }

  async #firstMove(load: Load, api: Api, neighbour: Api): Promise<MovesVerdict["first"]> {
    const probe = Probe.ofServer(() => this.#url(), neighbour.headers);
    await pause(3_000);
    const calm = probe.longestGap(Date.now() - 2_500);
    load.start(RUNS_PER_MOVE);
    await this.#follow(load, api);
    const begun = Date.now();
    const id = await this.#begin();
    load.start(RUNS_PER_MOVE);
    const move = await this.#untilDone(id);
    const ms = Date.now() - begun;
    const neighbourGapMs = probe.longestGap(begun);
    await probe.stop();
    await this.#judgeSource(move.source, "without a kill");
    const frozenMs = (move.switchedAt ?? 0) - (move.frozenAt ?? 0);
    const rows = (move.tables ?? []).reduce((sum, table) => sum + table.rows, 0);
    this.#plan.note(
      `without a kill: ${rows} rows in ${ms} ms, ${frozenMs} ms of them frozen; ` +
        `the neighbour waited ${neighbourGapMs} ms at most (${calm} ms before)`,
    );
    return { ms, frozenMs, rows, neighbourGapMs };
  }

  async #moveAndKill(stage: MoveStage, load: Load, api: Api, count: number): Promise<void> {
    load.start(RUNS_PER_MOVE);
    await this.#follow(load, api);
    const id = await this.#begin();
    load.start(RUNS_PER_MOVE);
    const wanted = STAGES.indexOf(stage);
    const reached = async (): Promise<boolean> => {
      const now = (await this.#directory.getMove(id))?.stage ?? "done";
      return now === "failed" || now === "done" || STAGES.indexOf(now) >= wanted;
    };
    await waitFor(`the stage ${stage}`, reached, { everyMs: 5, patienceMs: MOVE_PATIENCE_MS });
    await pause(this.#dice.below(2) === 0 ? 0 : this.#dice.below(KILL_WITHIN_MS));
    const hit = (await this.#directory.getMove(id))?.stage;
    // Either process may be the one that moves: both at once hit it for certain, one alone leaves another to carry on.
    const isBoth = this.#dice.below(3) > 0;
    const dying = isBoth ? [...this.#servers.keys()] : [this.#dice.below(SERVERS)];
    await Promise.all(dying.map(async (index) => await this.#servers[index]?.kill()));
    for (const index of dying) this.#servers[index] = await this.#cells.start(this.#flags);
    const move = await this.#untilDone(id);
    await this.#judgeSource(move.source, `killed while ${hit}`);
    this.#plan.note(`${count} of ${this.#plan.kills}: ${isBoth ? "both servers" : "one server"} killed while ${hit}`);
  }

  get #directory() {
    return createDirectory(this.#cells.sql("north"));
  }

  #url(): string {
    return this.#servers.find(({ isAlive }) => isAlive)?.url ?? "";
  }

  async #home(): Promise<string> {
    return (await this.#directory.cellOf(ORG)) ?? "";
  }

  async #begin(): Promise<string> {
    const to = (await this.#home()) === "north" ? "south" : "north";
    const path = "/api/v1/cells/moves";
    const { status, body } = await ask(this.#url(), ADMIN_KEY, "POST", path, { organisation: ORG, to });
    if (status !== 202) throw new Error(`the move was refused: ${status} ${JSON.stringify(body)}`);
    return String(body["id"]);
  }

  async #untilDone(id: string) {
    const isOver = async (): Promise<boolean> =>
      /^(?:done|failed)$/.test((await this.#directory.getMove(id))?.stage ?? "");
    await waitFor("the move to end", isOver, { everyMs: 100, patienceMs: MOVE_PATIENCE_MS });
    const move = await this.#directory.getMove(id);
    if (move === undefined) throw new Error(`there is no move ${id}`);
    if (move.stage === "failed") this.#violations.push(`a move has failed: ${move.reason}`);
    return move;
  }

  async #judgeSource(source: string, when: string): Promise<void> {
    const left = await leftIn(this.#cells.sql(source), ORG, "organisations");
    if (left.length > 0) this.#violations.push(`${when}: left in the source are ${left.join(", ")}`);
  }

  async #follow(load: Load, api: Api): Promise<void> {
    let running: readonly RunOnWire[] = [];
    const isRunning = async (): Promise<boolean> => {
      const all = await api.listRuns("running");
      running = all.filter(({ id, workflow }) => !RESIDENT_WORKFLOWS.includes(workflow) && !this.#streams.has(id));
      // All that were started may have ended before they were listed.
      if (running.length === 0) load.start(1);
      return running.length > 0;
    };
    await waitFor("a run to follow", isRunning);
    for (const { id } of running.slice(0, STREAMS_PER_MOVE)) {
      const following = followRestlessly(api, id, this.#dice.fork(id), STREAM_PATIENCE_MS);
      this.#streams.set(
        id,
        following.catch((error: unknown) => new Error(String(error))),
      );
    }
  }

  async #judgeStreams(api: Api): Promise<void> {
    for (const [id, following] of this.#streams) {
      const frames = await following;
      if (frames instanceof Error) {
        const { workflow, status, lastEventId } = await api.getRun(id);
        this.#violations.push(`${frames.message}; ${workflow} is ${status} with ${lastEventId} events`);
        continue;
      }
      const read = frames.map(({ eventId }) => eventId).join();
      const kept = (await api.readLog(id)).map(({ eventId }) => eventId).join();
      if (read !== kept) this.#violations.push(`the stream of ${id} had the events ${read}, and its log has ${kept}`);
    }
  }

  async #judgeRest(key: string): Promise<void> {
    const audit = await ask(this.#url(), key, "GET", "/api/v1/audit/verify");
    if (audit.body["ok"] !== true) this.#violations.push(`the audit: ${JSON.stringify(audit.body)}`);
    const cells = await ask(this.#url(), ADMIN_KEY, "GET", `/api/v1/cells/verification?of=${ORG}`);
    if (cells.body["isGood"] !== true) this.#violations.push(`the cells: ${JSON.stringify(cells.body)}`);
  }
}

import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MOVE_STAGES } from "../../src/core/event/index.ts";
import { compareRows, type ComparedTable, createDirectory, movedTables, type Sql } from "../../src/store/index.ts";
import { REPOSITORY } from "../law/source.ts";
import { Api } from "./support/api.ts";
import {
  ADMIN_KEY,
  apiOf,
  ask,
  type CellsGround,
  createCells,
  leftIn,
  makeOrganisation,
} from "./support/cells-ground.ts";
import { prepareProgram, type ServerProcess } from "./support/server-process.ts";
import { waitFor } from "./support/waiting.ts";

const WORKFLOW = `name: ask
steps:
  - id: before
    command: Prepare it
  - id: allow
    depends_on: [before]
    approval: required
    command: Go on
  - id: after
    depends_on: [allow]
    command: Do it
`;
const WAITING = `name: rest
steps:
  - id: nap
    wait: 8s
  - id: after
    depends_on: [nap]
    command: Wake up
`;

const LANES = 3;
const RUNS_AT_ONCE = 5;
const PACE_MS = 2_000;

describe("an organisation on its way to another cell", () => {
  let ground: CellsGround;
  let server: ServerProcess;
  beforeAll(async () => {
    prepareProgram();
    ground = await createCells(["north", "south"]);
    server = await ground.start(["--ledger", "ledger.ndjson"]);
  });
  afterAll(() => ground.dispose());

  it("takes everything along: runs, approvals, timers and keys go on, and the source is empty", async () => {
    const key = await makeOrganisation(server.url, "acme");
    const api = apiOf(server.url, key);
    await api.putWorkflow("ask", WORKFLOW);
    await api.putWorkflow("rest", WAITING);
    const asked = await api.startRun("ask", "one");
    const resting = await api.startRun("rest", "two");
    const finished = await api.startRun("ask", "three");
    await expect.poll(async () => (await api.listApprovals("pending")).length).toBe(2);
    await approve(server.url, key, finished.id);
    await api.waitUntilEnded(finished.id);
    const log = await api.readLog(finished.id);

    const move = await moved(server, "acme", "north");
    expect(move).toMatchObject({ stage: "done", from: "south", to: "north", reason: null });

    expect(await api.readLog(finished.id)).toEqual(log);
    await approve(server.url, key, asked.id);
    expect((await api.waitUntilEnded(asked.id)).status).toBe("completed");
    expect((await api.waitUntilEnded(resting.id)).status).toBe("completed");
    const again = await api.startRun("ask", "three");
    expect(again.id).toBe(finished.id);
    expect(await leftIn(ground.sql("south"), "acme")).toEqual([]);
    const chain = await ask(server.url, key, "GET", "/api/v1/audit/verify");
    expect(chain.body).toMatchObject({ ok: true });
  });
});

describe("a move that is killed", () => {
  let ground: CellsGround;
  let key: string;
  let waiting: string;
  beforeAll(async () => {
    ground = await createCells(["north", "south"]);
    const server = await ground.start();
    key = await makeOrganisation(server.url, "acme");
    const api = apiOf(server.url, key);
    await api.putWorkflow("ask", WORKFLOW);
    for (let index = 0; index < 40; index += 1) await api.startRun("ask", `run ${index}`);
    while ((await api.listApprovals("pending")).length < 40) await pause(100);
    waiting = (await api.startRun("ask", "run 7")).id;
    await server.stop();
  });
  afterAll(() => ground.dispose());

  it.each(MOVE_STAGES.slice(0, 5).flatMap((stage) => [0, 15].map((afterMs) => [stage, afterMs] as const)))(
    "while it is %s (after %i ms) is carried on, and nothing is lost or doubled",
    async (stage, afterMs) => {
      const directory = createDirectory(ground.sql("north"));
      const source = (await directory.cellOf("acme")) ?? "";
      const target = source === "north" ? "south" : "north";
      const before = await holdings(ground.sql(source));
      const id = `move_${stage}_${afterMs}`;
      expect(await directory.openMove({ id, orgId: "acme", source, target, askedBy: null })).toBe(true);
      const killed = await continueMove(ground, id, stage, afterMs);
      // With time enough the stage may be over before the blow; it is a kill all the same, or the move is done.
      expect(["SIGKILL", "done"]).toContain(killed);
      if (killed === "SIGKILL") expect((await directory.getMove(id))?.stage).not.toBe("done");
      expect(await continueMove(ground, id, "", 0)).toBe("done");
      expect(await directory.cellOf("acme")).toBe(target);
      expect(await holdings(ground.sql(target))).toEqual(before);
      expect(await leftIn(ground.sql(source), "acme", "organisations")).toEqual([]);
      expect(await triggersIn(ground.sql(source))).toBe(0);
    },
  );

  it("leaves an organisation that goes on where it is", async () => {
    const server = await ground.start();
    await approve(server.url, key, waiting);
    expect((await apiOf(server.url, key).waitUntilEnded(waiting)).status).toBe("completed");
    const { body } = await ask(server.url, key, "GET", "/api/v1/audit/verify");
    expect(body).toMatchObject({ ok: true });
    const verified = await ask(server.url, ADMIN_KEY, "GET", "/api/v1/cells/verification?of=acme");
    expect(verified.body).toMatchObject({ isGood: true, problems: [] });
  });
});

describe("a server that is killed while an organisation moves under load", () => {
  let ground: CellsGround;
  let server: ServerProcess;
  let key: string;
  let api: Api;
  beforeAll(async () => {
    ground = await createCells(["north", "south"]);
    server = await ground.start();
    key = await makeOrganisation(server.url, "acme");
    api = new Api(key, () => (server.isAlive ? [server.url] : []));
    await api.putWorkflow("quick", "name: quick\nsteps:\n  - {id: work, command: Work}\n");
  });
  afterAll(() => ground.dispose());

  it("loses no run and starts none twice", async () => {
    const started = new Map<string, string>();
    const over = new AbortController();
    const load = Array.from({ length: LANES }, async (_, lane) => {
      for (let index = 0; !over.signal.aborted; index += 1) {
        const name = `${lane}/${index}`;
        started.set(name, (await api.startRun("quick", name)).id);
        // Enough at once to be under way when the server dies, then few: what is judged must not grow with the time a move takes.
        if (index >= RUNS_AT_ONCE) await pause(PACE_MS, undefined, { signal: over.signal }).catch(() => undefined);
      }
    });
    await waitFor("runs to move", async () => started.size >= LANES);
    const id = await beginMove(server, "acme", "north");
    const directory = createDirectory(ground.sql("north"));
    await waitFor("the freeze", async () => (await directory.getMove(id))?.stage !== "copying", { everyMs: 5 });
    await server.kill();
    server = await ground.start();
    const move = await ended(server, id);
    // A database that had no time for this for half a minute is a reason to stay; then it is moved after all.
    if (move["stage"] === "failed") {
      expect(move["reason"]).toContain("the database cannot be used now");
      expect(await moved(server, "acme", "north")).toMatchObject({ stage: "done" });
    }
    over.abort();
    await Promise.all(load);
    expect(started.size).toBeGreaterThanOrEqual(LANES * RUNS_AT_ONCE);
    for (const runId of started.values()) expect((await api.waitUntilEnded(runId)).status).toBe("completed");
    expect((await api.listRuns()).length).toBe(new Set(started.values()).size);
    expect(await leftIn(ground.sql("south"), "acme", "organisations")).toEqual([]);
    const { body } = await ask(server.url, key, "GET", "/api/v1/audit/verify");
    expect(body).toMatchObject({ ok: true });
  });
});

const PROGRAM = fileURLToPath(new URL("support/mover-program.ts", import.meta.url));

/** How a process ends that carries a move on: by the signal that killed it, or with the last stage. */
function continueMove(ground: CellsGround, id: string, stage: string, afterMs: number): Promise<string> {
  const urls = JSON.stringify({ north: ground.url("north"), south: ground.url("south") });
  const given = ["--import", "tsx", PROGRAM, id, "north", urls, stage, String(afterMs)];
  const child = spawn(process.execPath, given, {
    cwd: join(REPOSITORY, "test"),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  return new Promise((resolve, reject) => {
    child.once("exit", (code, signal) => {
      if (signal !== null) resolve(signal);
      else if (code === 0) resolve((JSON.parse(said) as { readonly stage: string }).stage);
      else reject(new Error(`the mover ended with ${code}`));
    });
  });
}

/** Rows and digests of all tables, but for sums that each cell adds up in its own time. */
async function holdings(sql: Sql): Promise<readonly ComparedTable[]> {
  const found: ComparedTable[] = [];
  for (const table of await movedTables(sql)) {
    if (table.name !== "usage_sums" && table.name !== "late_usage") found.push(await compareRows(sql, table, "acme"));
  }
  return found;
}

async function triggersIn(sql: Sql): Promise<number> {
  const text = "select count(*)::int as n from pg_trigger where tgname like 'moving%'";
  return (await sql.query<{ n: number }>({ name: "", text }))[0]?.n ?? 0;
}

async function approve(url: string, key: string, runId: string): Promise<void> {
  const { body } = await ask(url, key, "GET", "/api/v1/approvals?status=pending&limit=100");
  const found = (body["data"] as { id: string; runId: string }[]).find((approval) => approval.runId === runId);
  const answered = await ask(url, key, "POST", `/api/v1/approvals/${found?.id}/resolve`, { decision: "approve" });
  expect([answered.status, answered.body]).toMatchObject([200, {}]);
}

async function moved(server: ServerProcess, organisation: string, to: string): Promise<Record<string, unknown>> {
  return ended(server, await beginMove(server, organisation, to));
}

async function beginMove({ url }: ServerProcess, organisation: string, to: string): Promise<string> {
  const begun = await ask(url, ADMIN_KEY, "POST", "/api/v1/cells/moves", { organisation, to });
  expect([begun.status, begun.body]).toMatchObject([202, { organisation, to }]);
  return String(begun.body["id"]);
}

/** The move as it has ended. */
async function ended({ url }: ServerProcess, id: string): Promise<Record<string, unknown>> {
  for (;;) {
    const { body } = await ask(url, ADMIN_KEY, "GET", `/api/v1/cells/moves/${id}`);
    if (body["stage"] === "done" || body["stage"] === "failed") return body;
    await pause(100);
  }
}

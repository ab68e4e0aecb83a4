import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MOVE_STAGES } from "../../src/core/event/index.ts";
import { compareRows, type ComparedTable, createDirectory, movedTables, type Sql } from "../../src/store/index.ts";
import { Api } from "./support/api.ts";
import { ADMIN_KEY, apiOf, ask, type CellsGround, leftIn, moverOn, openFleet } from "./support/cells-ground.ts";
import type { ServerProcess } from "./support/server-process.ts";
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
/** Of the organisation whose moves are killed. */
const RUNS = 40;
const ENDS: readonly string[] = ["done", "failed"];

describe("an organisation on its way to another cell", () => {
  let ground: CellsGround;
  let server: ServerProcess;
  let key: string;
  beforeAll(async () => {
    ({ ground, server, key } = await openFleet());
  });
  afterAll(() => ground.dispose());

  it("takes everything along: runs, approvals, timers and keys go on, and the source is empty", async () => {
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

    const move = await reached(server, await beginMove(server, "acme", "north"), ENDS);
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

  it("loses no run and starts none twice under load, though the server is killed", async () => {
    // Already here: it returns to where it came from.
    const api = new Api(key, () => (server.isAlive ? [server.url] : []));
    await api.putWorkflow("quick", "name: quick\nsteps:\n  - {id: work, command: Work}\n");
    const before = (await api.listRuns()).length;
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
    const id = await beginMove(server, "acme", "south");
    const directory = createDirectory(ground.sql("north"));
    await waitFor("the freeze", async () => (await directory.getMove(id))?.stage !== "copying", { everyMs: 5 });
    await server.kill();
    server = await ground.start();
    const move = await reached(server, id, ENDS);
    // A database that had no time for this for half a minute is a reason to stay; then it is moved after all.
    if (move["stage"] === "failed") {
      expect(move["reason"]).toContain("the database cannot be used now");
      const again = await beginMove(server, "acme", "south");
      expect(await reached(server, again, ENDS)).toMatchObject({ stage: "done" });
    }
    over.abort();
    await Promise.all(load);
    expect(started.size).toBeGreaterThanOrEqual(LANES * RUNS_AT_ONCE);
    for (const runId of started.values()) expect((await api.waitUntilEnded(runId)).status).toBe("completed");
    expect((await api.listRuns()).length).toBe(before + new Set(started.values()).size);
    expect(await leftIn(ground.sql("north"), "acme", "organisations")).toEqual([]);
    const { body } = await ask(server.url, key, "GET", "/api/v1/audit/verify");
    expect(body).toMatchObject({ ok: true });
  });
});

describe("a move that is killed", () => {
  let ground: CellsGround;
  let key: string;
  let waiting: string;
  let mover: string;
  beforeAll(async () => {
    const fleet = await openFleet();
    const { server } = fleet;
    ({ ground, key } = fleet);
    mover = bundleMover(ground);
    const api = apiOf(server.url, key);
    await api.putWorkflow("ask", WORKFLOW);
    await Promise.all(Array.from({ length: RUNS }, (_, index) => api.startRun("ask", `run ${index}`)));
    await waitFor("the approvals", async () => (await api.listApprovals("pending")).length === RUNS);
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
      const killed = await moveUntil(ground, mover, id, stage, afterMs);
      // With time enough the stage may be over before the blow; it is a kill all the same, or the move is done.
      expect(["SIGKILL", "done"]).toContain(killed);
      if (killed === "SIGKILL") expect((await directory.getMove(id))?.stage).not.toBe("done");
      const broken = await directory.getMove(id);
      expect(broken === undefined ? null : (await moverOn(ground).continueMove(broken)).stage).toBe("done");
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

const PROGRAM = fileURLToPath(new URL("support/mover-program.ts", import.meta.url));

/** One file, because many processes of it start and loading its modules takes longer than most of them live. */
function bundleMover(ground: CellsGround): string {
  const outfile = join(ground.directory, "mover.mjs");
  const js = 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);';
  buildSync({
    entryPoints: [PROGRAM],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["pg-native"],
    banner: { js },
  });
  return outfile;
}

/** How a process ends that carries a move on and dies in a stage: by the signal that killed it, or with the last stage. */
function moveUntil(ground: CellsGround, mover: string, id: string, stage: string, afterMs: number): Promise<string> {
  const urls = JSON.stringify({ north: ground.url("north"), south: ground.url("south") });
  const child = spawn(process.execPath, [mover, id, "north", urls, stage, String(afterMs)], {
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

async function beginMove({ url }: ServerProcess, organisation: string, to: string): Promise<string> {
  const begun = await ask(url, ADMIN_KEY, "POST", "/api/v1/cells/moves", { organisation, to });
  expect([begun.status, begun.body]).toMatchObject([202, { organisation, to }]);
  return String(begun.body["id"]);
}

/** The move when it is in one of the stages. */
async function reached(
  { url }: ServerProcess,
  id: string,
  stages: readonly string[],
): Promise<Record<string, unknown>> {
  let move: Record<string, unknown> = {};
  await waitFor(`the stage ${stages.join(" or ")}`, async () => {
    move = (await ask(url, ADMIN_KEY, "GET", `/api/v1/cells/moves/${id}`)).body;
    return stages.includes(String(move["stage"]));
  });
  return move;
}

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDirectory } from "../../src/store/index.ts";
import type { Api } from "./support/api.ts";
import { ADMIN_KEY, apiOf, ask, type CellsGround, countRuns, openFleet } from "./support/cells-ground.ts";
import type { ServerProcess } from "./support/server-process.ts";
import { waitFor } from "./support/waiting.ts";

const LATER = "name: later\nsteps:\n  - {id: work, function: later}\n";
const SLOW = "name: slow\nsteps:\n  - {id: work, command: Work}\n  - {id: after, command: Go on, depends_on: [work]}\n";
/** Longer than a move takes to switch, mostly, and shorter than a server lets the source stand afterwards. */
const WORK_MS = 6_000;

let ground: CellsGround;
let server: ServerProcess;
let key: string;
let api: Api;
/** A run whose node waits for a worker from before the move until after it. */
let unclaimed: string;
beforeAll(async () => {
  const fleet = await openFleet(({ directory: folder }) => {
    const script = join(folder, "script.json");
    writeFileSync(script, JSON.stringify({ default: "echo", nodes: { "slow/work": { delay_ms: WORK_MS } } }));
    return ["--script", script];
  }, "register");
  ({ ground, server, key } = fleet);
  api = apiOf(server.url, key);
  await api.putWorkflow("later", LATER);
  await api.putWorkflow("slow", SLOW);
  unclaimed = (await api.startRun("later", "one")).id;
  const waits = async (): Promise<boolean> =>
    (await api.getState(unclaimed)).nodeResults[0]?.waitingReason === "worker";
  await waitFor("the node to wait", waits);
});
afterAll(() => ground.dispose());

it("a directory that is away after the switch loses nothing of what came during the move", async () => {
  const { id } = await api.startRun("slow", "one");
  const source = (await directory().cellOf("acme")) ?? "";
  const target = source === "north" ? "south" : "north";
  const isEmpty = async (): Promise<boolean> => (await countRuns(ground.sql(source), "acme")) === 0;
  await stageReached(await beginMove(), "removing");
  await ground.close("register", "north");
  const waits = (): boolean => server.complaints.includes(`the move of acme to ${target} waits`);
  await waitFor("the move to wait", () => Promise.resolve(waits()));
  expect(await isEmpty()).toBe(false);
  await ground.open("register", "north");
  await waitFor("the source to be empty", isEmpty, { everyMs: 1 });
  await ground.close("register", "north");
  // The result was refused so far, and is passed on now; or it was passed on just before.
  const isKept = async (): Promise<boolean> => {
    const text = "select from run_heads where run_id = $1 and status = 'completed'";
    const found = await ground.sql(target).query({ name: "", text }, [id]);
    return found.length > 0 || server.complaints.includes(`inputs of the run ${id}`);
  };
  await waitFor("the result to be kept", isKept);
  await ground.open("register", "north");
  // Until the server has learned where the organisation is, it is asked to come again.
  await waitFor("the cell to be known", async () => {
    const { status } = await ask(server.url, key, "GET", `/api/v1/runs/${id}`);
    expect([200, 503]).toContain(status);
    return status === 200;
  });
  expect((await api.waitUntilEnded(id)).status).toBe("completed");
});

it("a node that waits for a worker is given to one that comes after the move", async () => {
  const worker = { workerId: "w1", functions: ["later"] };
  const claimed: { readonly dispatchId: string }[] = [];
  await waitFor("the work", async () => {
    const { body } = await ask(server.url, key, "POST", "/api/v2/work/claim", { ...worker, waitMs: 1_000 });
    claimed.push(...(body["work"] as typeof claimed));
    return claimed.length > 0;
  });
  expect(claimed).toMatchObject([{ runId: unclaimed }]);
  const at = new Date().toISOString();
  const results = claimed.map(({ dispatchId }) => {
    return { dispatchId, status: "completed", outputs: {}, startedAt: at, completedAt: at };
  });
  await ask(server.url, key, "POST", "/api/v2/work/complete", { workerId: "w1", results });
  expect((await api.waitUntilEnded(unclaimed)).status).toBe("completed");
});

function directory() {
  return createDirectory(ground.sql("register"));
}

async function beginMove(): Promise<string> {
  const to = (await directory().cellOf("acme")) === "north" ? "south" : "north";
  const { status, body } = await ask(server.url, ADMIN_KEY, "POST", "/api/v1/cells/moves", {
    organisation: "acme",
    to,
  });
  expect([status, body]).toMatchObject([202, { to }]);
  return String(body["id"]);
}

/** Recorded with what was moved: from then on the source is emptied without the directory. */
function stageReached(id: string, stage: string): Promise<void> {
  const isReached = async (): Promise<boolean> => {
    const move = await directory().getMove(id);
    expect(move?.stage).not.toBe("failed");
    return move?.stage === stage && move.tables !== null;
  };
  return waitFor(`the stage ${stage}`, isReached);
}

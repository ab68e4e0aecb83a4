import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_KEY, apiOf, ask, type CellsGround, countRuns, openFleet } from "./support/cells-ground.ts";
import type { ServerProcess } from "./support/server-process.ts";

const HELLO = "name: hello\nsteps:\n  - {id: greet, command: Say hello}\n";
const PAGE = { accept: "application/json" };

describe("cells with a directory beside them", () => {
  let ground: CellsGround;
  let server: ServerProcess;
  let south: string;
  beforeAll(async () => {
    ({ ground, server, key: south } = await openFleet(() => [], "register"));
    for (const key of [ADMIN_KEY, south]) await apiOf(server.url, key).putWorkflow("hello", HELLO);
  });
  afterAll(() => ground.dispose());

  async function runsWell(key: string, name: string): Promise<string> {
    const api = apiOf(server.url, key);
    const { id } = await api.startRun("hello", name);
    return (await api.waitUntilEnded(id)).status;
  }

  async function sessionOf(key: string): Promise<string> {
    const response = await fetch(`${server.url}/session`, {
      method: "POST",
      redirect: "manual",
      headers: { ...PAGE, origin: server.url, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ key }),
    });
    expect(response.status).toBe(204);
    return response.headers.get("set-cookie")?.split(";")[0] ?? "";
  }

  it("run each organisation in its cell, and nothing of it in another", async () => {
    for (const key of [ADMIN_KEY, south]) {
      const api = apiOf(server.url, key);
      const { id } = await api.startRun("hello", "first");
      const run = await api.waitUntilEnded(id);
      expect(run.status).toBe("completed");
      expect((await api.readLog(id)).length).toBe(run.lastEventId);
    }
    const counts = [];
    for (const cell of ["north", "south"]) {
      for (const orgId of ["default", "acme"]) counts.push([cell, orgId, await countRuns(ground.sql(cell), orgId)]);
    }
    expect(counts).toEqual([
      ["north", "default", 1],
      ["north", "acme", 0],
      ["south", "default", 0],
      ["south", "acme", 1],
    ]);
  });

  it("are each said to be ready, and have figures of their own", async () => {
    const { body } = await ask(server.url, null, "GET", "/readyz");
    expect(body["cells"]).toMatchObject([
      { name: "north", status: "ready" },
      { name: "south", status: "ready" },
    ]);
    const { body: figures } = await ask(server.url, null, "GET", "/metrics");
    expect(figures["text"]).toMatch(/sluice_\w+\{cell="south"/);
  });

  it("find the cell by key, session, gateway token, hook with and without its organisation", async () => {
    expect(await runsWell(south, "by key")).toBe("completed");
    const cookie = await sessionOf(south);
    const runs = await ask(server.url, null, "GET", "/api/v1/runs", undefined, { cookie });
    expect([runs.status, (runs.body["data"] as unknown[]).length]).toEqual([200, 2]);
    const gateway = { url: "http://127.0.0.1:9", providers: ["scripted"], callback_token: "a-token-of-the-far-bridge" };
    const saved = await ask(server.url, south, "PUT", "/api/v1/gateways/far", gateway);
    expect(saved.status).toBeLessThan(300);
    const known = await ask(
      server.url,
      null,
      "POST",
      "/api/workflow/step-complete/batch",
      { callbacks: [] },
      {
        "x-gateway-token": "a-token-of-the-far-bridge",
      },
    );
    expect([known.status, known.body["code"]]).not.toEqual([401, "unauthenticated"]);
    const hook = await ask(server.url, south, "PUT", "/api/v1/hooks/hello", {});
    expect(hook.status).toBeLessThan(300);
    const secret = String(hook.body["secret"]);
    for (const address of ["/api/v1/hooks/hello?org=acme", "/api/v1/hooks/hello"]) {
      const body = JSON.stringify({});
      const [id, at] = [`msg_${address.length}`, String(Math.floor(Date.now() / 1_000))];
      const key = Buffer.from(secret.replace("whsec_", ""), "base64");
      const signature = createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64");
      const response = await fetch(`${server.url}${address}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "webhook-id": id,
          "webhook-timestamp": at,
          "webhook-signature": `v1,${signature}`,
        },
        body,
      });
      expect([response.status, await response.text()]).toEqual([expect.toBeOneOf([200, 201, 202]), expect.any(String)]);
    }
    const stranger = await ask(server.url, "slk_nobody-has-this-key", "GET", "/api/v1/runs");
    expect(stranger.status).toBe(401);
  });

  it("go on where they are known while the directory is away", async () => {
    const cookie = await sessionOf(south);
    expect((await ask(server.url, null, "GET", "/api/v1/runs", undefined, { cookie })).status).toBe(200);
    await ground.close("register", "north");
    for (const key of [ADMIN_KEY, south]) expect(await runsWell(key, "without directory")).toBe("completed");
    expect((await ask(server.url, null, "GET", "/api/v1/runs", undefined, { cookie })).status).toBe(200);
    expect((await ask(server.url, null, "GET", "/readyz")).status).toBe(200);
    const unknown = await ask(server.url, "slk_a-key-never-seen-here", "GET", "/api/v1/runs");
    expect([unknown.status, unknown.body["code"], unknown.headers.get("retry-after")]).toEqual([503, "not_ready", "2"]);
    await ground.open("register", "north");
    await expect
      .poll(async () => (await ask(server.url, "slk_a-key-never-seen-here", "GET", "/api/v1/runs")).status)
      .toBe(401);
  });

  it("do not notice that another one is dead, also not at a start", async () => {
    await ground.close("south", "north");
    expect(await runsWell(ADMIN_KEY, "beside a dead one")).toBe("completed");
    const away = await ask(server.url, south, "GET", "/api/v1/runs");
    expect([away.status, away.headers.get("retry-after")]).toEqual([503, "2"]);
    const ready = await ask(server.url, null, "GET", "/readyz");
    expect([ready.status, ready.body["warnings"]]).toEqual([200, ["Cells that cannot be used now: south."]]);
    const listed = await ask(server.url, ADMIN_KEY, "GET", "/api/v1/cells");
    expect(listed.body["data"]).toMatchObject([
      { name: "north", isReady: true },
      { name: "south", isReady: false },
    ]);
    const body = { organisation: "default", to: "south" };
    const move = await ask(server.url, ADMIN_KEY, "POST", "/api/v1/cells/moves", body);
    expect([move.status, move.body["code"]]).toEqual([503, "cell_unavailable"]);
    await server.stop();
    server = await ground.start();
    expect(await runsWell(ADMIN_KEY, "started beside a dead one")).toBe("completed");
    expect((await ask(server.url, south, "GET", "/api/v1/runs")).body["code"]).toBe("cell_unavailable");
    await ground.open("south", "north");
    expect(await runsWell(south, "back again")).toBe("completed");
  });
});

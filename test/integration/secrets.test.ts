import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Sql } from "../../src/store/index.ts";
import { Api } from "./support/api.ts";
import { openReadableGround, type ReadableGround } from "./support/ground.ts";
import { packedTexts } from "./support/history-stores.ts";
import { KEY } from "./support/kills.ts";
import { prepareProgram, type ServerProcess, startProgram, startServer } from "./support/server-process.ts";
import { waitFor } from "./support/waiting.ts";

const MINUTES = 60_000;
const [FIRST, SECOND] = ["first-billing-value-1", "second-billing-value-2"];
const WORKFLOW = { name: "pay", steps: [{ id: "call", provider: "http", command: "POST billing", stdin: "hello" }] };

/** A service that answers with the header it was sent, plainly and encoded. */
async function openEcho() {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const header = String(request.headers.authorization);
    seen.push(header);
    request.resume().on("end", () => {
      const encoded = Buffer.from(header).toString("base64");
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ header, encoded, list: [`it was ${header}`] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { seen, close, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/pay` };
}

let close: (() => Promise<unknown>)[] = [];
beforeAll(() => prepareProgram(), 5 * MINUTES);
afterEach(async () => {
  for (const one of close.reverse()) await one();
  close = [];
});

/** Everything in every table, as text: sealed records too, which are compressed. */
async function dumpOf(sql: Sql): Promise<string> {
  const tables = await sql.query<{ name: string }>({
    name: "",
    text:
      "select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace " +
      "where n.nspname = 'public' and c.relkind in ('r', 'p')",
  });
  const parts: string[] = [];
  for (const { name } of tables) {
    const rows = await sql.query<{ row: string }>({ name: "", text: `select t::text as row from ${name} t` });
    parts.push(...rows.map(({ row }) => row));
  }
  parts.push(...(await packedTexts(sql)));
  return parts.join("\n");
}

function filesUnder(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

const spellingsOf = (value: string): readonly string[] => [
  value,
  Buffer.from(value).toString("hex"),
  Buffer.from(`Bearer ${value}`).toString("base64").replace(/=+$/, ""),
];

async function startBridge(ground: ReadableGround, server: string, target: string): Promise<ServerProcess> {
  const { data } = ground.settings;
  const config = join(data, "bridge.json");
  const headers = { Authorization: "Bearer secret://billing-token" };
  writeFileSync(config, JSON.stringify({ adapters: { http: { targets: { billing: { url: target, headers } } } } }));
  const flags = ["--server", server, "--token", KEY, "--id", "eu", "--adapters", "http", "--config", config];
  return startProgram(["bridge", "--json", "--port", "0", "--data", data, ...flags], data);
}

describe("a secret that a Bridge of two replicas is handed", () => {
  it(
    "reaches only its service, changes while all run, survives a new key, and is written nowhere",
    async () => {
      const echo = await openEcho();
      close.push(echo.close);
      const ground = await openReadableGround("postgres", { default: "echo" });
      close.push(() => ground.close());
      const servers: ServerProcess[] = [];
      close.push(() => Promise.all(servers.map((server) => server.kill())));
      const startBoth = async (env: Readonly<Record<string, string>>): Promise<void> => {
        servers.push(...(await Promise.all([1, 2].map(() => startServer({ ...ground.settings, env })))));
      };
      await startBoth({ SLUICE_SECRET_KEY: "the first key" });
      const api = new Api(KEY, () => servers.map(({ url }) => url));
      await api.put("/secrets/billing-token", { value: FIRST, scopes: ["gateway:eu", "workflow:pay"] });
      await api.putWorkflow("pay", JSON.stringify(WORKFLOW));
      const bridge = await startBridge(ground, servers[0]?.url ?? "", echo.url);
      close.push(() => bridge.kill());
      await api.put("/deployments/production", { workflow: "pay", gateway: "eu", environment: "production" });
      const instances = new Set<string | null>([null]);
      /** Both replicas know this life of it: they answer in turn. */
      const registered = async (): Promise<boolean> => {
        const lists = [await api.listGateways(), await api.listGateways()];
        const [one, other] = lists.map((list) => list.find(({ id }) => id === "eu")?.instanceId ?? null);
        if (one === undefined || one !== other || instances.has(one)) return false;
        instances.add(one);
        return true;
      };
      await waitFor("the Bridge registers", registered);

      let runs = 0;
      const logs: string[] = [];
      /** A run at the next replica; what it came to, with its log. */
      const pay = async (): Promise<string> => {
        runs += 1;
        const { id } = await api.startRun("pay", `run-${runs}`);
        await waitFor(`run ${runs} ends`, async () => ["completed", "failed"].includes((await api.getRun(id)).status));
        const log = JSON.stringify(await api.readLog(id));
        logs.push(log);
        return log;
      };

      expect(await pay()).toContain('"run.completed"');
      expect(await pay()).toContain("[redacted:billing-token]");
      expect(echo.seen).toEqual([`Bearer ${FIRST}`, `Bearer ${FIRST}`]);

      expect(await api.tryPost("/secrets/billing-token/rotate", { value: SECOND })).toBe(200);
      await pay();
      await pay();
      expect(echo.seen.slice(2)).toEqual([`Bearer ${SECOND}`, `Bearer ${SECOND}`]);

      await api.put("/secrets/billing-token", { scopes: ["gateway:us"] });
      expect(await pay()).toContain("secret_out_of_scope");
      await api.put("/secrets/billing-token", { scopes: ["gateway:eu"] });

      for (const server of servers.splice(0)) await server.stop();
      await startBoth({ SLUICE_SECRET_KEY: "the second key", SLUICE_SECRET_KEY_OLD: "the first key" });
      expect(servers.map(({ complaints }) => complaints).join("")).toContain("sealed again with SLUICE_SECRET_KEY");
      await bridge.kill();
      const second = await startBridge(ground, servers[0]?.url ?? "", echo.url);
      close.push(() => second.kill());
      await waitFor("the Bridge registers again", registered);
      expect(await pay()).toContain('"run.completed"');
      expect(echo.seen.at(-1)).toBe(`Bearer ${SECOND}`);

      for (const server of servers.splice(0)) await server.stop();
      await startBoth({ SLUICE_SECRET_KEY: "a key of later" });
      expect(servers[0]?.complaints).toContain("SLUICE_SECRET_KEY is another key");
      await second.kill();
      const third = await startBridge(ground, servers[0]?.url ?? "", echo.url);
      close.push(() => third.kill());
      await waitFor("the Bridge registers once more", registered);
      const before = echo.seen.length;
      expect(await pay()).toContain("secret_unreadable");
      expect(echo.seen).toHaveLength(before);

      const outputs = servers.map(({ complaints }) => complaints).join("") + bridge.complaints + third.complaints;
      for (const server of servers.splice(0)) await server.stop();
      const written = [outputs, filesUnder(ground.settings.data), ...logs];
      await ground.read(async (sql) => void written.push(await dumpOf(sql)));
      const everything = written.join("\n");
      // Only whether it is there: a failure must not print all of it.
      expect(everything.includes("secret.used")).toBe(true);
      const found = [FIRST, SECOND].flatMap(spellingsOf).filter((text) => everything.includes(text));
      expect(found).toEqual([]);
    },
    6 * MINUTES,
  );
});

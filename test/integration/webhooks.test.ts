import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { Webhook } from "standardwebhooks";
import type { Sql } from "../../src/store/index.ts";
import { Prng } from "../simulation/prng.ts";
import { Api } from "./support/api.ts";
import { openReadableGround, type ReadableGround } from "./support/ground.ts";
import { KEY, liveByCalls } from "./support/kills.ts";
import { prepareProgram, type ServerProcess, startServer } from "./support/server-process.ts";
import { waitFor } from "./support/waiting.ts";

const MINUTES = 60_000;
const RUNS_PER_LIFE = 12;
const KILLS = 2;
const SECRET = `whsec_${Buffer.from("a secret of thirty-two bytes, ok").toString("base64")}`;
const SCRIPT = { default: "echo", nodes: { a: { delay_ms: 30 } } };

/** What a receiver got, checked by the public library for such messages. */
interface Received {
  readonly id: string;
  readonly type: string;
  readonly runId: string;
}

/** What a killed sender had claimed is free at once, not only after the minute such a claim lasts. */
async function endClaims(sql: Sql): Promise<void> {
  const text = "update webhook_deliveries set next_at = 0, held_until = 0 where held_until > 0 and next_at is not null";
  await sql.query({ name: "end claims", text }, []);
}

/** Takes messages, and breaks every fifth off at its first try as a bad network would. */
async function openReceiver(): Promise<{
  readonly server: Server;
  readonly url: string;
  readonly received: Received[];
}> {
  const received: Received[] = [];
  const verifier = new Webhook(SECRET);
  const tried = new Set<string>();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const id = String(request.headers["webhook-id"]);
      const isNew = !tried.has(id);
      tried.add(id);
      if (isNew && tried.size % 5 === 0) return void response.destroy();
      const { type, data } = verifier.verify(body, request.headers as Record<string, string>) as {
        readonly type: string;
        readonly data: { readonly runId: string };
      };
      received.push({ id, type, runId: data.runId });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received };
}

let close: (() => Promise<void>)[] = [];
beforeAll(() => prepareProgram(), 5 * MINUTES);
afterEach(async () => {
  for (const one of close.reverse()) await one();
  close = [];
});

describe("webhooks of two replicas, of which one is killed again and again", () => {
  it(
    "get the end of every run, each under one id",
    async () => {
      const receiver = await openReceiver();
      close.push(() => new Promise((resolve) => receiver.server.close(() => resolve())));
      const ground: ReadableGround = await openReadableGround("postgres", SCRIPT);
      close.push(() => ground.close());
      const settings = { ...ground.settings, env: { SLUICE_ALLOW_OUTBOUND: new URL(receiver.url).host } };
      const servers: (ServerProcess | null)[] = [await startServer(settings), await startServer(settings)];
      close.push(async () => {
        for (const server of servers) await server?.kill();
        receiver.server.closeAllConnections();
      });
      const api = new Api(KEY, () => servers.flatMap((server) => (server === null ? [] : [server.url])));
      await api.put("/webhooks/ops", { url: receiver.url, events: ["run.completed"], secret: SECRET });
      await api.putWorkflow("w", JSON.stringify({ name: "w", steps: [{ id: "a", command: "go" }] }));
      const dice = new Prng(9);
      const starting: Promise<{ readonly id: string }>[] = [];
      for (let life = 0; life <= KILLS; life += 1) {
        for (let run = 0; run < RUNS_PER_LIFE; run += 1) starting.push(api.startRun("w", `run-${life}-${run}`));
        if (life === KILLS) break;
        await liveByCalls(settings.ledger, dice);
        await servers[1]?.kill();
        servers[1] = null;
        await ground.read(endClaims);
        servers[1] = await startServer(settings);
      }
      const wanted = (await Promise.all(starting)).map(({ id }) => id).sort();
      const runIds = (): readonly string[] => [...new Set(receiver.received.map(({ runId }) => runId))].sort();
      await waitFor("every end to be received", async () => runIds().length >= wanted.length, { everyMs: 100 });
      expect(runIds()).toEqual(wanted);
      // A message may arrive twice when its sender dies, and then says so by its id.
      const idsOf = new Map<string, Set<string>>();
      for (const { id, runId } of receiver.received) idsOf.set(runId, (idsOf.get(runId) ?? new Set()).add(id));
      expect([...idsOf.values()].map(({ size }) => size)).toEqual(wanted.map(() => 1));
      expect(new Set(receiver.received.map(({ type }) => type))).toEqual(new Set(["run.completed"]));
    },
    8 * MINUTES,
  );
});

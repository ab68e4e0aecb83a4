import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi, ENDLESS, GATED, HELLO } from "../../test/api/fixture.ts";
import type { RunEvent } from "../core/event/index.ts";
import { createApp } from "./app.ts";
import type { ApiConfig } from "./config.ts";
import { hashSecret } from "./secret.ts";
import { serve, type Served } from "./serve.ts";

const opened: { readonly api: Api; readonly server: Served | null }[] = [];
afterEach(async () => {
  for (const { api, server } of opened.splice(0)) {
    await server?.close(100);
    await api.close();
    expect(api.troubles).toEqual([]);
  }
});

async function start(config: Partial<ApiConfig> = {}, script?: string): Promise<Api> {
  const api = await createApi(config, script);
  opened.push({ api, server: null });
  for (const source of [HELLO, GATED, ENDLESS]) await api.save(source);
  return api;
}

async function startServed(config: Partial<ApiConfig> = {}): Promise<{ api: Api; server: Served }> {
  const api = await createApi(config);
  const server = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
  opened.push({ api, server });
  for (const source of [HELLO, GATED, ENDLESS]) await api.save(source);
  return { api, server };
}

const streamOf = (id: string): string => `runs/${id}/events/stream`;
const idsIn = (text: string): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

describe("the stream of a run", () => {
  it("has the headers that keep proxies from holding it back", async () => {
    const api = await start();
    const id = await api.run("hello", { who: "Ada" });
    for (const path of [streamOf(id), `/execute/workflows/${id}/events`]) {
      const response = await api.ask("GET", path);
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        "content-type": "text/event-stream; charset=utf-8",
        "cache-control": "no-cache, no-transform",
        connection: "keep-alive",
        "x-accel-buffering": "no",
      });
      expect(response.headers.has("transfer-encoding")).toBe(false);
      const text = await response.text();
      expect(text.startsWith("retry: 2000\n\n")).toBe(true);
      expect(idsIn(text)).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
      for (const block of text.trim().split("\n\n").slice(1))
        expect(block).toMatch(/^id: \d+\nevent: [\w.]+\ndata: \{.*\}$/);
    }
  });

  it("takes its cursor from the query, then from the header", async () => {
    const api = await start();
    const id = await api.run("hello", { who: "Ada" });
    const ids = async (query: string, header?: string): Promise<number[]> =>
      idsIn(
        (
          await api.request(
            "GET",
            streamOf(id) + query,
            header === undefined ? {} : { headers: { "last-event-id": header } },
          )
        ).body,
      );
    expect(await ids("?afterEventId=12")).toEqual([13, 14, 15]);
    expect(await ids("", "13")).toEqual([14, 15]);
    expect(await ids("?afterEventId=14", "3")).toEqual([15]);
    for (const header of ["abc", "-1", "1e99", "18446744073709551616", "1;drop"]) {
      const answer = await api.request("GET", streamOf(id), { headers: { "last-event-id": header } });
      expect([answer.status, answer.body.code]).toEqual([400, "bad_cursor"]);
    }
    const ahead = await api.request("GET", `${streamOf(id)}?afterEventId=16`);
    expect([ahead.status, ahead.body.code]).toEqual([416, "cursor_ahead"]);
    const end = await api.request("GET", `${streamOf(id)}?afterEventId=15`);
    expect([end.status, end.body]).toEqual([204, ""]);
    expect(api.app.streams()).toEqual({ open: 0, watchedRuns: 0 });
  });

  it("follows a run live and closes after its end", async () => {
    const api = await start();
    const id = await api.run("gated");
    const response = await api.ask("GET", streamOf(id));
    const text = response.text();
    expect(api.app.streams()).toEqual({ open: 1, watchedRuns: 1 });
    const { body } = await api.request("GET", "approvals");
    await api.request("POST", `approvals/${body.data[0].id}/resolve`, { body: { decision: "approve" } });
    await api.settle(id);
    const { lastEventId } = (await api.request("GET", `runs/${id}`)).body;
    expect(idsIn(await text)).toEqual(Array.from({ length: lastEventId }, (_, index) => index + 1));
    expect(await text).toMatch(/event: run\.completed\ndata: .*\n\n$/);
    expect(api.app.streams()).toEqual({ open: 0, watchedRuns: 0 });
  });

  it("beats while nothing happens, and ends when the key does", async () => {
    const api = await start({ heartbeatMs: 5 });
    const id = await api.run("gated");
    const key = await api.key(["run:read"]);
    const response = await api.ask("GET", streamOf(id), { key });
    const reader = response.body?.getReader();
    let text = "";
    while (!text.includes(": heartbeat\n\n")) text += Buffer.from((await reader?.read())?.value ?? []).toString();
    const stored = await api.store.findKey(hashSecret(key));
    await api.request("DELETE", `keys/${stored?.id ?? ""}`);
    for (let isDone = false; !isDone;) isDone = (await reader?.read())?.done ?? true;
    await until(() => api.app.streams().open === 0);
  });

  it("serves as many streams as it may, and one more once one has gone", async () => {
    const api = await start({ streamsMax: 3 });
    const id = await api.run("gated");
    const streams = await Promise.all([0, 1, 2].map(() => api.ask("GET", streamOf(id))));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    const refused = await api.request("GET", streamOf(id));
    expect([refused.status, refused.body.code, refused.headers.get("retry-after")]).toEqual([
      503,
      "too_many_streams",
      "2",
    ]);
    await streams[0]?.body?.cancel();
    const next = await api.ask("GET", streamOf(id));
    expect(next.status).toBe(200);
  });

  it("cuts a client that does not read, which then resumes without loss", async () => {
    const piece = "x".repeat(4_000);
    const script = `nodes:\n  endless/wait: [{ chunks: [${Array.from({ length: 100 }, () => `"${piece}"`).join(", ")}], chunk_ms: 1 }]\n`;
    const api = await start({ backlogBytesMax: 20_000 }, script);
    const { body } = await api.request("POST", "runs", { body: { workflow: "endless" } });
    const response = await api.ask("GET", streamOf(body.id));
    await api.settle(body.id);
    await until(() => api.app.streams().open === 0);
    await expect(response.text()).rejects.toThrow("does not read");
    const all = idsIn((await api.request("GET", streamOf(body.id))).body);
    expect(all).toEqual(Array.from({ length: all.length }, (_, index) => index + 1));
    const state = await api.request("GET", `runs/${body.id}/state`);
    expect(all.at(-1)).toBe(state.body.lastEventId);
  });
});

describe("over sockets", () => {
  const head = (port: number, path: string): string =>
    `GET /api/v1/${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${ADMIN}\r\n\r\n`;

  it("leaves nothing behind after a thousand abrupt disconnects", async () => {
    const { api, server } = await startServed();
    const id = await api.run("gated");
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(
        Array.from({ length: 100 }, (_, index) => vanish(server.port, head(server.port, streamOf(id)), index % 4)),
      );
    }
    await until(() => api.app.streams().open === 0);
    expect(api.app.streams()).toEqual({ open: 0, watchedRuns: 0 });
  });

  /** Hangs up before sending, right after sending, with the first bytes, or with some delay after them. */
  function vanish(port: number, request: string, when: number): Promise<void> {
    return new Promise((resolve) => {
      const socket: Socket = connect(port, "127.0.0.1");
      const drop = (): void => {
        socket.resetAndDestroy();
      };
      socket.on("error", () => undefined);
      socket.on("close", () => resolve());
      socket.on("connect", () => {
        if (when === 0) return drop();
        socket.write(request, () => {
          if (when === 1) drop();
        });
      });
      socket.on("data", () => (when === 2 ? drop() : setImmediate(drop)));
    });
  }

  it("hangs up on a socket that is not read once a mebibyte waits beyond what the network takes", async () => {
    const { api } = await startServed();
    const id = await api.run("gated");
    const listeners = new Set<(runId: string, events: readonly RunEvent[]) => void>();
    const onCommitted = (listener: (runId: string, events: readonly RunEvent[]) => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    };
    const runtime = Object.create(api.runtime, { onCommitted: { value: onCommitted } });
    const app = createApp({
      store: api.store,
      runtime,
      gateways: api.gateways,
      governance: api.governance,
      config: { tailMs: 60_000 },
    });
    const server = await serve({ app, port: 0, host: "127.0.0.1" });
    const socket = connect(server.port, "127.0.0.1").on("error", () => undefined);
    socket.pause();
    socket.write(head(server.port, streamOf(id)));
    await until(() => app.streams().open === 1);
    let { lastEventId } = (await api.request("GET", `runs/${id}`)).body;
    for (let sent = 0; sent < 5_000 && app.streams().open === 1; sent += 1) {
      lastEventId += 1;
      const payload = { nodeId: "draft", level: "info" as const, message: "x".repeat(15_000) };
      for (const listener of listeners) listener(id, [{ eventId: lastEventId, at: 0, type: "node.log", payload }]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(app.streams()).toEqual({ open: 0, watchedRuns: 0 });
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.resume();
    await closed;
    await server.close(100);
  });

  it("ends streams and answers what is under way when it closes", async () => {
    const { api, server } = await startServed();
    const id = await api.run("gated");
    const headers = { authorization: `Bearer ${ADMIN}` };
    const response = await fetch(`${server.url}/api/v1/${streamOf(id)}`, { headers });
    const text = response.text();
    await server.close();
    expect(idsIn(await text).length).toBeGreaterThan(0);
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  });

  it("refuses a body by its declared size, and lets go of the connection", async () => {
    const { server } = await startServed();
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(server.port, "127.0.0.1");
      let text = "";
      socket.on("data", (piece) => {
        text += piece.toString();
      });
      socket.on("error", () => undefined);
      socket.on("close", () => resolve(text));
      socket.write(
        `POST /api/v1/runs HTTP/1.1\r\nhost: localhost\r\nAuthorization: Bearer ${ADMIN}\r\nContent-Type: application/json\r\nContent-Length: 6000000\r\n\r\n`,
      );
    });
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code":"body_too_large"');
  });
});

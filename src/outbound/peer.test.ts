import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { PeerAgent, requestPeer, type PeerRequest } from "./peer.ts";

const servers: (Server | TcpServer)[] = [];
const sockets = new Set<Socket>();
let agent = new PeerAgent();
afterEach(async () => {
  agent.close();
  agent = new PeerAgent();
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

async function listen(server: Server | TcpServer): Promise<number> {
  servers.push(server);
  server.on("connection", (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

function http(handle: RequestListener): Promise<number> {
  return listen(createServer(handle));
}

const ask = (port: number, options: Partial<PeerRequest> = {}) =>
  requestPeer(`http://127.0.0.1:${port}/path?q=1`, { method: "POST", bytesMax: 1_000, agent, ...options });

describe("a peer's answer", () => {
  it("comes with status, headers and text, whatever the status is", async () => {
    const port = await http((request, response) => {
      let text = "";
      request.on("data", (chunk) => (text += chunk));
      request.on("end", () => {
        response.writeHead(503, { "retry-after": "7" });
        response.end(
          `${request.method} ${request.url} ${request.headers["content-type"]} ${String(request.headers["x-a"])} ${text}`,
        );
      });
    });
    expect(await ask(port, { headers: { "X-A": "a" }, body: '{"ä":1}' })).toMatchObject({
      ok: true,
      status: 503,
      headers: { "retry-after": "7" },
      text: 'POST /path?q=1 application/json a {"ä":1}',
    });
  });

  it("uses the same connection for the next request, until the agent is closed", async () => {
    const ports: unknown[] = [];
    const port = await http((request, response) => {
      ports.push(request.socket.remotePort);
      response.end();
    });
    await ask(port);
    await ask(port);
    agent.close();
    await ask(port);
    expect(new Set(ports).size).toBe(2);
    expect(ports[0]).toBe(ports[1]);
  });

  it("is not looked for elsewhere: redirects are answers", async () => {
    const port = await http((_, response) => response.writeHead(302, { location: "/x" }).end());
    expect(await ask(port)).toMatchObject({ ok: true, status: 302 });
  });

  it.each([
    [999, true],
    [1_000, true],
    [1_001, false],
  ])("of %i bytes, when 1000 may come: %s", async (size, ok) => {
    const port = await http((_, response) => response.end("x".repeat(size)));
    const reply = await ask(port);
    expect(reply.ok ? reply.text.length : [reply.reason, reply.wasSent]).toEqual(ok ? size : ["too_large", true]);
  });

  it("may come before the whole body was taken", async () => {
    const port = await http((_, response) => response.writeHead(413).end("no"));
    expect(await ask(port, { body: "x".repeat(3_000_000) })).toMatchObject({ ok: true, status: 413 });
  });
});

describe("a request that fails", () => {
  it("was not sent when nothing listens", async () => {
    const port = await http(() => {});
    await new Promise((resolve) => servers.pop()?.close(resolve));
    expect(await ask(port)).toMatchObject({ ok: false, reason: "refused", wasSent: false });
  });

  it.each(["not a url", "ftp://127.0.0.1/", "http://name.invalid/"])("was not sent to %s", async (url) => {
    expect(await requestPeer(url, { method: "GET", bytesMax: 10 })).toMatchObject({
      ok: false,
      reason: "unreachable",
      wasSent: false,
    });
  });

  it("was not sent when a header is bad", async () => {
    const port = await http((_, response) => response.end());
    expect(await ask(port, { headers: { a: "b\nc" } })).toMatchObject({ reason: "unreachable", wasSent: false });
  });

  it("may have been sent when the connection ends without an answer", async () => {
    const port = await http((request) => request.socket.destroy());
    expect(await ask(port)).toMatchObject({ reason: "reset", wasSent: true });
  });

  it("may have been sent when the answer breaks off or makes no sense", async () => {
    const port = await http((_, response) => {
      response.writeHead(200, { "content-length": "10" });
      response.write("x", () => response.destroy());
    });
    expect(await ask(port)).toMatchObject({ reason: "reset", wasSent: true });
    const nonsense = await listen(createTcpServer((socket) => socket.end("nonsense\r\n\r\n")));
    expect(await ask(nonsense)).toMatchObject({ reason: "reset", wasSent: true });
  });

  it("is not sent again when a kept connection is dead", async () => {
    let requests = 0;
    const port = await http((request, response) => {
      requests += 1;
      if (requests === 1) response.end();
      else request.socket.destroy();
    });
    expect(await ask(port)).toMatchObject({ ok: true });
    expect(await ask(port)).toMatchObject({
      reason: "reset",
      wasSent: true,
      message: expect.stringContaining("kept connection") as string,
    });
    expect(requests).toBe(2);
  });

  it("ends with its time and with its signal", async () => {
    const stop = new AbortController();
    const port = await http((request) => {
      if (request.headers["x-stop"] !== undefined) stop.abort();
    });
    expect(await ask(port, { timeoutMs: 20 })).toMatchObject({ reason: "timeout" });
    const headers = { "x-stop": "1" };
    expect(await ask(port, { signal: stop.signal, headers })).toMatchObject({ reason: "aborted", wasSent: true });
    expect(await ask(port, { signal: stop.signal })).toMatchObject({ reason: "aborted", wasSent: false });
  });

  it("ends when the agent is closed", async () => {
    const port = await http(() => agent.close());
    expect(await ask(port)).toMatchObject({ reason: "reset", wasSent: true });
  });
});

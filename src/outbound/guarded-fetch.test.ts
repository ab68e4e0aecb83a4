import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { closeServers } from "../../test/own/close-servers.ts";
import { createAllowList, type AllowList } from "./allow-list.ts";
import { fetchGuarded, type GuardedRequest } from "./guarded-fetch.ts";

const servers: Server[] = [];
afterEach(() => closeServers(servers));

async function listen(handle: RequestListener, host = "127.0.0.1"): Promise<number> {
  const server = createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

function allow(...entries: string[]): AllowList {
  const list = createAllowList(entries);
  if (!list.ok) throw new Error(list.failure);
  return list.value;
}

const GET = { method: "GET", allow: allow("127.0.0.1"), timeoutMs: 20_000 } satisfies GuardedRequest;
const never: RequestListener = () => {};

describe("a request that is allowed", () => {
  it("brings status, headers and text", async () => {
    const port = await listen((request, response) => {
      let text = "";
      request.on("data", (chunk) => (text += chunk));
      request.on("end", () => {
        const { host, accept, connection, "x-a": own } = request.headers;
        response.writeHead(201, { "x-b": ["1", "2"] });
        response.end(
          JSON.stringify({ text, host, accept, connection, own, encoding: request.headers["accept-encoding"] }),
        );
      });
    });
    const headers = {
      "X-A": "a",
      Host: "elsewhere",
      Connection: "upgrade",
      "Content-Length": "1",
      "Accept-Encoding": "gzip",
    };
    const reply = await fetchGuarded(`http://127.0.0.1:${port}/p?q=1#f`, {
      ...GET,
      method: "POST",
      headers,
      body: "äb",
    });
    expect(reply).toMatchObject({ ok: true, status: 201, headers: { "x-b": "1, 2" } });
    expect(JSON.parse(reply.ok ? reply.text : "")).toEqual({
      text: "äb",
      host: `127.0.0.1:${port}`,
      connection: "close",
      own: "a",
      encoding: "identity",
    });
  });

  it("goes to the address that was checked, and resolves only once", async () => {
    const port = await listen((request, response) => response.end(request.socket.localAddress));
    const answers = [["127.0.0.1"], ["127.0.0.2"]];
    let asked = 0;
    const resolve = (): Promise<readonly string[]> => Promise.resolve(answers[asked++] ?? []);
    const options = { ...GET, allow: allow("127.0.0.1/32"), resolve };
    expect(await fetchGuarded(`http://name.example:${port}/`, options)).toMatchObject({ ok: true, text: "127.0.0.1" });
    expect(asked).toBe(1);
    expect(await fetchGuarded(`http://name.example:${port}/`, options)).toMatchObject({
      ok: false,
      code: "url_private",
    });
  });

  it("tries the next address when the first does not answer", async () => {
    const port = await listen((_, response) => response.end("here"), "127.0.0.1");
    const resolve = (): Promise<readonly string[]> => Promise.resolve(["127.0.0.9", "127.0.0.1"]);
    const reply = await fetchGuarded(`http://name.example:${port}/`, { ...GET, allow: allow("127.0.0.0/8"), resolve });
    expect(reply).toMatchObject({ ok: true, text: "here" });
  });

  it("cannot be made two by a header", async () => {
    const port = await listen((_, response) => response.end());
    const reply = await fetchGuarded(`http://127.0.0.1:${port}/`, { ...GET, headers: { a: "b\r\nc: d" } });
    expect(reply).toMatchObject({ ok: false, code: "url_unreachable" });
  });
});

describe("redirects", () => {
  it("are followed three times, and not four", async () => {
    const port = await listen((request, response) => {
      const left = Number(request.url?.slice(1));
      if (left === 0) response.end("end");
      else response.writeHead(302, { location: `/${left - 1}` }).end("ignored");
    });
    const at = (hops: number, more: Partial<GuardedRequest> = {}) =>
      fetchGuarded(`http://127.0.0.1:${port}/${hops}`, { ...GET, ...more });
    expect(await at(2)).toMatchObject({ ok: true, text: "end", url: `http://127.0.0.1:${port}/0` });
    expect(await at(3)).toMatchObject({ ok: true, text: "end" });
    expect(await at(4)).toMatchObject({ ok: false, code: "url_redirect" });
    expect(await at(1, { redirectsMax: 0 })).toMatchObject({ ok: false, code: "url_redirect" });
  });

  it.each([
    ["http://169.254.169.254/latest", "url_private"],
    ["http://[::1]/", "url_private"],
    ["//10.0.0.1/", "url_private"],
    ["http://inside.example/", "url_private"],
    ["http://public.example:22/", "url_port"],
    ["file:///etc/passwd", "url_scheme"],
    ["http://a:b@public.example/", "url_credentials"],
    ["http://", "url_host"],
  ])("to %s are refused", async (location, code) => {
    const port = await listen((_, response) => response.writeHead(302, { location }).end());
    const resolve = (host: string): Promise<readonly string[]> =>
      Promise.resolve([host === "inside.example" ? "10.0.0.1" : "1.1.1.1"]);
    expect(await fetchGuarded(`http://127.0.0.1:${port}/`, { ...GET, resolve })).toMatchObject({ ok: false, code });
  });

  it("take no credential to another origin, and all headers within one", async () => {
    const seen: Record<string, unknown>[] = [];
    const other = await listen((request, response) => {
      seen.push(request.headers);
      response.end();
    });
    const port = await listen((request, response) => {
      if (request.url === "/away") response.writeHead(307, { location: `http://127.0.0.1:${other}/` }).end();
      else if (request.url === "/here") response.writeHead(307, { location: "/end" }).end();
      else {
        seen.push(request.headers);
        response.end();
      }
    });
    const headers = { authorization: "s", cookie: "s", "x-odd-name": "s", traceparent: "t", "idempotency-key": "i" };
    await fetchGuarded(`http://127.0.0.1:${port}/away`, { ...GET, headers });
    expect(Object.keys(seen[0] ?? {}).toSorted()).toEqual([
      "accept-encoding",
      "connection",
      "host",
      "idempotency-key",
      "traceparent",
    ]);
    await fetchGuarded(`http://127.0.0.1:${port}/here`, { ...GET, headers });
    expect(seen[1]).toMatchObject(headers);
  });

  it.each([
    [301, "POST", "GET "],
    [302, "POST", "GET "],
    [302, "PUT", "PUT body"],
    [303, "PUT", "GET "],
    [307, "POST", "POST body"],
    [308, "POST", "POST body"],
  ])("with %i turn %s into %s", async (status, method, expected) => {
    const port = await listen((request, response) => {
      if (request.url === "/") return response.writeHead(status, { location: "/end" }).end();
      let text = "";
      request.on("data", (chunk) => (text += chunk));
      request.on("end", () => response.end(`${request.method} ${text}`));
      return undefined;
    });
    const reply = await fetchGuarded(`http://127.0.0.1:${port}/`, { ...GET, method, body: "body" });
    expect(reply).toMatchObject({ ok: true, text: expected });
  });
});

describe("answers that are no good", () => {
  it.each([
    [99, true],
    [100, true],
    [101, false],
  ])("of %i bytes, when 100 may come: %s", async (size, ok) => {
    const port = await listen((_, response) => response.end("x".repeat(size)));
    const reply = await fetchGuarded(`http://127.0.0.1:${port}/`, { ...GET, bytesMax: 100 });
    expect(reply.ok ? reply.text.length : reply.code).toBe(ok ? size : "url_too_large");
  });

  it("that never end are cut at the limit", async () => {
    const port = await listen((_, response) => {
      const more = (): void => {
        while (response.write("x".repeat(65_536)));
        response.once("drain", more);
      };
      more();
    });
    expect(await fetchGuarded(`http://127.0.0.1:${port}/`, GET)).toMatchObject({ ok: false, code: "url_too_large" });
  });

  it("that drip end with the time", async () => {
    const port = await listen((_, response) => {
      const drip = setInterval(() => response.write("x"), 5);
      response.on("close", () => clearInterval(drip));
    });
    const reply = await fetchGuarded(`http://127.0.0.1:${port}/`, { ...GET, timeoutMs: 60 });
    expect(reply).toMatchObject({ ok: false, code: "url_timeout" });
  });

  it("that do not come, and names that do not resolve, end with the time", async () => {
    const port = await listen(never);
    expect(await fetchGuarded(`http://127.0.0.1:${port}/`, { ...GET, timeoutMs: 20 })).toMatchObject({
      code: "url_timeout",
    });
    const resolve = (): Promise<never> => new Promise(() => {});
    expect(await fetchGuarded("http://slow.example/", { ...GET, resolve, timeoutMs: 20 })).toMatchObject({
      code: "url_timeout",
    });
  });

  it("that come packed stay packed", async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const port = await listen((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
    const reply = await fetchGuarded(`http://127.0.0.1:${port}/`, GET);
    expect(reply).toMatchObject({ ok: true, headers: { "content-encoding": "gzip" } });
    expect(reply.ok && reply.text.length).toBeLessThan(100_000);
  });

  it("that break off are reported", async () => {
    const port = await listen((_, response) => {
      response.writeHead(200, { "content-length": "10" });
      response.write("x", () => response.destroy());
    });
    expect(await fetchGuarded(`http://127.0.0.1:${port}/`, GET)).toMatchObject({ code: "url_unreachable" });
  });

  it("of none are reported", async () => {
    const port = await listen(never);
    await new Promise((resolve) => servers.pop()?.close(resolve));
    expect(await fetchGuarded(`http://127.0.0.1:${port}/`, GET)).toMatchObject({ code: "url_unreachable" });
  });
});

describe("the caller's signal", () => {
  it("ends a request under way, and one not begun", async () => {
    const port = await listen(() => stop.abort());
    const stop = new AbortController();
    expect(await fetchGuarded(`http://127.0.0.1:${port}/`, { ...GET, signal: stop.signal })).toMatchObject({
      code: "aborted",
    });
    expect(await fetchGuarded(`http://127.0.0.1:${port}/`, { ...GET, signal: AbortSignal.abort() })).toMatchObject({
      code: "aborted",
    });
  });
});

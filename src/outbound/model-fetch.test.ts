import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createModelFetch, type ModelFetchLimits } from "./model-fetch.ts";

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function fetchWith(limits?: ModelFetchLimits): typeof fetch {
  const made = createModelFetch(limits);
  opened.push(() => made.close());
  return made.fetch;
}

describe("createModelFetch", () => {
  it("sends what it is given and passes the answer on", async () => {
    const seen: unknown[] = [];
    const url = await serve((request, response) => {
      let body = "";
      request.on("data", (part: Buffer) => (body += part.toString()));
      request.on("end", () => {
        seen.push(request.method, request.headers["x-api-key"], body);
        response.writeHead(201, { "x-answer": "1" }).end("ok");
      });
    });
    const response = await fetchWith()(url, { method: "POST", headers: { "x-api-key": "k" }, body: "é" });
    expect([response.status, response.headers.get("x-answer"), await response.text()]).toEqual([201, "1", "ok"]);
    expect(seen).toEqual(["POST", "k", "é"]);
  });

  it.each([
    [9, true],
    [10, true],
    [11, false],
  ])("reads an answer of %i bytes under a limit of 10: %s", async (bytes, isRead) => {
    const url = await serve((_, response) => response.end("x".repeat(bytes)));
    const response = await fetchWith({ responseBytesMax: 10 })(url);
    if (isRead) expect(await response.text()).toHaveLength(bytes);
    else await expect(response.text()).rejects.toMatchObject({ code: "RESPONSE_TOO_LARGE" });
  });

  it.each([
    [9, 9],
    [10, 10],
    [11, 10],
    [5_000_000, 10],
  ])("reads of an error of %i bytes the first %i", async (bytes, read) => {
    const url = await serve((_, response) => response.writeHead(500).end("x".repeat(bytes)));
    const response = await fetchWith({ errorBytesMax: 10 })(url);
    expect((await response.text()).length).toBe(read);
  });

  it("stops an answer without end", async () => {
    let closed: () => void = () => undefined;
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    const url = await serve((_, response) => {
      response.on("close", closed);
      const pour = (): void => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      };
      response.on("drain", pour);
      pour();
    });
    const response = await fetchWith({ responseBytesMax: 1_048_576 })(url);
    await expect(response.text()).rejects.toMatchObject({ code: "RESPONSE_TOO_LARGE" });
    await isClosed;
  });

  it("takes no key to another address", async () => {
    const url = await serve((_, response) => response.writeHead(307, { location: "http://127.0.0.1:1/" }).end());
    await expect(fetchWith()(url, { headers: { "x-api-key": "k" } })).rejects.toThrow("fetch failed");
  });

  it("stops when it is aborted", async () => {
    const controller = new AbortController();
    const url = await serve(() => controller.abort());
    await expect(fetchWith()(url, { signal: controller.signal })).rejects.toMatchObject({ name: "AbortError" });
  });
});

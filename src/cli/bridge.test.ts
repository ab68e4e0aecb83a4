import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { callSluice } from "../../test/cli/terminal.ts";

const data = mkdtempSync(join(tmpdir(), "sluice-bridge-cli-"));
let server: Server;
let url = "";
let status = 403;
const asked: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume();
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(status, { "content-type": "application/problem+json" });
    response.end(JSON.stringify({ code: "forbidden", detail: "The key does not allow registry:write." }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(data, { recursive: true, force: true });
});

const bridge = (...more: readonly string[]): readonly string[] => [
  "bridge",
  "--server",
  url,
  "--token",
  "slk_some_key",
  "--data",
  data,
  "--port",
  "0",
  ...more,
];

describe("sluice bridge", () => {
  it.each([401, 403])("ends with 7 and the reason when the server answers %i to its key", async (code) => {
    status = code;
    asked.length = 0;
    const { code: exit, err } = await callSluice(bridge("--adapters", "scripted"));
    expect(exit).toBe(7);
    expect(err).toContain("The key does not allow registry:write.");
    expect(err).toContain("permission registry:write");
    expect(asked).toEqual(["POST /api/v1/gateways/register"]);
  });

  it("takes its adapters from BRIDGE_ADAPTERS, and a flag before that", async () => {
    const env = { BRIDGE_ADAPTERS: "scripted,nonsense" };
    expect(await callSluice(bridge(), { env })).toMatchObject({
      code: 2,
      err: expect.stringContaining('BRIDGE_ADAPTERS: there is no "nonsense"') as string,
    });
    expect(await callSluice(bridge("--adapters", "odd"), { env })).toMatchObject({
      code: 2,
      err: expect.stringContaining('--adapters: there is no "odd"') as string,
    });
    status = 403;
    expect((await callSluice(bridge(), { env: { BRIDGE_ADAPTERS: "scripted, vercel-ai" } })).code).toBe(7);
  });
});

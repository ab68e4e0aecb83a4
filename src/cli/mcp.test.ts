import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi, HELLO } from "../../test/api/fixture.ts";
import { answerOf } from "../../test/mcp/caller.ts";
import { preparedProgram } from "../../test/program/program.ts";
import { serve, type Served } from "../server/index.ts";
import { mcp } from "./mcp.ts";
import { createProcessIo } from "./process-io.ts";

const folder = mkdtempSync(join(tmpdir(), "sluice-mcp-"));

let api: Api;
let served: Served;
beforeAll(async () => {
  api = await createApi();
  served = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
  await api.request("POST", "apply", {
    body: [{ kind: "Workflow", name: "hello", spec: { source: HELLO, exposed: true } }],
  });
});
afterAll(async () => {
  await served.close(100);
  await api.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The program as a client starts it. */
function startedBy(env: Record<string, string>): StdioClientTransport {
  const args = [preparedProgram(), "mcp"];
  return new StdioClientTransport({ command: process.execPath, args, env, cwd: folder, stderr: "pipe" });
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("sluice mcp", () => {
  it("is started by a client, runs a workflow under the key of the environment, and leaves with it", async () => {
    const transport = startedBy({ SLUICE_URL: served.url, SLUICE_KEY: ADMIN });
    let complaints = "";
    transport.stderr?.on("data", (piece: Buffer) => (complaints += piece.toString("utf8")));
    const client = new Client({ name: "caller", version: "1" });
    await client.connect(transport);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("run_hello");
    const result = answerOf(await client.callTool({ name: "run_hello", arguments: { who: "Ada" } }));
    expect(result).toMatchObject({
      isError: false,
      data: { status: "completed", outputs: { thank: { stdout: "Thank Ada" } } },
    });
    const { pid } = transport;
    await client.close();
    expect(complaints).toBe("");
    expect(pid).not.toBeNull();
    // It ends with the connection: nothing is left behind. A client waits only a few seconds for that.
    await expect.poll(() => isThere(pid ?? 0)).toBe(false);
  });

  it("refuses to begin without a server, before it sends anything to the client", async () => {
    const silent = new PassThrough();
    const io = { ...createProcessIo(), env: {}, cwd: folder };
    const begun = mcp(io, {}, { input: new PassThrough(), output: silent });
    await expect(begun).rejects.toMatchObject({ exitCode: 5, message: expect.stringContaining("no server is known") });
    expect(silent.readableLength).toBe(0);
  });
});

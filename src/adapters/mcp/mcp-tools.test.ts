import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startToolServer, type ToolServer } from "../../../test/mcp/http-server.ts";
import type { FindSecret } from "../../adapter/index.ts";
import { mcpSecrets, openMcpTools } from "./mcp-tools.ts";

let server: ToolServer;
const signal = new AbortController().signal;
beforeAll(async () => {
  server = await startToolServer();
});
afterAll(() => server.close());

function opened(names: readonly string[]): ReturnType<ReturnType<typeof openMcpTools>> {
  return openMcpTools({ servers: { tools: { url: server.url }, "tools.x": { url: server.url } } }, {})(names, signal);
}

describe("tools for a model", () => {
  it("offers them under names every vendor takes, and calls them", async () => {
    const { tools, close } = await opened(["tools/echo", "tools/a.b", "tools/echo", "tools.x/late", "tools/fails"]);
    try {
      expect(Object.keys(tools)).toEqual(["tools__echo", "tools__a_b", "tools_x__late", "tools__fails"]);
      expect(tools["tools__echo"]).toMatchObject({
        description: "Repeats its input.",
        inputSchema: { type: "object" },
        tool: "echo",
        server: "tools",
        hints: {},
      });
      expect(await tools["tools__echo"]?.execute({ a: 1 }, signal, "run/node/0/0/0")).toBe('{"a":1}');
      expect(await tools["tools_x__late"]?.execute({ canary: "c", turns: 1 }, signal, "run/node/0/0/0")).toEqual({
        canary: "c",
      });
      await expect(tools["tools__fails"]?.execute({}, signal, "run/node/0/0/0")).rejects.toThrow(/the disk is full/);
    } finally {
      await close();
    }
  });

  it("opens all tools that a pattern names, each once", async () => {
    const { tools, close } = await opened(["tools/e*", "tools/echo", "*.x/l*", "nothing*"]);
    try {
      expect(Object.keys(tools)).toEqual(["tools__echo", "tools_x__late", "tools_x__large", "tools_x__list"]);
    } finally {
      await close();
    }
  });

  it("passes on what the server says of a tool, and the key of each call", async () => {
    const { tools, close } = await opened(["tools/keyed"]);
    try {
      expect(tools["tools__keyed"]?.hints).toEqual({ readOnly: true, destructive: false });
      expect(await tools["tools__keyed"]?.execute({}, signal, "run/node/0/2/1")).toBe("run/node/0/2/1");
    } finally {
      await close();
    }
  });

  it.each([["echo"], ["other/echo"], ["tools/nope"], ["__proto__/x"]])("refuses %s", async (name) => {
    await expect(opened(["tools/echo", name])).rejects.toMatchObject({ failure: "provider_refused" });
  });

  it("calls a server with the secret that came with the dispatch for it", async () => {
    const token = "Bearer a-token-of-the-dispatch";
    const closed = await startToolServer({ token });
    const section = {
      servers: { keyed: { url: closed.url, headers: { Authorization: "Bearer secret://mcp-token" } } },
    };
    expect(mcpSecrets(section)).toEqual([{ name: "mcp-token", tool: "keyed" }]);
    const open = openMcpTools(section, {});
    const handed: FindSecret = (name, tool) =>
      name === "mcp-token" && tool === "keyed" ? { ok: true, value: "a-token-of-the-dispatch" } : undefined;
    const { tools, close } = await open(["keyed/echo"], signal, handed);
    expect(await tools["keyed__echo"]?.execute({ a: 1 }, signal, "run/a/0/0/0")).toBe('{"a":1}');
    await close();
    await expect(open(["keyed/echo"], signal)).rejects.toMatchObject({
      failure: "provider_auth",
      message: expect.stringContaining("unknown_secret") as string,
    });
    await closed.close();
  });

  it("ends a call by its signal", async () => {
    const { tools, close } = await opened(["tools/hangs"]);
    const controller = new AbortController();
    const answer = tools["tools__hangs"]?.execute({}, controller.signal, "run/node/0/0/0");
    controller.abort();
    await expect(answer).rejects.toThrow();
    await close();
  });
});

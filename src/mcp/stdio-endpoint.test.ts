import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi, ENDLESS, HELLO } from "../../test/api/fixture.ts";
import { answerOf } from "../../test/mcp/caller.ts";
import { ApiError, SluiceClient } from "../client/index.ts";
import { createInProcessFetch, serveMcpStdio } from "./index.ts";

let api: Api;
beforeAll(async () => {
  api = await createApi();
  await expose("hello", HELLO);
});
afterAll(async () => {
  await api.close();
  expect(api.troubles).toEqual([]);
});

async function expose(name: string, source: string): Promise<void> {
  await api.request("POST", "apply", { body: [{ kind: "Workflow", name, spec: { source, exposed: true } }] });
}

/** A client and a server with a pair of pipes between them; `look` lets the time pass until it looks again. */
async function converse(era: "auto" | "legacy", fetchHere = createInProcessFetch((request) => api.app.fetch(request))) {
  const [there, back] = [new PassThrough(), new PassThrough()];
  const timers: (() => void)[] = [];
  const troubles: string[] = [];
  const serving = await serveMcpStdio({
    api: new SluiceClient({ url: "http://here", key: ADMIN, fetch: fetchHere }),
    input: there,
    output: back,
    connection: `test ${era}`,
    after: (_delayMs, fire) => {
      timers.push(fire);
      return () => timers.splice(0);
    },
    explain: (error) =>
      error instanceof ApiError && error.cause instanceof TypeError
        ? { code: "unreachable", message: "the server is away" }
        : null,
    onTrouble: (what, error) => troubles.push(`${what}: ${String(error)}`),
  });
  const client = new Client({ name: "caller", version: "1" }, { versionNegotiation: { mode: era } });
  await client.connect(new StdioServerTransport(back, there));
  const look = (): void => timers.splice(0).forEach((fire) => fire());
  return { client, serving, look, timers, troubles, hangUp: () => there.end() };
}

describe.each(["auto", "legacy"] as const)("over pipes (%s)", (era) => {
  it("lists and runs, and ends when the caller hangs up", async () => {
    const { client, serving, hangUp, timers, troubles } = await converse(era);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("run_hello");
    const received: number[] = [];
    const result = await client.callTool(
      { name: "run_hello", arguments: { who: "Ada" } },
      { onprogress: ({ progress }) => received.push(progress) },
    );
    expect(answerOf(result)).toMatchObject({ isError: false, data: { status: "completed" } });
    expect(received).toEqual([0, 1, 2]);
    hangUp();
    await serving.closed;
    expect(timers).toEqual([]);
    expect(troubles).toEqual([]);
  });

  it("stops waiting when the call is taken back", async () => {
    await expose("endless", ENDLESS);
    const { client, serving } = await converse(era);
    const leave = new AbortController();
    let id = "";
    const call = client.callTool(
      { name: "run_endless", arguments: { cancel_on_abort: true } },
      {
        signal: leave.signal,
        onprogress: ({ message = "" }) => {
          id = message.split(" ")[0] ?? "";
          leave.abort();
        },
      },
    );
    await expect(call).rejects.toThrow();
    expect(await api.settle(id)).toBe("cancelled");
    await serving.close();
    await serving.closed;
  });

  it("notifies of other tools, once, and only clients that have listed them", async () => {
    const { client, serving, look, timers } = await converse(era);
    let replied = 0;
    client.setNotificationHandler("notifications/tools/list_changed", () => {
      replied += 1;
    });
    expect(timers).toEqual([]);
    await client.listTools();
    if (era === "auto") await client.listen({ toolsListChanged: true });
    const pass = async (): Promise<void> => {
      look();
      while (timers.length === 0) await new Promise((resolve) => setImmediate(resolve));
      await client.listResourceTemplates();
    };
    await pass();
    expect(replied).toBe(0);
    await expose(`new-${era}`, `name: new-${era}\nsteps:\n  - { id: a, command: A }\n`);
    await pass();
    await pass();
    expect(replied).toBe(1);
    await serving.close();
  });
});

describe("a server that is away", () => {
  it("is said to be away, tool by tool, and the connection stays", async () => {
    const { client, serving, troubles } = await converse("legacy", () => Promise.reject(new TypeError("fetch failed")));
    await expect(client.listTools()).rejects.toThrow("unreachable: the server is away");
    const replied = answerOf(await client.callTool({ name: "list_runs", arguments: {} }));
    expect(replied).toMatchObject({ isError: true, data: { code: "unreachable", message: "the server is away" } });
    expect(troubles).toEqual([]);
    await serving.close();
  });

  it("shows nothing of an unexpected error", async () => {
    const broken = (): Promise<never> => Promise.reject(new RangeError("secret 10.0.0.7"));
    const { client, serving, troubles } = await converse("legacy", broken);
    const replied = answerOf(await client.callTool({ name: "list_runs", arguments: {} }));
    expect(replied.data).toEqual({ code: "internal_error", message: "Something went wrong inside Sluice." });
    expect(troubles).toEqual(["the tool list_runs: RangeError: secret 10.0.0.7"]);
    await serving.close();
  });
});

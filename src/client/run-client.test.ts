import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readUIMessageStream, uiMessageChunkSchema, type UIMessageChunk } from "ai";
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { ADMIN, type Api, GATED, HELLO } from "../../test/api/fixture.ts";
import { serveApi } from "../../test/api/served.ts";
import { all } from "../../test/own/all.ts";
import type { Served } from "../server/index.ts";
import { ApiError, RESULT_TIMEOUT, RunError, SluiceClient, type UiChunk, type TypedWorkflow } from "./index.ts";

const ADDED = `name: added
args: { left: { type: number } }
steps: [{ id: talk, command: Talk, outputs: { sum: { type: number } } }]
outputs: { sum: { expr: talk.outputs.sum } }
`;
const BROKEN = "name: broken\nsteps: [{ id: fine, command: Be fine }, { id: bad, command: Break, on_failure: halt }]\n";
const WAITING = "name: waiting\nsteps: [{ id: pause, wait: { signal: paid } }]\n";
const SCRIPT = `default: echo
nodes:
  added/talk: { outputs: { sum: 3 } }
  broken/bad: { fail: provider_refused, message: "No." }
  broken/fine: { chunks: ["It is ", "fine."] }
`;

/** As a workflow in code will be: its types come with it. */
const added: TypedWorkflow<{ readonly left: number }, { readonly sum: number }> = { name: "added" };

let api: Api;
let server: Served;
let client: SluiceClient;
beforeAll(async () => {
  ({ api, server } = await serveApi(SCRIPT, [HELLO, GATED, ADDED, BROKEN, WAITING]));
  client = new SluiceClient({ url: server.url, key: ADMIN });
});
afterAll(async () => {
  await server.close(100);
  await api.close();
});

describe("a run of the client", () => {
  it("is started and waited for, with the types of its workflow", async () => {
    const outputs = await client.run(added, { left: 1 });
    expectTypeOf(outputs).toEqualTypeOf<{ readonly sum: number }>();
    expect(outputs).toEqual({ sum: 3 });
    const handle = await client.runs.start(added, { left: 1 });
    expect(await handle.result()).toEqual({ sum: 3 });
    expect(await client.runs.get<typeof added>(handle.id).result({ timeout: 60_000 })).toEqual({ sum: 3 });
    expect((await all(handle.events())).at(-1)?.type).toBe("run.completed");
    // @ts-expect-error -- the arg is a number
    await expect(client.run(added, { left: "one" })).rejects.toMatchObject({ code: "invalid_args", status: 422 });
    expect(await client.run("hello", { who: "Ada" })).toEqual(expect.any(Object));
  });

  it("that failed is an error with the node, its code and its message", async () => {
    const failed = { runId: expect.stringMatching(/^run_/), status: "failed", code: "run_failed" };
    const node = { id: "bad", code: expect.any(String), message: expect.stringContaining("No.") };
    await expect(client.run("broken")).rejects.toMatchObject({ name: "RunError", ...failed, node });
    const cancelled = await client.runs.start("waiting");
    await cancelled.cancel("enough");
    await expect(cancelled.result()).rejects.toMatchObject({ code: "run_cancelled", status: "cancelled", node: null });
    await expect(client.runs.start("nowhere")).rejects.toBeInstanceOf(ApiError);
  });

  it("that takes longer is left to itself, and continues by a signal", async () => {
    const handle = await client.runs.start("waiting");
    const late = await handle.result({ timeout: 1 }).catch((thrown: unknown) => thrown);
    expect(late).toBeInstanceOf(RunError);
    expect(late).toMatchObject({ code: RESULT_TIMEOUT, runId: handle.id });
    const reason = new Error("not wanted any more");
    await expect(handle.result({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const result = handle.result();
    await handle.signal("paid", { data: { by: "Ada" } });
    await expect(result).resolves.toEqual(expect.any(Object));
    expect((await handle.get()).status).toBe("completed");
  });

  it("is a UI message stream of the AI SDK", async () => {
    const { validate } = uiMessageChunkSchema();
    const streamed = await client.runs.start("broken");
    const chunks = await all(streamed.toReadableStream() as unknown as AsyncIterable<UiChunk>);
    for (const chunk of chunks) expect(await validate?.(chunk), JSON.stringify(chunk)).toMatchObject({ success: true });
    expect(chunks.at(0)).toEqual({ type: "start", messageId: streamed.id });
    expect(chunks.slice(-2)).toEqual([{ type: "error", errorText: `run ${streamed.id} failed` }, { type: "finish" }]);

    const whole = await client.runs.start(added, { left: 1 });
    const stream = whole.toReadableStream() as ReadableStream<UIMessageChunk>;
    const [message] = (await all(readUIMessageStream({ stream }))).slice(-1);
    expect(message).toMatchObject({ id: whole.id, role: "assistant" });
    expect(message?.parts).toContainEqual({ type: "data-outputs", id: whole.id, data: { sum: 3 } });
    expect(message?.parts).toContainEqual({
      type: "data-node",
      id: "talk",
      data: { nodeId: "talk", status: "completed" },
    });
  });

  it("gives out the text of a node while it is written", async () => {
    const { id } = await client.runs.start("broken");
    const chunks = await all(client.runs.get(id).toReadableStream() as unknown as AsyncIterable<UiChunk>);
    const texts = chunks.filter(({ type }) => type.startsWith("text-"));
    expect(texts.at(0)).toEqual({ type: "text-start", id: "fine-1" });
    expect(texts.at(-1)).toEqual({ type: "text-end", id: "fine-1" });
    const written = texts.flatMap((chunk) => (chunk.type === "text-delta" ? [chunk.delta] : []));
    expect(written.join("")).toBe("It is fine.");
  });
});

describe("a call that is safe to repeat", () => {
  /** A server that answers with each of these statuses once, then well; 0 breaks the connection. */
  async function flaky(statuses: readonly number[], work: (url: string) => Promise<unknown>) {
    const left = [...statuses];
    const keys: (string | undefined)[] = [];
    const shaky = createServer((request, response) => {
      keys.push(request.headers["idempotency-key"] as string | undefined);
      const status = left.shift();
      request.resume();
      if (status === 0) return void request.socket.destroy();
      const head = { "content-type": "application/json", "x-request-id": "r" };
      response.writeHead(status ?? 200, head).end(status === undefined ? JSON.stringify(RUN) : "{}");
    });
    await new Promise<void>((resolve) => shaky.listen(0, "127.0.0.1", resolve));
    try {
      const result = await work(`http://127.0.0.1:${(shaky.address() as AddressInfo).port}`).catch(
        (thrown: unknown) => thrown,
      );
      return { result, keys };
    } finally {
      shaky.closeAllConnections();
      shaky.close();
    }
  }

  const RUN = { id: "run_1", status: "completed", outputs: {}, workflow: "w", lastEventId: 1 };

  it.each([[[0]], [[503]], [[429, 0]]])("is made again after %j", async (statuses) => {
    const { result, keys } = await flaky(statuses, (url) => new SluiceClient({ url }).getRun("run_1"));
    expect(result).toEqual(RUN);
    expect(keys).toHaveLength(statuses.length + 1);
  });

  it("is a start, under the same key each time", async () => {
    const { result, keys } = await flaky([0, 502], (url) => new SluiceClient({ url }).runs.start("w"));
    expect(result).toMatchObject({ id: "run_1" });
    expect(keys).toHaveLength(3);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(keys).size).toBe(1);
  });

  it("is not made again when that cannot help, too often, or without a key", async () => {
    const ask = (retries?: number) => (url: string) =>
      new SluiceClient({ url, ...(retries === undefined ? {} : { retries }) }).getRun("run_1");
    expect((await flaky([500], ask())).keys).toHaveLength(1);
    expect((await flaky([404], ask())).keys).toHaveLength(1);
    expect((await flaky([503, 503, 503], ask())).keys).toHaveLength(3);
    expect((await flaky([503], ask(0))).keys).toHaveLength(1);
    const { keys, result } = await flaky([503], (url) => new SluiceClient({ url }).cancelRun("run_1"));
    expect(keys).toHaveLength(1);
    expect(result).toMatchObject({ status: 503 });
  });
});

import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as fc from "fast-check";
import { ADMIN, type Api, GATED, HELLO } from "../../test/api/fixture.ts";
import { serveApi } from "../../test/api/served.ts";
import { all } from "../../test/own/all.ts";
import type { Served } from "../server/index.ts";
import { ApiError, createView, eventOfFrame, reduceRun, SluiceClient } from "./index.ts";

const CHATTY = `name: chatty
steps:
  - { id: talk, command: Talk }
  - { id: sum, command: Sum up, depends_on: [talk] }
`;
const SCRIPT = `default: echo
nodes:
  chatty/talk: [{ chunks: [${Array.from({ length: 60 }, (_, index) => `"piece ${index} "`).join(", ")}], chunk_ms: 1 }]
`;

let api: Api;
let server: Served;
let client: SluiceClient;
beforeAll(async () => {
  ({ api, server } = await serveApi(SCRIPT, [HELLO, GATED, CHATTY]));
  client = new SluiceClient({ url: `${server.url}/`, key: ADMIN });
});
afterAll(async () => {
  await server.close(100);
  await api.close();
  expect(api.troubles).toEqual([]);
});

describe("the client", () => {
  it("registers, applies, and opens and closes the platform", async () => {
    const saved = await client.putRegistered("models", "openai:gpt/5", {
      input_usd_per_mtok: 1,
      output_usd_per_mtok: 2,
    });
    expect(await client.getRegistered("models", "openai:gpt/5")).toEqual(saved);
    expect((await client.listRegistered("models", { limit: 1 })).data).toEqual([saved]);
    await client.deleteRegistered("models", "openai:gpt/5");
    await expect(client.getRegistered("models", "openai:gpt/5")).rejects.toMatchObject({ code: "unknown_model" });
    const manifests = [{ kind: "Agent", name: "analyst", spec: { trust_level: 3 } }];
    expect((await client.apply(manifests, { dryRun: true })).applied).toMatchObject([{ action: "created" }]);
    expect((await client.apply(manifests)).applied).toMatchObject([{ action: "created" }]);
    expect((await client.apply(manifests)).applied).toEqual([{ kind: "Agent", name: "analyst", action: "unchanged" }]);
    expect(await client.setPlatform({ open: false, reason: "drill" })).toEqual({ open: false, reason: "drill" });
    expect(await client.setPlatform({ open: true })).toEqual(await client.getPlatform());
  });

  it("goes through the life of a workflow", async () => {
    expect((await client.validate(HELLO)).ok).toBe(true);
    const { version } = await client.saveWorkflow("hello", HELLO);
    expect((await client.getVersion("hello", version)).source).toBe(HELLO);
    expect((await client.setWorkflowStatus("hello", "active")).status).toBe("active");
    expect((await client.listWorkflows({ limit: 100 })).data.map(({ name }) => name)).toContain("hello");
    const run = await client.startRun({ workflow: "hello", args: { who: "Ada" } }, { idempotencyKey: "client" });
    expect((await client.startRun({ workflow: "hello", args: { who: "Ada" } }, { idempotencyKey: "client" })).id).toBe(
      run.id,
    );
    const frames = await all(client.watchRun(run.id));
    expect(frames).toEqual((await client.listEvents(run.id, { limit: 1_000 })).data);
    const events = frames.flatMap((frame) => eventOfFrame(frame) ?? []);
    expect(reduceRun(events)).toMatchObject({ status: "completed", lastEventId: frames.length });
    expect(createView().lastEventId).toBe(0);
    expect((await client.getState(run.id)).executedCount).toBe(2);
    expect((await client.getStateAt(run.id, 1)).lastEventId).toBe(1);
    const [checkpoint] = (await client.listCheckpoints(run.id)).data;
    expect((await client.getCheckpoint(run.id, checkpoint?.eventId ?? 0)).nodeId).toBe("greet");
    expect((await client.getNode(run.id, "greet")).attempts).toHaveLength(1);
    const branched = await client.branchRun(run.id, checkpoint?.eventId ?? 0, { who: "Bea" });
    expect((await client.getRun(branched.id)).sourceRunId).toBe(run.id);
    expect((await client.rewindRun(run.id, checkpoint?.eventId ?? 0)).epoch).toBe(1);
    await api.settle(run.id);
    expect((await client.restartRun(run.id, "thank")).trigger).toBe("restart");
    expect((await client.listRuns({ workflow: "hello" })).data.length).toBeGreaterThan(2);
  });

  it("answers approvals and keeps keys", async () => {
    const id = await api.run("gated");
    const { data } = await client.listApprovals({ status: "pending" });
    const approval = data.find(({ runId }) => runId === id);
    const { digest } = await client.getApproval(approval?.id ?? "");
    expect((await client.resolveApproval(approval?.id ?? "", { decision: "approve", digest })).status).toBe("approved");
    await api.settle(id);
    const key = await client.createKey({ label: "one", role: "viewer" });
    expect((await client.listKeys({ limit: 100 })).data.map((one) => one.id)).toContain(key.id);
    await client.revokeKey(key.id);
    await expect(new SluiceClient({ url: server.url, key: key.key }).listRuns()).rejects.toMatchObject({ status: 401 });
  });

  it("throws what is refused as data", async () => {
    const failure = await client.startRun({ workflow: "hello", args: {} }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({ status: 422, code: "invalid_args", problems: [{ code: "missing_field" }] });
    const id = await api.run("gated");
    await client.cancelRun(id, "enough");
    await expect(client.cancelRun(id)).rejects.toMatchObject({ code: "run_finished" });
    await expect(client.recoverRun(id)).rejects.toMatchObject({ code: "not_recoverable" });
    await expect(client.resolveNode(id, "draft", { values: {} })).rejects.toMatchObject({ code: "not_blocked" });
    await expect(client.getBlob("sha256:0")).rejects.toMatchObject({ status: 404 });
    await expect(client.watchRun("run_none").next()).rejects.toMatchObject({ code: "unknown_run" });
    await expect(client.getWorkflow("a/b?c")).rejects.toMatchObject({ status: 404 });
  });

  it("reads what a proxy says in its own words", async () => {
    const proxy = new SluiceClient({
      url: server.url,
      fetch: async () => new Response("<h1>Bad gateway</h1>", { status: 502 }),
    });
    await expect(proxy.getRun("x")).rejects.toMatchObject({ status: 502, code: "unknown_error" });
  });

  it("stops watching on its signal", async () => {
    const id = await api.run("gated");
    const controller = new AbortController();
    const seen: number[] = [];
    for await (const { eventId } of client.watchRun(id, { signal: controller.signal })) {
      seen.push(eventId);
      if (eventId === 3) controller.abort();
    }
    expect(seen.slice(0, 3)).toEqual([1, 2, 3]);
    for await (const { eventId } of client.watchRun(id, { afterEventId: 3 })) {
      expect(eventId).toBe(4);
      break;
    }
    while (api.app.streams().open > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  it("fetches again what is missing in between, and drops what it has seen", async () => {
    const id = await api.run("hello", { who: "Ada" });
    let connections = 0;
    const lossy: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (response.status !== 200) return response;
      connections += 1;
      const text = await response.text();
      if (connections > 1) return new Response(text.replace(/(id: 6\n(?:.+\n)+\n)/, "$1$1"));
      return new Response(text.replace(/id: 5\n(?:.+\n)+\n/, ""));
    };
    const frames = await all(new SluiceClient({ url: server.url, key: ADMIN, fetch: lossy }).watchRun(id));
    expect(frames.map(({ eventId }) => eventId)).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
    expect(connections).toBe(2);
  });
});

describe("over a bad line", () => {
  /** Passes bytes on, and resets each connection after as many as the list says; then it behaves. */
  function badLine(port: number, budgets: number[]): Promise<{ readonly port: number; readonly cut: () => void }> {
    const sockets = new Set<Socket>();
    const line = createServer((near: Socket) => {
      const far = connect(port, "127.0.0.1");
      sockets.add(near);
      let budget = budgets.shift() ?? Number.POSITIVE_INFINITY;
      const drop = (): void => {
        near.resetAndDestroy();
        far.destroy();
      };
      near
        .on("error", drop)
        .on("close", drop)
        .on("data", (piece) => far.write(piece));
      far.on("error", drop).on("close", drop);
      far.on("data", (piece) => {
        near.write(piece.subarray(0, budget));
        budget -= piece.length;
        if (budget <= 0) drop();
      });
    });
    return new Promise((resolve) => {
      line.listen(0, "127.0.0.1", () =>
        resolve({ port: (line.address() as AddressInfo).port, cut: () => cutAll(line, sockets) }),
      );
    });
  }

  function cutAll(line: Server, sockets: ReadonlySet<Socket>): void {
    line.close();
    for (const socket of sockets) socket.destroy();
  }

  it("sees the log exactly once, live, wherever connections break", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 12_000 }), { minLength: 1, maxLength: 6 }),
        async (budgets) => {
          const { port, cut } = await badLine(server.port, [...budgets]);
          const watcher = new SluiceClient({ url: `http://127.0.0.1:${port}`, key: ADMIN });
          const { id } = await client.startRun({ workflow: "chatty" });
          const frames = await all(watcher.watchRun(id, { retryMs: 1 }));
          expect(frames).toEqual((await client.listEvents(id, { limit: 1_000 })).data);
          expect(frames.at(-1)?.type).toBe("run.completed");
          cut();
        },
      ),
      { numRuns: 12 },
    );
  });
});

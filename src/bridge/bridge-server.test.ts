import { mkdtempSync, rmSync } from "node:fs";
import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  ADAPTER_SPECIFICATION,
  type Adapter,
  type AdapterHooks,
  type AdapterRequest,
  type AdapterResult,
} from "../adapter/index.ts";
import { createSystemClock } from "../clock/index.ts";
import { createRedactor } from "../core/redaction/index.ts";
import { BODY_DEPTH_MAX } from "./bridge-body.ts";
import { type BridgeOptions, type RunningBridge, startBridge } from "./bridge-server.ts";
import { type CallbackBody, DISPATCH_BATCH_BYTES_MAX, DISPATCH_BYTES_MAX, type StreamBody } from "./wire.ts";

const TOKEN = "join-token-of-the-test";

interface Received {
  readonly method: string;
  readonly path: string;
  readonly token: string | undefined;
  readonly body: unknown;
}

/** A server that writes down what it is sent. */
class Recorder {
  readonly received: Received[] = [];
  status = 200;
  answer: (received: Received) => unknown = () => ({ received: true });
  readonly #server: Server;
  #watchers: (() => void)[] = [];

  constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const token = request.headers["x-gateway-token"] ?? request.headers.authorization;
        const text = Buffer.concat(chunks).toString("utf8");
        const received: Received = {
          method: request.method ?? "",
          path: request.url ?? "",
          token: Array.isArray(token) ? token[0] : token,
          body: text === "" ? null : (JSON.parse(text) as unknown),
        };
        this.received.push(received);
        response.writeHead(this.status, { "content-type": "application/json" });
        const results = callbacksIn(received).map(() => ({ status: this.status, body: { received: true } }));
        response.end(JSON.stringify(received.path.endsWith("/batch") ? { results } : this.answer(received)));
        for (const watcher of this.#watchers) watcher();
      });
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  callbacks(): CallbackBody[] {
    return this.received.flatMap(callbacksIn);
  }

  until(isEnough: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (isEnough()) resolve();
      };
      this.#watchers.push(look);
      look();
    });
  }
}

function callbacksIn({ path, body }: Received): CallbackBody[] {
  if (path.endsWith("/step-complete/batch")) return (body as { callbacks: CallbackBody[] }).callbacks;
  return path.endsWith("/step-complete") ? [body as CallbackBody] : [];
}

let directory: string;
let recorder: Recorder;
let server: string;
let bridge: RunningBridge;
let calls: AdapterRequest[];
let execute: (request: AdapterRequest, hooks: AdapterHooks) => Promise<AdapterResult>;

const adapter: Adapter = {
  specificationVersion: ADAPTER_SPECIFICATION,
  provider: "test",
  initialize: () => Promise.resolve(),
  shutdown: () => Promise.resolve(),
  checkHealth: () => Promise.resolve({ status: "healthy" }),
  capabilities: () => ({ streaming: true, structuredOutput: false, tools: false, deferred: true }),
  execute: (request, hooks) => {
    calls.push(request);
    return execute(request, hooks);
  },
  cancel: () => Promise.resolve(),
};

const start = (changes: Partial<BridgeOptions> = {}): Promise<RunningBridge> =>
  startBridge({
    adapters: [adapter],
    clock: createSystemClock(),
    host: "127.0.0.1",
    port: 0,
    dataDirectory: directory,
    joinToken: TOKEN,
    instanceId: "instance-1",
    random: () => 0.5,
    ...changes,
  });

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "sluice-bridge-"));
  recorder = new Recorder();
  server = await recorder.listen();
  calls = [];
  execute = () => Promise.resolve({ status: "completed", stdout: "hello" });
  bridge = await start();
});
afterEach(async () => {
  await bridge.close(0);
  await recorder.close();
  rmSync(directory, { recursive: true, force: true });
});

const dispatch = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  dispatchId: "run_1/a/1",
  runId: "run_1",
  stepId: "a",
  attempt: 1,
  idempotencyKey: "k",
  provider: "test",
  agentId: "default",
  message: "",
  inputs: {},
  outputStrategy: "text",
  timeoutMs: 60_000,
  context: { runId: "run_1", workflow: "w", phase: null, upstreamDigest: null },
  callbackUrl: `${server}/api/workflow/step-complete`,
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  effects: "at_least_once",
  ...changes,
});

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  token: string | null = TOKEN,
): Promise<Answer> {
  const response = await fetch(`${bridge.url}${path}`, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: text === "" ? {} : (JSON.parse(text) as Record<string, unknown>),
    headers: response.headers,
  };
}

const post = (path: string, body: unknown): Promise<Answer> => ask("POST", path, body);
const never = (): Promise<AdapterResult> => new Promise(() => undefined);

describe("dispatch", () => {
  it.each(["/api/v2/dispatch", "/api/workflow/dispatch"])(
    "%s is acknowledged at once and reported by callback",
    async (path) => {
      const { status, body } = await post(path, dispatch());
      expect([status, body]).toEqual([202, { accepted: true, dispatchId: "run_1/a/1" }]);
      await recorder.until(() => recorder.callbacks().length === 1);
      expect(recorder.received[0]).toMatchObject({ path: "/api/workflow/step-complete", token: TOKEN });
      expect(recorder.callbacks()[0]).toMatchObject({ dispatchId: "run_1/a/1", status: "completed", stdout: "hello" });
    },
  );

  it("runs once in a storm of duplicates", async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => post("/api/v2/dispatch", dispatch())));
    expect(answers.every(({ status }) => status === 202)).toBe(true);
    expect(answers.filter(({ body }) => body["duplicate"] === true)).toHaveLength(49);
    await recorder.until(() => recorder.callbacks().length === 1);
    expect(await post("/api/v2/dispatch", dispatch())).toMatchObject({ status: 202, body: { duplicate: true } });
    expect(calls).toHaveLength(1);
    expect(recorder.callbacks()).toHaveLength(1);
  });

  it("answers each of a batch on its own, in order", async () => {
    const { status, body } = await post("/api/v2/dispatch/batch", {
      dispatches: [
        dispatch({ dispatchId: "a" }),
        dispatch({ dispatchId: "b", provider: "missing" }),
        dispatch({ dispatchId: "a" }),
        { dispatchId: 5 },
        "nonsense",
        dispatch({ dispatchId: "c" }),
      ],
    });
    expect(status).toBe(200);
    const results = body["results"] as { status: number; body: Record<string, unknown> }[];
    expect(results.map((one) => one.status)).toEqual([202, 422, 202, 422, 422, 202]);
    expect(results[1]?.body["code"]).toBe("unknown_provider");
    expect(results[2]?.body).toEqual({ accepted: true, dispatchId: "a", duplicate: true });
    await recorder.until(() => recorder.callbacks().length === 2);
    expect(calls.map(({ dispatchId }) => dispatchId)).toEqual(["a", "c"]);
  });

  it.each([
    [0, 422],
    [63, 200],
    [64, 200],
    [65, 422],
  ])("takes batches of 1 to 64: %i → %i", async (count, status) => {
    const dispatches = Array.from({ length: count }, (_, index) => dispatch({ dispatchId: `d${index}` }));
    expect((await post("/api/v2/dispatch/batch", { dispatches })).status).toBe(status);
  });

  it("gives the result at once when asked to, also of one that is known", async () => {
    let finish: (result: AdapterResult) => void = () => undefined;
    let begun: () => void = () => undefined;
    const isBegun = new Promise<void>((resolve) => (begun = resolve));
    execute = () => {
      begun();
      return new Promise((resolve) => (finish = resolve));
    };
    const { callbackUrl: _callbackUrl, ...bare } = dispatch();
    const waiting = [post("/api/v2/dispatch/sync", bare), post("/api/v2/dispatch/sync", bare)];
    await isBegun;
    finish({ status: "completed", stdout: "done", costUsd: 0.5 });
    for (const answer of [...(await Promise.all(waiting)), await post("/api/v2/dispatch/sync", bare)]) {
      expect(answer).toMatchObject({
        status: 200,
        body: { status: "completed", stdout: "done", executionPath: "sync" },
      });
    }
    expect([calls.length, recorder.received.length]).toEqual([1, 0]);
  });

  it("sends a callback to a caller that waited for the result and went away", async () => {
    let finish: (result: AdapterResult) => void = () => undefined;
    const begun = new Promise<AbortController>((resolve) => {
      const caller = new AbortController();
      execute = () => {
        resolve(caller);
        return new Promise((end) => (finish = end));
      };
      fetch(`${bridge.url}/api/v2/dispatch/sync`, {
        method: "POST",
        signal: caller.signal,
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
        body: JSON.stringify(dispatch()),
      }).catch(() => undefined);
    });
    (await begun).abort();
    // The Bridge answers in order, so that it has seen the hanging up.
    for (let tries = 0; tries < 20; tries += 1) await ask("GET", "/healthz");
    finish({ status: "completed", stdout: "done" });
    await recorder.until(() => recorder.callbacks().length === 1);
    expect(recorder.callbacks()[0]).toMatchObject({ status: "completed", executionPath: "sync" });
  });

  it("streams in order, the last piece before the callback", async () => {
    execute = (_, { onPartial }) => {
      for (const text of ["one ", "two ", "three"]) onPartial({ text });
      return Promise.resolve({ status: "completed", stdout: "one two three" });
    };
    await post("/api/v2/dispatch", dispatch());
    await recorder.until(() => recorder.callbacks().length === 1);
    const paths = recorder.received.map(({ path }) => path);
    expect(paths.at(-1)).toBe("/api/workflow/step-complete");
    expect(new Set(paths.slice(0, -1))).toEqual(new Set(["/api/workflow/step-stream"]));
    const deltas = recorder.received.slice(0, -1).flatMap(({ body }) => (body as StreamBody).deltas);
    expect(deltas.map((delta) => ("text" in delta ? delta.text : "")).join("")).toBe("one two three");
    expect(deltas.map(({ index }) => index)).toEqual(deltas.map((_, index) => index));
  });

  it("reports timed_out by itself", async () => {
    execute = (_, { signal }) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => resolve({ status: "completed", stdout: "late", costUsd: 1 })),
      );
    await post("/api/v2/dispatch", dispatch({ timeoutMs: 20 }));
    await recorder.until(() => recorder.callbacks().length === 1);
    expect(recorder.callbacks()[0]).toMatchObject({ status: "timed_out", errorCode: "timeout", costUsd: 1 });
  });

  it("reports to the server that an answer follows", async () => {
    execute = () => Promise.resolve({ status: "deferred" });
    await post("/api/v2/dispatch", dispatch());
    await recorder.until(() => recorder.callbacks().length === 1);
    expect(recorder.callbacks()[0]).toMatchObject({ status: "deferred" });
  });

  it("takes no more than it may, but knows what it has", async () => {
    await bridge.close(0);
    bridge = await start({ openMax: 2 });
    execute = never;
    const answers: Answer[] = [];
    for (const dispatchId of ["a", "b", "c", "a"])
      answers.push(await post("/api/v2/dispatch", dispatch({ dispatchId })));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 429, 202]);
    expect(answers[2]?.headers.get("retry-after")).toBe("1");
  });

  it("reports only where it may", async () => {
    await bridge.close(0);
    bridge = await start({ callbackOrigins: [server] });
    expect((await post("/api/v2/dispatch", dispatch({ callbackUrl: "http://evil.test/" }))).status).toBe(422);
    expect((await post("/api/v2/dispatch", dispatch({ streamUrl: "http://evil.test/" }))).status).toBe(422);
    expect((await post("/api/v2/dispatch", dispatch())).status).toBe(202);
  });
});

describe("asking about a dispatch", () => {
  const PATH = `/api/v2/executions/${encodeURIComponent("run_1/a/1")}`;

  it("answers running, then ended with the result, also after a restart", async () => {
    let finish: (result: AdapterResult) => void = () => undefined;
    execute = () => new Promise((resolve) => (finish = resolve));
    await post("/api/v2/dispatch", dispatch());
    expect(await ask("GET", PATH)).toMatchObject({ status: 200, body: { dispatchId: "run_1/a/1", state: "running" } });
    finish({ status: "completed", stdout: "hello" });
    await recorder.until(() => recorder.callbacks().length === 1);
    const ended = await ask("GET", PATH);
    expect(ended.body).toMatchObject({ state: "ended", result: { status: "completed", stdout: "hello" } });
    expect((await ask("GET", "/api/v2/executions/run_1/a/1")).body).toEqual(ended.body);
    await bridge.close(0);
    bridge = await start();
    expect((await ask("GET", PATH)).body).toEqual(ended.body);
    expect((await post("/api/v2/dispatch", dispatch())).body).toMatchObject({ duplicate: true });
    expect(calls).toHaveLength(1);
  });

  it("cancels what runs", async () => {
    execute = (_, { signal }) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => resolve({ status: "failed", failure: "cancelled", message: "stopped" })),
      );
    await post("/api/v2/dispatch", dispatch());
    expect(await ask("POST", `${PATH}/cancel`)).toMatchObject({ status: 202, body: { accepted: true } });
    await recorder.until(() => recorder.callbacks().length === 1);
    expect(recorder.callbacks()[0]).toMatchObject({ status: "cancelled" });
    expect((await ask("POST", `${PATH}/cancel`, { reason: "again" })).status).toBe(202);
  });

  it.each([
    ["GET", "/api/v2/executions/unknown", 404],
    ["POST", "/api/v2/executions/unknown/cancel", 404],
    ["GET", "/api/v2/executions/%E0%A4%A", 404],
    ["GET", "/api/v2/executions/", 404],
    ["GET", "/api/v2/executions/unknown/cancel", 405],
    ["DELETE", "/api/v2/executions/unknown", 405],
  ])("%s %s → %i", async (method, path, status) => {
    expect((await ask(method, path)).status).toBe(status);
  });

  it("answers lost for what began at most once before a kill, and never begins it again", async () => {
    execute = never;
    await post("/api/v2/dispatch", dispatch({ effects: "at_most_once" }));
    await bridge.close(0);
    execute = () => Promise.resolve({ status: "completed" });
    bridge = await start();
    expect((await ask("GET", PATH)).body).toMatchObject({ state: "lost" });
    expect(await post("/api/v2/dispatch", dispatch({ effects: "at_most_once" }))).toMatchObject({
      status: 202,
      body: { accepted: true, duplicate: true },
    });
    await recorder.until(() => recorder.callbacks().length === 1);
    expect(recorder.callbacks()[0]).toMatchObject({ status: "failed", errorCode: "outcome_unknown" });
    expect(calls).toHaveLength(1);
    const sync = await post("/api/v2/dispatch/sync", dispatch({ effects: "at_most_once" }));
    expect(sync).toMatchObject({ status: 200, body: { errorCode: "outcome_unknown" } });
  });
});

describe("what is refused", () => {
  it("needs the token before anything else", async () => {
    const routes = [
      "/api/v2/dispatch",
      "/api/v2/dispatch/sync",
      "/api/v2/dispatch/batch",
      "/api/v2/executions/x/cancel",
    ];
    for (const path of routes) {
      for (const token of [null, "wrong", `${TOKEN}x`]) {
        const answer = await ask("POST", path, "{ not json", {}, token);
        expect([answer.status, answer.body["code"]]).toEqual([401, "unauthenticated"]);
        expect(answer.headers.get("content-type")).toContain("application/problem+json");
      }
    }
    expect((await ask("GET", "/health", undefined, {}, null)).status).toBe(401);
    expect((await ask("GET", "/nowhere", undefined, {}, null)).status).toBe(401);
    expect((await ask("GET", "/health", undefined, { authorization: `Basic ${TOKEN}` }, null)).status).toBe(401);
    expect(calls).toEqual([]);
  });

  it("answers a stranger without reading what it sends", async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const request = httpRequest(`${bridge.url}/api/v2/dispatch`, {
        method: "POST",
        headers: { "content-length": "1000", "content-type": "application/json" },
      });
      request.on("response", (response) => {
        resolve(response.statusCode);
        request.destroy();
      });
      request.on("error", reject);
      request.write("{");
    });
    expect(status).toBe(401);
  });

  it("takes nothing from a browser", async () => {
    const answer = await ask("POST", "/api/v2/dispatch", dispatch(), { origin: bridge.url });
    expect([answer.status, answer.body["code"]]).toEqual([403, "bad_origin"]);
  });

  it.each([
    ["text/plain", "{}", 415],
    ["application/json; charset=latin1", "{}", 415],
    ["application/json", "", 400],
    ["application/json", "{", 400],
    ["application/json", "\u0000", 400],
    ["application/json; charset=UTF-8", "{}", 422],
    ["application/json", "[]", 422],
    ["application/json", "null", 422],
    ["application/json", '{"__proto__": {}}', 400],
  ])("%s %j → %i", async (type, text, status) => {
    for (const path of ["/api/v2/dispatch", "/api/v2/dispatch/sync", "/api/v2/dispatch/batch"]) {
      expect((await ask("POST", path, text, { "content-type": type })).status).toBe(status);
    }
  });

  it("reads nothing compressed", async () => {
    expect((await ask("POST", "/api/v2/dispatch", "{}", { "content-encoding": "gzip" })).status).toBe(415);
  });

  it.each([
    [BODY_DEPTH_MAX - 1, 202],
    [BODY_DEPTH_MAX, 202],
    [BODY_DEPTH_MAX + 1, 400],
    [100_000, 400],
  ])("nesting of %i → %i", async (depth, status) => {
    const inner = depth - 2;
    const text = JSON.stringify(dispatch({ inputs: { deep: "HERE" } })).replace(
      '"HERE"',
      "[".repeat(inner) + "]".repeat(inner),
    );
    expect((await ask("POST", "/api/v2/dispatch", text)).status).toBe(status);
  });

  it.each([
    ["/api/v2/dispatch", DISPATCH_BYTES_MAX],
    ["/api/v2/dispatch/sync", DISPATCH_BYTES_MAX],
    ["/api/v2/dispatch/batch", DISPATCH_BATCH_BYTES_MAX],
  ])("%s takes up to %i bytes", async (path, bytesMax) => {
    expect((await ask("POST", path, " ".repeat(bytesMax))).status).toBe(400);
    expect((await ask("POST", path, " ".repeat(bytesMax + 1))).status).toBe(413);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ["an unknown provider", { provider: "missing" }, "provider"],
    ["no callback URL", { callbackUrl: undefined }, "callbackUrl"],
    ["a callback URL that is none", { callbackUrl: "nowhere" }, "callbackUrl"],
    ["a callback URL of another kind", { callbackUrl: "file:///etc/passwd" }, "callbackUrl"],
    ["a password in the URL", { callbackUrl: "http://a:b@h.test/" }, "callbackUrl"],
    ["a bad strategy", { outputStrategy: "poem" }, "outputStrategy"],
    ["no time", { timeoutMs: 0 }, "timeoutMs"],
    ["a name too long", { dispatchId: "x".repeat(401) }, "dispatchId"],
    ["a wrong context", { context: { runId: 5, workflow: "w", phase: null, upstreamDigest: null } }, "context.runId"],
  ])("reports where it is wrong: %s", async (_, changes, path) => {
    const { status, body } = await post("/api/v2/dispatch", dispatch(changes));
    expect(status).toBe(422);
    expect((body["problems"] as { path: string }[]).map((problem) => problem.path)).toContain(path);
    expect(calls).toEqual([]);
  });

  it("names the adapters there are", async () => {
    const { body } = await post("/api/v2/dispatch", dispatch({ provider: "missing" }));
    expect(body).toMatchObject({ code: "unknown_provider", detail: expect.stringContaining("test") });
  });

  it.each([
    ["GET", "/api/v2/dispatch"],
    ["HEAD", "/api/v2/dispatch"],
    ["PUT", "/api/v2/dispatch/sync"],
    ["DELETE", "/api/v2/dispatch/batch"],
    ["HEAD", "/health"],
    ["POST", "/health"],
    ["OPTIONS", "/api/workflow/dispatch"],
  ])("%s %s → 405", async (method, path) => {
    const { status, headers } = await ask(method, path);
    expect(status).toBe(405);
    expect(headers.get("allow")).toMatch(/^(GET|POST)$/);
  });
});

describe("health", () => {
  it("reports the health of each adapter, without secrets", async () => {
    await bridge.close(0);
    const sick: Adapter = {
      ...adapter,
      provider: "sick",
      checkHealth: () => Promise.reject(new Error("no s3cr3t-42")),
    };
    bridge = await start({ adapters: [adapter, sick], redactor: createRedactor([{ name: "K", value: "s3cr3t-42" }]) });
    const { status, body } = await ask("GET", "/health");
    expect(status).toBe(200);
    expect(body).toEqual({
      status: "degraded",
      instanceId: "instance-1",
      adapters: {
        test: { status: "healthy", capabilities: adapter.capabilities() },
        sick: { status: "offline", message: "no [redacted:K]", capabilities: adapter.capabilities() },
      },
    });
    expect(await ask("GET", "/healthz", undefined, {}, null)).toMatchObject({ status: 200, body: { status: "ok" } });
  });
});

describe("a life of a Bridge", () => {
  it("delivers after a restart what the server did not take", async () => {
    recorder.status = 503;
    await post("/api/v2/dispatch", dispatch());
    await recorder.until(() => recorder.callbacks().length >= 2);
    await bridge.close(0);
    recorder.status = 200;
    const before = recorder.callbacks().length;
    bridge = await start();
    await recorder.until(() => recorder.callbacks().length > before);
    expect(calls).toHaveLength(1);
  });

  it("takes nothing new while it stops, and waits for what runs", async () => {
    let finish: (result: AdapterResult) => void = () => undefined;
    execute = () => new Promise((resolve) => (finish = resolve));
    await post("/api/v2/dispatch", dispatch());
    const closed = bridge.close(60_000);
    expect((await post("/api/v2/dispatch", dispatch({ dispatchId: "new" }))).status).toBe(503);
    expect((await post("/api/v2/dispatch", dispatch())).body).toMatchObject({ duplicate: true });
    finish({ status: "completed" });
    await closed;
    expect(recorder.callbacks()).toHaveLength(1);
  });

  it("registers, uses the tokens it is given, and signs off", async () => {
    await bridge.close(0);
    recorder.answer = ({ path }) =>
      path === "/api/v1/gateways/register"
        ? { gatewayId: "edge", tokens: { dispatchToken: "dispatch-token", callbackToken: "callback-token" } }
        : { received: true };
    bridge = await start({ register: { server, id: "edge", environment: "test", publicUrl: "http://edge.test" } });
    await recorder.until(() => recorder.received.length === 1);
    expect(recorder.received[0]).toMatchObject({
      method: "POST",
      token: `Bearer ${TOKEN}`,
      body: { id: "edge", instanceId: "instance-1", url: "http://edge.test", providers: ["test"], environment: "test" },
    });
    await expect.poll(() => bridge.isRegistered()).toBe(true);
    expect((await ask("POST", "/api/v2/dispatch", dispatch())).status).toBe(401);
    expect((await ask("POST", "/api/v2/dispatch", dispatch(), {}, "dispatch-token")).status).toBe(202);
    await recorder.until(() => recorder.callbacks().length === 1);
    expect(recorder.received.at(-1)?.token).toBe("callback-token");
    await bridge.close(0);
    expect(recorder.received.at(-1)).toMatchObject({
      method: "DELETE",
      path: "/api/v1/gateways/edge?instance=instance-1",
    });
  });
});

/** A Bridge, a server and a client that know nothing of this project but the first description of its wire. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN, type Api, createApi } from "../../test/api/fixture.ts";
import { createScriptedAdapter, EMPTY_SCRIPT } from "../adapters/index.ts";
import { startBridge } from "../bridge/index.ts";
import { createSystemClock } from "../clock/index.ts";
import { serve, type Served } from "./serve.ts";

interface Sent {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
}

type Handle = (sent: Sent, response: ServerResponse) => unknown;

const closing: (() => unknown)[] = [];

async function listen(handle: Handle): Promise<string> {
  const server: Server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
      handle({ path: request.url ?? "", headers: request.headers, body }, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const DISPATCH_TOKEN = "the-token-of-the-gateway";
const CALLBACK_TOKEN = "the-token-of-its-callbacks";
const EVERYTHING = { providers: ["*"], default: true, dispatch_token: DISPATCH_TOKEN, callback_token: CALLBACK_TOKEN };

/** Acknowledges at once, does the work, and reports; has one route, and no other. */
async function openBridge(route: string, work: (body: Sent["body"]) => object, ids: (body: Sent["body"]) => object) {
  const replies: [number, unknown][] = [];
  const taken: Sent["body"][] = [];
  const report = async (body: Sent["body"]): Promise<void> => {
    const result = JSON.stringify({ ...ids(body), ...work(body) });
    for (let times = 0; times < 2; times += 1) {
      const reply = await fetch(String(body["callbackUrl"]), {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Gateway-Token": CALLBACK_TOKEN },
        body: result,
      });
      replies.push([reply.status, await reply.json()]);
    }
  };
  const url = await listen(({ path, headers, body }, response) => {
    if (path !== route) return response.writeHead(404).end("Cannot POST");
    if (headers.authorization !== `Bearer ${DISPATCH_TOKEN}`) return response.writeHead(401).end();
    taken.push(body);
    response.writeHead(202).end();
    return void report(body);
  });
  return { url, replies, taken };
}

const telemetry = {
  model: "some-model",
  inputTokens: 90,
  outputTokens: 10,
  thinkingTokens: 0,
  totalTokens: 100,
  cost: 0.25,
  sessionId: "session-1",
  executionPath: "bridge",
  messages: [{ role: "assistant", content: "done" }],
};

let api: Api;
let served: Served;

beforeAll(async () => {
  api = await createApi({}, undefined, { isRemote: true, publicUrl: () => served.url });
  served = await serve({ app: api.app, port: 0, host: "127.0.0.1" });
});
afterAll(async () => {
  for (const close of closing) await close();
  await served.close(0);
  await api.close();
});

const ask = async (
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: Record<string, never> }> => {
  const reply = await fetch(`${served.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: reply.status, body: (await reply.json()) as Record<string, never> };
};

interface Frame {
  readonly eventId: number;
  readonly type: string;
  readonly runId: string;
  readonly payload: Record<string, unknown>;
}

/** Follows a run as a browser's EventSource does: to its end, or for so many frames. */
async function follow(runId: string, cursor: Readonly<Record<string, string>>, framesMax = Infinity): Promise<Frame[]> {
  const query = cursor["query"] ?? "";
  const headers = {
    authorization: `Bearer ${ADMIN}`,
    ...(cursor["last"] === undefined ? {} : { "Last-Event-ID": cursor["last"] }),
  };
  const reply = await fetch(`${served.url}/execute/workflows/${runId}/events${query}`, {
    headers,
  });
  expect(reply.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  const frames: Frame[] = [];
  let text = "";
  for await (const piece of reply.body ?? []) {
    text += Buffer.from(piece).toString("utf8");
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
      text = text.slice(end + 2);
      if (data === undefined) continue;
      frames.push(JSON.parse(data) as Frame);
      if (frames.length >= framesMax) return frames;
    }
  }
  return frames;
}

const FAN_OUT = (name: string): string => `name: ${name}
steps:
  - { id: a, command: "Look at \${x}", timeout: 60 }
  - { id: b, command: Look there }
  - { id: c, command: "Sum up \${a.stdout}", depends_on: [a, b], stdin: $a.stdout }
args: { x: { type: string, default: this } }
`;

const callers: readonly [string, string, (body: Sent["body"]) => object][] = [
  ["/api/workflow/dispatch", "its task", ({ taskId }) => ({ taskId })],
  ["/api/v2/dispatch", "run, step and attempt", ({ runId, stepId, attempt }) => ({ runId, stepId, attempt })],
];

describe.each(callers)("a Bridge with nothing but %s, which reports %s", (route, _, ids) => {
  const name = route.includes("v2") ? "newer" : "older";

  it("does all the work of a run, and what it cost is booked once", async () => {
    const started = Date.now();
    const bridge = await openBridge(
      route,
      ({ command }) => ({
        type: "step_complete",
        status: "completed",
        outputs: `did: ${String(command)}`,
        startedAt: started,
        completedAt: started + 5,
        ...telemetry,
      }),
      ids,
    );
    expect(await ask("PUT", "/api/v1/gateways/theirs", { url: bridge.url, ...EVERYTHING })).toMatchObject({
      status: 200,
      body: { status: "unknown" },
    });
    expect((await ask("PUT", `/api/v1/workflows/${name}`, { source: FAN_OUT(name) })).status).toBeLessThan(300);
    const { body: run } = await ask("POST", "/api/v1/runs", { workflow: name });
    const frames = await follow(run["id"] ?? "", { query: "?afterEventId=0" });
    expect(frames.at(-1)?.type).toBe("run.completed");
    expect(frames.map(({ eventId }) => eventId)).toEqual(frames.map((__, index) => index + 1));
    expect(new Set(bridge.taken.map(({ command }) => command))).toEqual(
      new Set(["Look at this", "Look there", "Sum up did: Look at this"]),
    );
    expect(bridge.taken).toHaveLength(3);
    expect(bridge.taken.find(({ command }) => command === "Look at this")).toMatchObject({
      timeout: 60,
      context: { runId: run["id"] },
    });
    expect(bridge.taken.at(-1)).toMatchObject({ stdin: "did: Look at this" });
    await expect.poll(() => bridge.replies.length).toBe(6);
    expect(bridge.replies.every(([status]) => status === 200)).toBe(true);
    const repeated = bridge.replies.filter(([, body]) => (body as { deduplicated?: boolean }).deduplicated === true);
    expect(repeated).toHaveLength(3);
    expect((await ask("GET", `/api/v1/runs/${run["id"]}`)).body).toMatchObject({
      status: "completed",
      costMicros: 750_000,
    });
    // Cut off and come back, by either cursor.
    const head = await follow(run["id"] ?? "", {}, 3);
    const rest = await follow(run["id"] ?? "", { last: String(head.at(-1)?.eventId) });
    expect([...head, ...rest].map(({ eventId }) => eventId)).toEqual(frames.map(({ eventId }) => eventId));
  });

  it("classifies its failures, and another try is made when the step says so", async () => {
    let tries = 0;
    const bridge = await openBridge(
      route,
      () => {
        tries += 1;
        return tries === 1
          ? { status: "failed", error: "slow down", error_code: "provider_rate_limit", cost: 0.5 }
          : { status: "completed", stdout: "well" };
      },
      ids,
    );
    await ask("PUT", "/api/v1/gateways/theirs", { url: bridge.url, ...EVERYTHING });
    const workflow = `${name}-again`;
    const source = `name: ${workflow}\nsteps:\n  - { id: a, command: go, on_failure: retry_once }\n`;
    await ask("PUT", `/api/v1/workflows/${workflow}`, { source });
    const { body: run } = await ask("POST", "/api/v1/runs", { workflow });
    const frames = await follow(run["id"] ?? "", {});
    expect(frames.find(({ type }) => type === "node.retried")?.payload).toMatchObject({
      errorCode: "provider_rate_limit",
    });
    expect(frames.at(-1)?.type).toBe("run.completed");
    expect((await ask("GET", `/api/v1/runs/${run["id"]}`)).body).toMatchObject({ costMicros: 500_000 });
  });
});

describe("a server that knows only the short dispatch", () => {
  it("is answered 202 at once, and sent the result where it asked for it", async () => {
    const results: Sent[] = [];
    const server = await listen((sent, response) => {
      results.push(sent);
      response.writeHead(200, { "content-type": "application/json" }).end('{"received":true}');
    });
    const directory = mkdtempSync(join(tmpdir(), "sluice-short-"));
    const clock = createSystemClock();
    const bridge = await startBridge({
      adapters: [createScriptedAdapter({ script: { ...EMPTY_SCRIPT, default: "echo" }, clock })],
      clock,
      host: "127.0.0.1",
      port: 0,
      dataDirectory: directory,
      joinToken: "join",
      instanceId: "one",
      random: Math.random,
    });
    closing.push(
      () => bridge.close(0),
      () => rmSync(directory, { recursive: true, force: true }),
    );
    for (const route of ["/api/v2/dispatch", "/api/workflow/dispatch"]) {
      const reply = await fetch(`${bridge.url}${route}`, {
        method: "POST",
        headers: { authorization: "Bearer join", "content-type": "application/json" },
        body: JSON.stringify({
          command: `Say ${route}`,
          timeout: 30,
          callbackUrl: `${server}/api/workflow/step-complete`,
        }),
      });
      expect(reply.status).toBe(202);
      const { dispatchId } = (await reply.json()) as { dispatchId: string };
      await expect
        .poll(() => results.at(-1)?.body)
        .toMatchObject({ dispatchId, status: "completed", stdout: `Say ${route}` });
      expect(results.at(-1)?.headers["x-gateway-token"]).toBe("join");
    }
  });
});

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../core/base/index.ts";
import { stubRequest } from "../../../test/gateway/stub-adapter.ts";
import { closeServers } from "../../../test/own/close-servers.ts";
import {
  checkAdapter,
  type AdapterFiles,
  type AdapterRequest,
  type AdapterResult,
  type FindSecret,
  type LogLine,
} from "../../adapter/index.ts";
import { createHttpAdapter } from "./http-adapter.ts";

const servers: Server[] = [];
afterEach(() => closeServers(servers));

type Handle = (request: IncomingMessage, response: ServerResponse, text: string) => unknown;

async function listen(handle: Handle): Promise<string> {
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += chunk));
    request.on("end", () => handle(request, response, text));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const REQUEST: AdapterRequest = {
  dispatchId: "d1",
  runId: "r1",
  stepId: "call",
  attempt: 1,
  idempotencyKey: "key-1",
  provider: "http",
  agentId: "a",
  message: "hello",
  inputs: {},
  outputStrategy: "text",
  timeoutMs: null,
  context: { runId: "r1", workflow: "w", phase: null, upstreamDigest: null },
  effects: "at_least_once",
};

interface Setup {
  readonly config?: JsonObject;
  readonly env?: Record<string, string>;
  readonly signal?: AbortSignal;
  readonly logs?: LogLine[];
  /** Files that were written, by name. */
  readonly written?: Map<string, Buffer>;
}

function keeper(written: Map<string, Buffer>): AdapterFiles {
  return {
    read: () => {
      throw new Error("nothing is read");
    },
    write: async (file, content) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of content) pieces.push(piece);
      written.set(file.name, Buffer.concat(pieces));
      return { ...file, sha256: "0".repeat(64) };
    },
  };
}

async function call(request: Partial<AdapterRequest>, setup: Setup = {}): Promise<AdapterResult> {
  const adapter = createHttpAdapter({
    env: setup.env ?? {},
    resolve: (host) => Promise.resolve([host === "inside.example" ? "10.0.0.1" : "1.1.1.1"]),
  });
  await adapter.initialize(setup.config ?? {});
  const signal = setup.signal ?? new AbortController().signal;
  return adapter.execute(
    { ...REQUEST, ...request },
    {
      signal,
      onPartial: () => {},
      onLog: (line) => setup.logs?.push(line),
      ...(setup.written === undefined ? {} : { files: keeper(setup.written) }),
    },
  );
}

const echo: Handle = ({ method, url, headers }, response, text) =>
  response.end(JSON.stringify({ method, url, headers, text }));

describe("where a request goes", () => {
  it("is a configured target, by input or by model; the input url comes between", async () => {
    const url = await listen(echo);
    const config = {
      allow: ["127.0.0.1"],
      targets: { crm: { url: `${url}/crm` }, "gpt-x": { url: `${url}/model`, method: "PUT" } },
    };
    const at = async (request: Partial<AdapterRequest>) => {
      const result = await call(request, { config });
      return result.status === "completed" ? [result.outputs?.["method"], result.outputs?.["url"]] : result;
    };
    expect(await at({ inputs: { target: "crm", url: `${url}/own` }, model: "gpt-x" })).toEqual(["GET", "/crm"]);
    expect(await at({ inputs: { url: `${url}/own`, method: "post" }, model: "gpt-x" })).toEqual(["POST", "/own"]);
    expect(await at({ model: "gpt-x" })).toEqual(["PUT", "/model"]);
    expect(await at({ model: "gpt-x", inputs: { method: "PUT" } })).toEqual(["PUT", "/model"]);
  });

  it("is what the message is, when nothing else names it", async () => {
    const url = await listen(echo);
    const config = { allow: ["127.0.0.1"], targets: { crm: { url: `${url}/crm` }, put: { url, method: "PUT" } } };
    const at = async (message: string, more: Partial<AdapterRequest> = {}) => {
      const result = await call({ message, ...more }, { config });
      return result.status === "completed" ? [result.outputs?.["method"], result.outputs?.["url"]] : result;
    };
    expect(await at("crm")).toEqual(["GET", "/crm"]);
    expect(await at(" POST crm\n")).toEqual(["POST", "/crm"]);
    expect(await at("crm", { stdin: "x" })).toEqual(["POST", "/crm"]);
    expect(await at(`DELETE ${url}/x`)).toEqual(["DELETE", "/x"]);
    expect(await at(`${url}/x`)).toEqual(["GET", "/x"]);
    expect(await at("POST put")).toMatchObject({ message: expect.stringContaining("method_not_allowed") as string });
    expect(await at("GET nowhere")).toMatchObject({
      message: expect.stringContaining("target_not_configured") as string,
    });
    expect(await at("GET http://10.0.0.1/")).toMatchObject({ status: "failed", failure: "provider_refused" });
    for (const message of ["", "Call crm", "get crm", "crm crm", "constructor"]) {
      expect(await at(message)).toMatchObject({ message: expect.stringContaining("no_target") as string });
    }
  });

  it.each([408, 409, 425, 429, 503])("that answers %i is asked again, after the time it names", async (status) => {
    const url = await listen((_, response) => response.writeHead(status, { "retry-after": "3" }).end());
    const result = await call({ message: url }, { config: { allow: ["127.0.0.1"] } });
    expect(result).toMatchObject({ status: "failed", retryAfterMs: 3_000 });
    expect(result).not.toHaveProperty("retryable");
  });

  it.each([400, 401, 404, 410, 422])("that answers %i is not asked again", async (status) => {
    const url = await listen((_, response) => response.writeHead(status, { "retry-after": "3" }).end());
    const result = await call({ message: url }, { config: { allow: ["127.0.0.1"] } });
    expect(result).toMatchObject({ status: "failed", retryable: false });
  });

  it.each([
    [{ inputs: {} }, "no_target"],
    [{ model: "constructor" }, "no_target"],
    [{ inputs: { target: "away" } }, "target_not_configured"],
    [{ inputs: { target: "__proto__" } }, "target_not_configured"],
    [{ inputs: { target: 7 } }, "target_not_configured"],
    [{ inputs: { target: "crm", method: "DELETE" } }, "method_not_allowed"],
    [{ inputs: { url: "http://public.example", method: "TRACE" } }, "method_not_allowed"],
    [{ inputs: { url: "http://public.example", method: 5 } }, "method_not_allowed"],
    [{ inputs: { url: "http://public.example" } }, "url_host"],
    [{ inputs: { url: "http://inside.example" } }, "url_private"],
    [{ inputs: { url: "http://127.0.0.1:5432" } }, "url_private"],
    [{ inputs: { url: "http://169.254.169.254/latest/meta-data" } }, "url_private"],
    [{ inputs: { url: "http://public.example:22" } }, "url_port"],
    [{ inputs: { url: "file:///etc/passwd" } }, "url_scheme"],
    [{ inputs: { url: "http://u:p@public.example" } }, "url_credentials"],
    [{ inputs: { url: "nonsense" } }, "url_host"],
  ])("is refused for %j as %s", async (request, code) => {
    const config = { targets: { crm: { url: "http://127.0.0.1:1/", method: "POST" } } };
    expect(await call(request, { config })).toMatchObject({
      status: "failed",
      failure: "provider_refused",
      message: expect.stringMatching(`^${code}: `) as string,
    });
  });

  it("is not somewhere private because a target sends it there", async () => {
    const url = await listen((_, response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end());
    expect(await call({ inputs: { target: "t" } }, { config: { targets: { t: { url } } } })).toMatchObject({
      failure: "provider_refused",
      message: expect.stringMatching(/^url_private: /) as string,
    });
  });
});

describe("what is sent", () => {
  it("names the request and where to answer later", async () => {
    const url = await listen(echo);
    const request = { traceparent: "00-a-b-01", externalCallbackUrl: "https://s.example/api/v1/callbacks/t" };
    const result = await call({ ...request, inputs: { url } }, { config: { allow: ["127.0.0.0/8"] } });
    expect(result).toMatchObject({
      outputs: {
        headers: {
          "idempotency-key": "key-1",
          traceparent: "00-a-b-01",
          "x-sluice-run": "r1",
          "x-sluice-step": "call",
          "x-sluice-callback-url": "https://s.example/api/v1/callbacks/t",
        },
      },
    });
  });

  it.each([
    [{ inputs: { body: { a: [1, null] } }, stdin: "in" }, '{"a":[1,null]}', "application/json"],
    [{ inputs: { body: "text" } }, '"text"', "application/json"],
    [{ inputs: {}, stdin: "in ä" }, "in ä", "text/plain; charset=utf-8"],
    [
      { inputs: { a: 1, method: "POST" } },
      '{"message":"hello","inputs":{"a":1,"method":"POST","target":"t"}}',
      "application/json",
    ],
    [{ inputs: { a: 1 } }, "", undefined],
    [{ inputs: { body: 1, method: "GET" } }, "", undefined],
  ])("of %j is %s", async (request, text, type) => {
    const url = await listen(echo);
    const inputs = { ...request.inputs, target: "t" };
    const result = await call({ ...request, inputs }, { config: { targets: { t: { url } } } });
    expect(result).toMatchObject({ outputs: { text, headers: type === undefined ? {} : { "content-type": type } } });
    expect(JSON.stringify(result).includes("content-type")).toBe(type !== undefined);
  });

  it("holds secrets by reference, and they never come back", async () => {
    const env = { TOKEN: 'top"secret', OTHER: "unused-value" };
    const setup = (url: string) => ({
      env,
      config: { targets: { t: { url, headers: { Authorization: "Bearer secret://TOKEN" } } } },
    });
    let seen: unknown;
    const url = await listen((request, response) => {
      seen = request.headers.authorization;
      const encoded = Buffer.from(String(seen).slice("Bearer ".length)).toString("base64");
      response.end(JSON.stringify({ seen, encoded, also: "unused-value" }));
    });
    const result = await call({ inputs: { target: "t" } }, setup(url));
    expect(seen).toBe('Bearer top"secret');
    expect(result).toMatchObject({ outputs: { seen: "Bearer [redacted:TOKEN]", also: "unused-value" } });
    expect(JSON.stringify(result)).not.toContain(Buffer.from('top"secret').toString("base64").slice(0, 12));
    const rude = await listen((request, response) => response.writeHead(500).end(request.headers.authorization));
    expect(JSON.stringify(await call({ inputs: { target: "t" } }, setup(rude)))).not.toContain("top");
  });

  it("takes secrets that came with the dispatch before its own, for their own target only", async () => {
    const seen: unknown[] = [];
    const url = await listen((request, response) => {
      seen.push(request.headers.authorization);
      response.end("{}");
    });
    const headers = { Authorization: "Bearer secret://billing-token" };
    const adapter = createHttpAdapter({ env: { "billing-token": "of the environment" } });
    await adapter.initialize({ targets: { t: { url, headers }, other: { url, headers }, far: { url, headers } } });
    expect(adapter.secrets?.()).toEqual(["t", "other", "far"].map((tool) => ({ name: "billing-token", tool })));
    const secret: FindSecret = (name, tool) => {
      if (tool === "t" && name === "billing-token") return { ok: true, value: "of the dispatch" };
      if (tool === "other") return { ok: true, value: "two\nlines" };
      return { ok: false, failure: { code: "secret_out_of_scope", message: "It is for others." } };
    };
    const ask = (target: string, env = adapter) =>
      env.execute(stubRequest({ provider: "http", inputs: { target } }), {
        signal: new AbortController().signal,
        onPartial: () => undefined,
        onLog: () => undefined,
        secret,
      });
    await ask("t");
    await ask("far");
    expect(seen).toEqual(["Bearer of the dispatch", "Bearer of the environment"]);
    expect(await ask("other")).toMatchObject({
      failure: "provider_auth",
      message: expect.stringContaining("holds characters that a header cannot") as string,
    });
    const bare = createHttpAdapter({ env: {} });
    await bare.initialize({ targets: { far: { url, headers } } });
    expect(await ask("far", bare)).toMatchObject({
      failure: "provider_auth",
      message: expect.stringContaining("secret_out_of_scope: It is for others.") as string,
    });
    expect(seen).toHaveLength(2);
  });

  it("is nothing at all without the secret", async () => {
    const config = { targets: { t: { url: "http://127.0.0.1:1/", headers: { "x-key": "secret://NOT_SET" } } } };
    expect(await call({ inputs: { target: "t" } }, { config })).toMatchObject({
      failure: "provider_auth",
      message: expect.stringContaining("NOT_SET") as string,
    });
    const adapter = createHttpAdapter({ env: { NOT_SET: "" } });
    await adapter.initialize(config);
    expect(await adapter.checkHealth()).toMatchObject({
      status: "healthy",
      message: "Not in the environment, and awaited with each dispatch: NOT_SET.",
    });
  });
});

describe("what an answer means", () => {
  const answer = async (status: number, headers: Record<string, string>, body: string, setup: Setup = {}) => {
    const url = await listen((_, response) => response.writeHead(status, headers).end(body));
    return call({ inputs: { target: "t" } }, { ...setup, config: { targets: { t: { url } } } });
  };

  it.each([
    [200, {}, '{"a":1}', { status: "completed", stdout: '{"a":1}', outputs: { a: 1 } }],
    [201, {}, "[1]", { status: "completed", stdout: "[1]" }],
    [200, {}, "text {", { status: "completed", stdout: "text {" }],
    [200, {}, '{"a":', { status: "completed", stdout: '{"a":' }],
    [204, {}, "", { status: "completed", stdout: "" }],
    [202, { "x-sluice-deferred": "true" }, "", { status: "deferred" }],
    [202, {}, '{"deferred":true}', { status: "deferred" }],
    [202, {}, '{"deferred":"true"}', { status: "completed" }],
    [202, {}, "", { status: "completed" }],
    [200, { "x-sluice-deferred": "true" }, '{"deferred":true}', { status: "completed" }],
    [200, { "content-encoding": "gzip" }, "x", { failure: "provider_bad_output" }],
    [304, {}, "", { failure: "provider_error" }],
    [400, {}, "bad thing", { failure: "provider_error", message: "The service answered with status 400: bad thing" }],
    [401, {}, "", { failure: "provider_auth", message: "The service answered with status 401." }],
    [403, {}, "", { failure: "provider_auth" }],
    [429, { "retry-after": "3" }, "", { failure: "provider_rate_limit", retryAfterMs: 3_000 }],
    [429, { "retry-after": "soon" }, "", { failure: "provider_rate_limit" }],
    [500, {}, "", { failure: "provider_error" }],
    [503, { "retry-after": "1" }, "", { failure: "provider_error", retryAfterMs: 1_000 }],
  ])("%i %j %s", async (status, headers, body, expected) => {
    expect(await answer(status, headers, body)).toMatchObject(expected);
  });

  it("does not go deeper than a value may", async () => {
    const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    const result = await answer(200, {}, deep);
    expect(result).toMatchObject({ status: "completed", stdout: deep });
    expect(result).not.toHaveProperty("outputs");
  });

  it("warns when no later answer is possible", async () => {
    const logs: LogLine[] = [];
    await answer(202, {}, '{"deferred":true}', { logs });
    expect(logs).toMatchObject([{ level: "warning" }]);
  });

  it("is missing: time, signal, no server, too much", async () => {
    const stop = new AbortController();
    const silent = await listen((request) => {
      if (request.url === "/stop") stop.abort();
    });
    const huge = await listen((_, response) => response.end("x".repeat(5 * 1_048_576 + 1)));
    const config = {
      targets: {
        silent: { url: silent, timeout_ms: 20 },
        stop: { url: `${silent}/stop` },
        away: { url: "http://127.0.0.1:1/" },
        huge: { url: huge },
      },
    };
    const at = (target: string, request: Partial<AdapterRequest> = {}) =>
      call({ ...request, inputs: { target } }, { config, signal: stop.signal });
    expect(await at("silent")).toMatchObject({ failure: "timeout" });
    expect(await at("silent", { timeoutMs: 10 })).toMatchObject({
      failure: "timeout",
      message: expect.stringContaining(" 10 ms") as string,
    });
    expect(await at("away")).toMatchObject({ failure: "provider_error" });
    expect(await at("huge")).toMatchObject({
      failure: "provider_refused",
      message: expect.stringMatching(/^url_too_large/) as string,
    });
    expect(await at("stop")).toMatchObject({ failure: "cancelled" });
    expect(await at("away")).toMatchObject({ failure: "cancelled" });
  });
});

describe("an answer that is a file", () => {
  const BYTES = Buffer.from([0x25, 0x50, 0x44, 0x46, 0x00, 0xff, 0xfe]);
  const outputSchema = { properties: { report: { type: "object", format: "file" } } };
  const answered = async (headers: Record<string, string>, content: Buffer | string = BYTES) => {
    const url = await listen((_request, response) => response.writeHead(200, headers).end(content));
    const written = new Map<string, Buffer>();
    const result = await call({ inputs: { url }, outputSchema }, { config: { allow: ["127.0.0.1"] }, written });
    return { result, written };
  };

  it("is kept byte by byte, under the name and type the service gives it", async () => {
    const disposition = 'attachment; filename="june.pdf"';
    const { result, written } = await answered({
      "content-type": "application/pdf; charset=binary",
      "content-disposition": disposition,
    });
    expect(result).toMatchObject({
      status: "completed",
      outputs: { report: { name: "june.pdf", mime: "application/pdf", size: BYTES.length } },
    });
    expect(written.get("june.pdf")?.equals(BYTES)).toBe(true);
  });

  it("gets a name of ours where the service's is a path, and a type where it has none", async () => {
    const { result } = await answered({ "content-disposition": "attachment; filename=../../etc/passwd" });
    expect(result).toMatchObject({ outputs: { report: { name: "report", mime: "application/octet-stream" } } });
  });

  it("is none when it is JSON, and wrong when it is empty", async () => {
    const json = await answered({ "content-type": "application/json" }, '{"report": null}');
    expect(json.result).toMatchObject({ status: "completed", outputs: { report: null } });
    expect(json.written.size).toBe(0);
    const { result } = await answered({ "content-type": "application/pdf" }, "");
    expect(result).toMatchObject({ status: "failed", failure: "provider_bad_output" });
  });
});

describe("cancel and shutdown", () => {
  it.each(["cancel", "shutdown"] as const)("%s ends what is under way", async (how) => {
    const adapter = createHttpAdapter({ env: {} });
    const url = await listen(() => (how === "cancel" ? adapter.cancel("d1") : adapter.shutdown()));
    await adapter.initialize({ targets: { t: { url } } });
    const hooks = { signal: new AbortController().signal, onPartial: () => {}, onLog: () => {} };
    expect(await adapter.execute({ ...REQUEST, inputs: { target: "t" } }, hooks)).toMatchObject({
      failure: "cancelled",
    });
  });
});

describe("the configuration", () => {
  it.each([
    [{ targets: { t: { url: "ftp://x" } } }, "targets.t.url"],
    [{ targets: { t: { url: "http://a:b@x/" } } }, "targets.t.url"],
    [{ targets: { "a b": { url: "http://x/" } } }, "targets.a b"],
    [{ targets: { t: { url: "http://x/", headers: { "a b": "c" } } } }, "targets.t.headers"],
    [{ targets: { t: { url: "http://x/", headers: { a: "b\nc" } } } }, "targets.t.headers.a"],
    [{ targets: { t: { url: "http://x/", method: "TRACE" } } }, "targets.t.method"],
    [{ targets: { t: { url: "http://x/", timeout_ms: 0 } } }, "targets.t.timeout_ms"],
    [{ allow: ["10.0.0.0/64"] }, "allow"],
    [{ opne: true }, "opne"],
  ])("%j is refused at %s", async (config, place) => {
    await expect(createHttpAdapter({ env: {} }).initialize(config)).rejects.toThrow(place);
  });
});

it("keeps every promise of the interface", async () => {
  const url = await listen((request, response, text) => {
    if (request.url !== "/slow") response.end(text);
  });
  const report = await checkAdapter(createHttpAdapter({ env: {} }), {
    config: { targets: { t: { url }, slow: { url: `${url}/slow` } } },
    sample: (canary) => ({ inputs: { target: "t", body: { canary } } }),
    slow: { inputs: { target: "slow" } },
    abortWithinMs: 60_000,
  });
  expect(report.checks.filter(({ ok }) => ok === false)).toEqual([]);
});

import { afterEach, describe, expect, it } from "vitest";
import {
  error,
  event,
  GATEWAY_TOKEN,
  startGateway,
  type FakeGateway,
  type Turn,
} from "../../../test/openclaw/gateway.ts";
import { attempt } from "../../../test/providers/index.ts";
import type { AdapterRequest } from "../../adapter/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import { createOpenClawAdapter } from "./openclaw-adapter.ts";

const ENV = { OPENCLAW_GATEWAY_TOKEN: GATEWAY_TOKEN };
const HELLO: Turn = { kind: "answer", pieces: ["Hello ", "world"] };
const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

async function open(turn: Turn = HELLO, config: JsonObject = {}, env: Record<string, string | undefined> = ENV) {
  const gateway = await startGateway(() => turn);
  const adapter = createOpenClawAdapter({ env });
  opened.push(gateway, { close: () => adapter.shutdown() });
  await adapter.initialize({ base_url: gateway.url, ...config });
  return { adapter, gateway };
}

async function ask(turn: Turn, request: Partial<AdapterRequest> = {}, config: JsonObject = {}) {
  const { adapter, gateway } = await open(turn, config);
  return { ...(await attempt(adapter, request)), gateway, sent: bodyOf(gateway) };
}

const bodyOf = ({ requests }: FakeGateway) => requests[0]?.body;
const failed = (code: string, message: string): Turn => ({
  kind: "answer",
  pieces: [],
  end: "failed",
  more: { error: { code, message } },
});

describe("an agent of a gateway", () => {
  it("answers with text, pieces, tokens and the conversation", async () => {
    const { result, partials, sent, gateway } = await ask(HELLO, { systemPrompt: "Be brief.", message: "Say hello." });
    expect(sent).toEqual({ model: "openclaw/default", stream: true, input: "Say hello.", instructions: "Be brief." });
    expect(gateway.requests[0]?.headers).not.toHaveProperty("x-openclaw-model");
    expect(partials).toEqual(["Hello ", "world"]);
    expect(result).toEqual({
      status: "completed",
      stdout: "Hello world",
      model: "openclaw/default",
      inputTokens: 100,
      outputTokens: 20,
      thinkingTokens: 5,
      cachedTokens: 10,
      sessionId: "run-1/step-1",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Say hello." },
        { role: "assistant", content: "Hello world" },
      ],
    });
  });

  it("works with the model that is configured, which has a price", async () => {
    const config = { backend_model: "anthropic/claude-sonnet-4-5", max_output_tokens: 90 };
    const { result, gateway, sent } = await ask(HELLO, { maxOutputTokens: 70 }, config);
    expect(gateway.requests[0]?.headers["x-openclaw-model"]).toBe("anthropic/claude-sonnet-4-5");
    expect(sent).toMatchObject({ max_output_tokens: 70 });
    expect(result).toMatchObject({ model: "anthropic/claude-sonnet-4-5", costUsd: expect.any(Number) });
  });

  it("continues a thread only when the step names one", async () => {
    const user = async (request: Partial<AdapterRequest>) => (await ask(HELLO, request)).sent?.["user"];
    const [one, again] = [await user({ inputs: { sessionId: "t" } }), await user({ inputs: { sessionId: "t" } })];
    expect(one).toMatch(/^sluice-[0-9a-f]{64}$/);
    expect(again).toBe(one);
    expect(await user({ inputs: { sessionId: "u" } })).not.toBe(one);
    expect(await user({ inputs: { sessionId: "t" }, agentId: "another" })).not.toBe(one);
    for (const sessionId of ["", 7, null]) expect(await user({ inputs: { sessionId } })).toBeUndefined();
  });

  it.each([
    [undefined, {}, "openclaw/default"],
    ["openclaw", {}, "openclaw/default"],
    ["openclaw/default", {}, "openclaw/default"],
    [undefined, { default_agent: "main" }, "openclaw/main"],
    ["research", { agents: ["research"] }, "openclaw/research"],
    ["openclaw:research", { agents: ["research"] }, "openclaw/research"],
  ])("is the one a step may name: %j with %j", async (model, config, target) => {
    const { sent } = await ask(HELLO, model === undefined ? {} : { model }, config);
    expect(sent).toMatchObject({ model: target });
  });

  it.each(["research", "openclaw/research", "main\r\nx: y", "__proto__", "openclaw/../x", "gpt-5"])(
    "is none that was not configured: %j",
    async (model) => {
      const { result, gateway } = await ask(HELLO, { model }, { agents: ["other"] });
      expect(result).toMatchObject({ failure: "provider_refused", message: expect.stringContaining("other") });
      expect(gateway.requests).toEqual([]);
    },
  );

  it("is shown the schema of a JSON answer", async () => {
    const outputSchema = { type: "object", properties: { n: { type: "integer" } } };
    const { sent } = await ask(HELLO, { outputStrategy: "json", outputSchema });
    expect(sent?.["instructions"]).toContain(JSON.stringify(outputSchema));
  });

  it("has the tools of its gateway, and a step can give it none", async () => {
    const { result, gateway } = await ask(HELLO, { tools: ["read"] });
    expect(result).toMatchObject({ failure: "provider_refused" });
    expect(gateway.requests).toEqual([]);
  });
});

describe("failures of a gateway", () => {
  it.each([
    [401, "provider_auth"],
    [403, "provider_auth"],
    [400, "provider_refused"],
    [404, "provider_refused"],
    [413, "provider_refused"],
    [408, "provider_error"],
    [409, "provider_error"],
    [425, "provider_error"],
    [500, "provider_error"],
    [503, "provider_error"],
  ])("by status %i", async (status, failure) => {
    const body = error(`no: ${GATEWAY_TOKEN}`, "x");
    const { result } = await ask({ kind: "status", status, body });
    expect(result).toMatchObject({ failure, message: expect.stringContaining("no: [key]") });
  });

  it("reports when a limited rate is over", async () => {
    const { result } = await ask({ kind: "status", status: 429, headers: { "retry-after": "7" }, body: "<html>" });
    expect(result).toMatchObject({ failure: "provider_rate_limit", retryAfterMs: 7000 });
  });

  it.each([
    ["authentication_error", "401 bad key", { failure: "provider_auth" }],
    ["permission_error", "no", { failure: "provider_auth" }],
    ["insufficient_quota", "no money", { failure: "provider_auth" }],
    ["rate_limit_error", "429; Retry-After: 9 seconds", { failure: "provider_rate_limit", retryAfterMs: 9000 }],
    ["rate_limit_error", "429", { failure: "provider_rate_limit" }],
    ["invalid_request_error", "too long", { failure: "provider_refused" }],
    ["api_error", "upstream provider timeout", { failure: "timeout" }],
    ["api_error", "internal error", { failure: "provider_error" }],
    ["", "", { failure: "provider_error" }],
  ])("by what became of its agent: %s, %s", async (code, message, expected) => {
    const { result } = await ask(failed(code, message));
    expect(result).toMatchObject({ status: "failed", ...expected });
    expect(result).not.toHaveProperty("inputTokens");
  });

  it("are an answer that is cut off, unless it is prose", async () => {
    const cut: Turn = { kind: "answer", pieces: ["{"], end: "incomplete" };
    expect((await ask(cut, { outputStrategy: "json" })).result).toMatchObject({ failure: "provider_bad_output" });
    const prose = await ask(cut);
    expect(prose.result).toMatchObject({ status: "completed", stdout: "{" });
    expect(prose.logs).toContainEqual(expect.objectContaining({ level: "warning" }));
  });

  it.each(["", "No response from OpenClaw."])("are an answer without words: %j", async (text) => {
    expect((await ask({ kind: "answer", pieces: [text] })).result).toMatchObject({ failure: "provider_bad_output" });
  });

  it("are a stream that breaks off", async () => {
    expect((await ask({ kind: "answer", pieces: ["a"], end: "cut" })).result).toMatchObject({
      failure: "provider_error",
    });
    const frames = [event("response.created", { response: {} }), "data: [DONE]\n\n"];
    const { result } = await ask({ kind: "frames", frames });
    expect(result).toMatchObject({ failure: "provider_error", message: expect.stringContaining("broke off") });
  });

  it("are not the frames it does not know", async () => {
    const frames = ["data: null\n\n", "data: [1]\n\n", "data: {\n\n", ": comment\n\n", event("response.new", {})];
    const response = { output: [7, { type: "reasoning" }, { type: "message", content: "x" }], usage: "none" };
    const end = event("response.completed", { response });
    const delta = event("response.output_text.delta", { delta: "told" });
    const { result } = await ask({ kind: "frames", frames: [...frames, delta, end] });
    expect(result).toMatchObject({ status: "completed", stdout: "told" });
  });

  it("are a gateway that is not there", async () => {
    const { adapter, gateway } = await open();
    await gateway.close();
    const { result } = await attempt(adapter);
    expect(result).toMatchObject({ failure: "provider_error", message: expect.stringContaining("127.0.0.1") });
    expect(await adapter.checkHealth()).toMatchObject({ status: "offline" });
  });

  it("are a token that is missing", async () => {
    const { adapter, gateway } = await open(HELLO, {}, {});
    expect((await attempt(adapter)).result).toMatchObject({ failure: "provider_auth" });
    expect(await adapter.checkHealth()).toMatchObject({ status: "degraded" });
    expect(gateway.requests).toEqual([]);
  });
});

describe("the end of a call", () => {
  it("hangs up, which ends the agent's work", async () => {
    const { adapter, gateway } = await open({ kind: "answer", pieces: ["a"], end: "hang" });
    const stop = new AbortController();
    const { result } = await attempt(adapter, {}, { signal: stop.signal, onPartial: () => stop.abort() });
    expect(result).toMatchObject({ failure: "cancelled" });
    await gateway.hungUp;
  });

  it("comes with cancel, shutdown and the time", async () => {
    const { adapter } = await open({ kind: "answer", pieces: ["a"], end: "hang" });
    const byCancel = await attempt(adapter, { dispatchId: "d7" }, { onPartial: () => void adapter.cancel("d7") });
    expect(byCancel.result).toMatchObject({ failure: "cancelled" });
    const stop = new AbortController();
    const timeUp = (): void => stop.abort(new DOMException("over", "TimeoutError"));
    expect((await attempt(adapter, {}, { signal: stop.signal, onPartial: timeUp })).result).toMatchObject({
      failure: "timeout",
    });
    const byShutdown = await attempt(adapter, {}, { onPartial: () => void adapter.shutdown() });
    expect(byShutdown.result).toMatchObject({ failure: "cancelled" });
  });
});

describe("its configuration and health", () => {
  it("asks the gateway for its agents", async () => {
    expect(await (await open()).adapter.checkHealth()).toEqual({ status: "healthy" });
    const wrong = await open(HELLO, { token_env: "WRONG" }, { WRONG: "wrong-token" });
    expect(await wrong.adapter.checkHealth()).toMatchObject({ status: "degraded" });
    const none = await open(HELLO, { auth: "none" }, {});
    expect(await none.adapter.checkHealth()).toMatchObject({
      status: "degraded",
      message: expect.stringContaining("401"),
    });
  });

  it.each([
    [{ base_url: "ftp://x" }, "base_url"],
    [{ base_url: "http://me:secret@x" }, "base_url"],
    [{ agents: ["a b"] }, "agents"],
    [{ default_agent: "" }, "default_agent"],
    [{ backend_model: "a\nb" }, "backend_model"],
    [{ max_output_tokens: 0 }, "max_output_tokens"],
    [{ token: "in the file" }, "token"],
  ])("refuses %j", async (config, word) => {
    await expect(createOpenClawAdapter({ env: {} }).initialize(config)).rejects.toThrow(word);
  });
});

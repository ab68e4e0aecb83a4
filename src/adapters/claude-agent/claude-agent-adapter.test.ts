import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { aborted, createFakeSdk, query, type SessionScript } from "../../../test/claude-agent/fake-sdk.ts";
import * as say from "../../../test/claude-agent/messages.ts";
import { attempt } from "../../../test/providers/index.ts";
import type { AdapterRequest } from "../../adapter/index.ts";
import { succeed, type JsonObject } from "../../core/base/index.ts";
import { createClaudeAgentAdapter } from "./claude-agent-adapter.ts";

const directory = mkdtempSync(join(tmpdir(), "sluice-claude-agent-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const KEY = "sk-ant-test-0000000000";
const ENV = { ANTHROPIC_API_KEY: KEY, HOME: "/somewhere", PATH: "/evil", OTHER_SECRET: "not to be seen" };
const SCHEMA = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };

async function open(script: SessionScript, config: JsonObject = {}, env: Record<string, string | undefined> = ENV) {
  const sdk = createFakeSdk(script);
  const adapter = createClaudeAgentAdapter({ env, directory, load: () => Promise.resolve(succeed(sdk)) });
  await adapter.initialize(config);
  return { adapter, sdk };
}

async function run(
  script: SessionScript,
  request: Partial<AdapterRequest> = {},
  config: JsonObject = {},
  env: Record<string, string | undefined> = ENV,
) {
  const { adapter, sdk } = await open(script, config, env);
  const done = await attempt(adapter, request);
  return { ...done, sdk, session: sdk.sessions[0] };
}

const answering: SessionScript = () => [
  say.init(),
  say.messageStart(),
  say.piece("Hello "),
  say.piece("world"),
  say.assistant([say.text("Hello world")]),
  say.messageDelta("end_turn", 20),
  say.result(),
];

/** The SDK yields the failed result and then throws. */
function failing(...messages: readonly unknown[]): SessionScript {
  return function* () {
    yield* messages;
    throw new Error("Claude Code returned an error result");
  };
}

describe("a session of claude-agent", () => {
  it("answers with text, pieces, usage and the conversation", async () => {
    const { result, partials } = await run(answering, { systemPrompt: "Be brief.", message: "Say hello." });
    expect(partials).toEqual(["Hello ", "world"]);
    expect(result).toEqual({
      status: "completed",
      stdout: "Hello world",
      model: "claude-sonnet-4-5",
      inputTokens: 100,
      outputTokens: 20,
      thinkingTokens: 0,
      cachedTokens: 10,
      costUsd: 0.000_573,
      priceId: "claude-agent-sdk",
      sessionId: "run-1/step-1",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Say hello." },
        { role: "assistant", content: "Hello world" },
      ],
    });
  });

  it("is closed to everything that is not configured", async () => {
    const { session } = await run(answering, {
      message: "m",
      model: "anthropic:claude-opus-4-8",
      maxOutputTokens: 700,
    });
    expect(session?.prompt).toBe("m");
    const { options } = session ?? {};
    expect(options).toMatchObject({
      model: "claude-opus-4-8",
      tools: [],
      allowedTools: [],
      permissionMode: "default",
      settingSources: [],
      strictMcpConfig: true,
      verbatimPrompts: true,
      maxTurns: 50,
    });
    expect(options).not.toHaveProperty("systemPrompt");
    expect(options).not.toHaveProperty("maxBudgetUsd");
    const env = options?.env ?? {};
    expect(env).toMatchObject({ ANTHROPIC_API_KEY: KEY, CLAUDE_CODE_MAX_OUTPUT_TOKENS: "700", DISABLE_TELEMETRY: "1" });
    expect(env["HOME"]).toBe(options?.cwd);
    expect(env["PATH"]).not.toContain("evil");
    expect(JSON.stringify(env)).not.toContain("not to be seen");
    expect(existsSync(options?.cwd ?? "")).toBe(false);
  });

  it("hands on what the operator configured", async () => {
    const config = {
      base_url: "http://127.0.0.1:1",
      api_key_env: "MY_KEY",
      env: ["OTHER_SECRET"],
      default_model: "claude-sonnet-5",
      max_turns: 3,
      max_budget_usd: 0.5,
      max_output_tokens: 500,
      max_retries: 2,
      directory: "/srv/project",
      executable: "/opt/claude",
      sandbox: { enabled: true },
    };
    const env = { MY_KEY: "sk-mine-000000", OTHER_SECRET: "seen" };
    const { session } = await run(answering, { maxOutputTokens: 900 }, config, env);
    expect(session?.options).toMatchObject({
      model: "claude-sonnet-5",
      maxTurns: 3,
      maxBudgetUsd: 0.5,
      cwd: "/srv/project",
      pathToClaudeCodeExecutable: "/opt/claude",
      sandbox: { enabled: true },
      env: {
        ANTHROPIC_API_KEY: "sk-mine-000000",
        ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
        OTHER_SECRET: "seen",
        CLAUDE_CODE_MAX_OUTPUT_TOKENS: "500",
        CLAUDE_CODE_MAX_RETRIES: "3",
      },
    });
  });

  it("gives outputs that the SDK held to the schema", async () => {
    const script: SessionScript = () => [
      say.assistant([say.toolUse("t1", "StructuredOutput", { count: 5 })]),
      say.toolResult("t1", "Structured output provided successfully"),
      say.result({ result: '{"count":5}', structured_output: { count: 5 } }),
    ];
    const { result, session } = await run(script, { outputStrategy: "json", outputSchema: SCHEMA });
    expect(session?.options.outputFormat).toEqual({ type: "json_schema", schema: SCHEMA });
    expect(result).toMatchObject({ status: "completed", stdout: '{"count":5}', outputs: { count: 5 } });
  });

  it("shows a schema that the SDK cannot take", async () => {
    const { session, result } = await run(answering, { outputStrategy: "json", outputSchema: {} });
    expect(session?.options).not.toHaveProperty("outputFormat");
    expect(session?.options.systemPrompt).toContain("JSON Schema");
    expect(result).toMatchObject({ status: "completed", stdout: "Hello world" });
    expect(result).not.toHaveProperty("outputs");
  });

  it.each([undefined, [1], "text", null])("does not believe a structured answer of %j", async (given) => {
    const script: SessionScript = () => [say.result({ structured_output: given })];
    const { result } = await run(script, { outputStrategy: "json", outputSchema: SCHEMA });
    expect(result).toMatchObject({ status: "failed", failure: "provider_bad_output" });
  });
});

describe("tools of a session", () => {
  const config = { tools: ["Read", "Bash(git log:*)", "Bash(git show:*)", "WebFetch"] };

  it("are those that the step names and the configuration allows", async () => {
    const { session } = await run(answering, { tools: ["Read", "Bash"] }, config);
    const { options } = session ?? {};
    expect(options?.tools).toEqual(["Read", "Bash"]);
    expect(options?.allowedTools).toEqual(["Bash(git log:*)", "Bash(git show:*)"]);
    expect(await options?.canUseTool("Read", { file_path: "a" })).toEqual({
      behavior: "allow",
      updatedInput: { file_path: "a" },
    });
    for (const tool of ["Bash", "WebFetch", "Write", "mcp__x__y", "__proto__", ""]) {
      expect(await options?.canUseTool(tool, {})).toMatchObject({ behavior: "deny" });
    }
  });

  it.each([["Write"], ["read"], ["Bash(git log:*)"], ["Read", "__proto__"], [""]])(
    "are refused when one is not allowed: %j",
    async (...tools) => {
      const { result, sdk } = await run(answering, { tools }, config);
      expect(result).toMatchObject({ status: "failed", failure: "provider_refused" });
      expect(JSON.stringify(result)).toContain("tool_not_allowed");
      expect(sdk.sessions).toEqual([]);
    },
  );

  it("are part of the conversation, and those of a helper are not", async () => {
    const script: SessionScript = () => [
      say.assistant([say.text("I look."), say.toolUse("t1", "Read", { file_path: "a" })]),
      say.piece("inner", "t1"),
      say.assistant([say.text("inner")], {}, "t1"),
      say.toolResult("t1", [{ type: "text", text: "no such file" }], true),
      say.assistant([say.text("Nothing.")]),
      say.result({ result: "Nothing." }),
    ];
    const { result, partials, logs } = await run(script, { tools: ["Read"] }, config);
    expect(partials).toEqual([]);
    expect(logs).toContainEqual({ level: "debug", message: "The session calls Read." });
    expect(result).toMatchObject({
      messages: [
        { role: "user" },
        { role: "assistant", content: "I look.", toolCalls: [{ id: "t1", name: "Read", input: '{"file_path":"a"}' }] },
        { role: "tool", toolCallId: "t1", name: "Read", isError: true },
        { role: "assistant", content: "Nothing." },
      ],
    });
  });
});

describe("failures of a session", () => {
  it.each([
    ["authentication_failed", 401, "provider_auth"],
    ["billing_error", 400, "provider_auth"],
    ["model_not_found", 404, "provider_refused"],
    ["invalid_request", 400, "provider_error"],
    ["server_error", 500, "provider_error"],
    ["server_error", 529, "provider_error"],
    ["max_output_tokens", null, "provider_bad_output"],
    ["something new", null, "provider_error"],
  ])("by the SDK's own name: %s", async (kind, status, failure) => {
    const script = failing(say.apiError(kind, status, `API Error: ${KEY}`), say.failedResult("API Error"));
    const { result } = await run(script);
    expect(result).toMatchObject({ status: "failed", failure });
    expect(JSON.stringify(result)).not.toContain(KEY);
    expect(result).toMatchObject({ messages: [{ role: "user" }] });
  });

  it("end the session before it tries again by itself, and report when to", async () => {
    const script: SessionScript = async function* ({ options }) {
      yield say.apiRetry("rate_limit", 429, 7000);
      await aborted(options.abortController.signal);
    };
    const { result } = await run(script);
    expect(result).toMatchObject({ failure: "provider_rate_limit", retryAfterMs: 7000 });
  });

  it("may be tried again as often as the operator allows", async () => {
    const retries = (count: number): SessionScript =>
      async function* (session) {
        for (let at = 1; at <= count; at += 1) yield say.apiRetry("overloaded", 529, 10, at);
        if (!session.options.abortController.signal.aborted) yield* answering(session);
      };
    expect((await run(retries(2), {}, { max_retries: 2 })).result.status).toBe("completed");
    expect((await run(retries(3), {}, { max_retries: 2 })).result).toMatchObject({ failure: "provider_error" });
  });

  it.each([
    [{ stop_reason: "refusal", is_error: true }, "provider_refused"],
    [{ subtype: "error_max_turns", is_error: true, num_turns: 50, result: undefined }, "provider_bad_output"],
    [{ subtype: "error_max_budget_usd", is_error: true, result: undefined }, "provider_refused"],
    [{ subtype: "error_max_structured_output_retries", is_error: true, errors: ["no"] }, "provider_bad_output"],
    [{ subtype: "error_during_execution", is_error: true, errors: ["it broke"] }, "provider_error"],
    [{ is_error: true, result: "it broke" }, "provider_error"],
    [{ result: " \n" }, "provider_bad_output"],
    [{ subtype: "a new one" }, "provider_error"],
  ])("by its result: %j", async (more, failure) => {
    const { result } = await run(failing(say.result(more)));
    expect(result).toMatchObject({ status: "failed", failure, inputTokens: 100, costUsd: 0.000_573 });
  });

  it("without a result report what the SDK threw", async () => {
    const { result } = await run(failing());
    expect(result).toMatchObject({ failure: "provider_error", message: expect.stringContaining("returned an error") });
  });

  it.each([
    [{}, "provider_auth", "ANTHROPIC_API_KEY"],
    [{ ANTHROPIC_API_KEY: "" }, "provider_auth", "ANTHROPIC_API_KEY"],
    [{ ANTHROPIC_AUTH_TOKEN: "t" }, "provider_auth", "ANTHROPIC_API_KEY"],
  ])("without a key: %j", async (env, failure, word) => {
    const { result, sdk } = await run(answering, {}, {}, env);
    expect(result).toMatchObject({ failure, message: expect.stringContaining(word) });
    expect(sdk.sessions).toEqual([]);
  });

  it("takes other credentials when the configuration hands them on", async () => {
    const { result } = await run(answering, {}, { env: ["ANTHROPIC_AUTH_TOKEN"] }, { ANTHROPIC_AUTH_TOKEN: "t" });
    expect(result.status).toBe("completed");
  });

  it.each(["--dangerously-skip-permissions", "a b", "m\u0000", "x".repeat(201), "constructor:__proto__/..\u0000"])(
    "refuses what is no model: %j",
    async (model) => {
      const { result, sdk } = await run(answering, { model });
      expect(result).toMatchObject({ failure: "provider_refused" });
      expect(sdk.sessions).toEqual([]);
    },
  );

  it("passes over what it does not know", async () => {
    const odd = [null, 7, "x", [], {}, { type: "assistant" }, { type: "user", message: { content: [7, {}] } }];
    const { result } = await run(() => [...odd, { type: "stream_event", event: null }, say.result()]);
    expect(result).toMatchObject({ status: "completed", stdout: "Hello world" });
  });

  it("does not report a price that the SDK made up", async () => {
    const script: SessionScript = () => [say.result({ modelUsage: { m: say.modelUsage({ costBasis: "unknown" }) } })];
    const { result, logs } = await run(script);
    expect(result).toMatchObject({ inputTokens: 100 });
    expect(result).not.toHaveProperty("costUsd");
    expect(logs).toContainEqual(expect.objectContaining({ message: expect.stringContaining("price") as string }));
  });
});

describe("the end of a session", () => {
  const hanging: SessionScript = async function* ({ options }) {
    yield say.messageStart();
    yield say.piece("a word, and then nothing");
    await aborted(options.abortController.signal);
  };

  it("comes with the abort, and what was received is paid for", async () => {
    const { adapter } = await open(hanging, { default_model: "claude-sonnet-4-5" });
    const stop = new AbortController();
    const { result } = await attempt(adapter, {}, { signal: stop.signal, onPartial: () => stop.abort() });
    expect(result).toMatchObject({ failure: "cancelled", inputTokens: 100, outputTokens: 6 });
    expect(readdirSync(directory)).toEqual([]);
  });

  it("is a timeout when the time was over", async () => {
    const { adapter } = await open(query);
    const stop = new AbortController();
    const timeUp = (): void => stop.abort(new DOMException("over", "TimeoutError"));
    const { result } = await attempt(adapter, { message: "SLOW" }, { signal: stop.signal, onPartial: timeUp });
    expect(result).toMatchObject({ failure: "timeout" });
  });

  it("comes with cancel and with shutdown, also from an SDK that never ends", async () => {
    const deaf: SessionScript = async function* () {
      yield say.piece("a");
      await new Promise(() => undefined);
    };
    const { adapter } = await open(deaf);
    const first = await attempt(adapter, { dispatchId: "d7" }, { onPartial: () => void adapter.cancel("d7") });
    expect(first.result).toMatchObject({ failure: "cancelled" });
    const second = await attempt(adapter, {}, { onPartial: () => void adapter.shutdown() });
    expect(second.result).toMatchObject({ failure: "cancelled" });
  });

  it("ends what the SDK started", async () => {
    let pid: number | undefined;
    const starting: SessionScript = async function* ({ options }) {
      const { cwd, env } = options;
      const child = options.spawnClaudeCodeProcess({ command: "/bin/sleep", args: ["600"], cwd, env });
      ({ pid } = child);
      yield say.result();
    };
    const { result } = await run(starting);
    expect(result.status).toBe("completed");
    expect(pid).toBeGreaterThan(0);
    expect(() => process.kill(pid ?? 0, 0)).toThrow("ESRCH");
  });
});

describe("the SDK that is not installed", () => {
  it("is refused with what to do, and seen by the health", async () => {
    const adapter = createClaudeAgentAdapter({ env: ENV, directory });
    await adapter.initialize({ sdk: directory });
    const { result } = await attempt(adapter);
    expect(result).toMatchObject({ failure: "provider_refused", message: expect.stringContaining("npm install") });
    expect(await adapter.checkHealth()).toMatchObject({
      status: "offline",
      message: expect.stringContaining(directory),
    });
  });

  it("is reported before the key is", async () => {
    const { adapter } = await open(answering, {}, {});
    expect(await adapter.checkHealth()).toMatchObject({ status: "degraded" });
    const { adapter: whole } = await open(answering);
    expect(await whole.checkHealth()).toEqual({ status: "healthy" });
  });
});

describe("its configuration", () => {
  it.each([
    [{ sdk: "relative/path" }, "sdk"],
    [{ tools: ["Read,Write"] }, "tools"],
    [{ tools: ["Bash(a,b)"] }, "tools"],
    [{ tools: ["--flag"] }, "tools"],
    [{ env: ["NODE_OPTIONS"] }, "env"],
    [{ env: ["PATH"] }, "env"],
    [{ max_turns: 0 }, "max_turns"],
    [{ max_turns: 10_001 }, "max_turns"],
    [{ max_retries: 11 }, "max_retries"],
    [{ max_budget_usd: 0 }, "max_budget_usd"],
    [{ default_model: "-p" }, "default_model"],
    [{ base_url: "file:///etc" }, "base_url"],
    [{ mcp: {} }, "mcp"],
  ])("refuses %j", async (config, word) => {
    await expect(open(answering, config)).rejects.toThrow(word);
  });

  it.each([{ max_turns: 1 }, { max_turns: 10_000 }, { max_retries: 0 }, { max_retries: 10 }])(
    "takes %j",
    async (config) => {
      await expect(open(answering, config)).resolves.toBeDefined();
    },
  );
});

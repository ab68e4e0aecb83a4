import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createFakeSdk, type SessionScript, useTool } from "../../../test/claude-agent/fake-sdk.ts";
import * as say from "../../../test/claude-agent/messages.ts";
import { attempt } from "../../../test/providers/index.ts";
import {
  type AdapterRequest,
  checkAdapter,
  TrialJudge,
  type TrialJudgeOptions,
  type TurnHooks,
} from "../../adapter/index.ts";
import { type JsonObject, succeed } from "../../core/base/index.ts";
import { createClaudeAgentAdapter } from "./claude-agent-adapter.ts";

const directory = mkdtempSync(join(tmpdir(), "sluice-claude-judge-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Use {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A session that uses these tools, one after the other, and then answers. */
function using(uses: readonly Use[], made: Use[], run: (use: Use) => unknown = () => ({ ok: true })): SessionScript {
  return async function* (session) {
    yield say.init();
    for (const [index, use] of uses.entries()) {
      const id = `toolu_${index}`;
      yield say.assistant([say.toolUse(id, use.name, use.input)]);
      const { content, isError } = await useTool(session, { id, ...use }, (input) => {
        made.push({ name: use.name, input });
        return run(use);
      });
      yield say.toolResult(id, content, isError);
    }
    yield say.assistant([say.text("Hello world")]);
    yield say.messageDelta("end_turn", 20);
    yield say.result();
  };
}

const READ: Use = { name: "Read", input: { file_path: "a" } };
const BASH: Use = { name: "Bash", input: { command: "git log" } };
const CONFIG: JsonObject = { tools: ["Read", "Bash(git log:*)"] };
const REQUEST: Partial<AdapterRequest> = { tools: ["Read", "Bash"] };

async function open(script: SessionScript) {
  const sdk = createFakeSdk(script);
  const env = { ANTHROPIC_API_KEY: "sk-ant-test-0000000000" };
  const adapter = createClaudeAgentAdapter({ env, directory, load: () => Promise.resolve(succeed(sdk)) });
  await adapter.initialize(CONFIG);
  return { adapter, sdk };
}

async function play(
  uses: readonly Use[],
  options: Omit<TrialJudgeOptions, "idempotencyKey"> = {},
  request: Partial<AdapterRequest> = {},
  run?: (use: Use) => unknown,
) {
  const made: Use[] = [];
  const judge = new TrialJudge({ idempotencyKey: "key-1", ...options });
  const asked: Parameters<TurnHooks["tool"]>[0][] = [];
  const turn: TurnHooks = {
    ...judge.hooks,
    tool: (ask) => {
      asked.push(ask);
      return judge.hooks.tool(ask);
    },
  };
  const { adapter, sdk } = await open(using(uses, made, run));
  const { result, logs } = await attempt(adapter, { ...REQUEST, ...request }, { turn });
  return { result, logs, made, judge, asked, sdk, messages: "messages" in result ? result.messages : undefined };
}

describe("a judged session of claude-agent", () => {
  it("asks about every call before it is made, waits for people, and reports each result", async () => {
    const { result, made, judge, asked } = await play([READ, READ]);
    expect(result).toMatchObject({ status: "completed", stdout: "Hello world", inputTokens: 100 });
    expect(made).toEqual([READ, READ]);
    expect(asked).toEqual([
      { callId: "key-1/0/0", tool: "Read", args: { file_path: "a" }, waits: true },
      { callId: "key-1/0/1", tool: "Read", args: { file_path: "a" }, waits: true },
    ]);
    expect(judge.steps.map(({ kind }) => kind)).toEqual(["ask", "result", "ask", "result"]);
    expect(judge.resume().results["key-1/0/0"]).toEqual({ result: { ok: true }, isError: false });
  });

  it("has the tools that a pattern of the step names", async () => {
    const { made, asked } = await play([READ, BASH], {}, { tools: ["R*"] });
    expect(made).toEqual([READ]);
    expect(asked.map(({ tool }) => tool)).toEqual(["Read"]);
    expect((await play([], {}, { tools: ["Web*"] })).result).toMatchObject({ failure: "provider_refused" });
  });

  it("gives a denial to the model, and makes no such call", async () => {
    const { result, made, messages } = await play([READ], {
      rule: () => ({ disposition: "deny", reason: "Not today." }),
    });
    expect(result).toMatchObject({ status: "completed" });
    expect(made).toEqual([]);
    expect(JSON.stringify(messages)).toContain("Not today.");
  });

  it("calls with the args a person has made of it, where no rule would have to be checked", async () => {
    const rule = () => ({ disposition: "allow" as const, args: { file_path: "b" }, note: "A person changed it." });
    expect((await play([READ], { rule })).made).toEqual([{ name: "Read", input: { file_path: "b" } }]);
    const { made, messages } = await play([BASH], { rule });
    expect(made).toEqual([]);
    expect(JSON.stringify(messages)).toContain("cannot be checked");
  });

  it("holds an allowed call to the rules of the configuration, and judges nothing of the SDK's own", async () => {
    const { made, asked, messages } = await play([BASH, { name: "StructuredOutput", input: {} }]);
    expect(made).toEqual([]);
    expect(asked.map(({ tool }) => tool)).toEqual(["Bash"]);
    expect(JSON.stringify(messages)).toContain("Bash is not allowed like this");
  });

  it("reports what failed as an error", async () => {
    const { judge } = await play([READ], {}, {}, () => {
      throw new Error("no such file");
    });
    expect(judge.resume().results["key-1/0/0"]).toEqual({ result: "Error: no such file", isError: true });
  });

  it("denies what cannot be judged", async () => {
    const { made, logs } = await play([READ], {
      watch: () => {
        throw new Error("The attempt is over.");
      },
    });
    expect(made).toEqual([]);
    expect(logs).toContainEqual({
      level: "warning",
      message: expect.stringContaining("The attempt is over.") as string,
    });
  });

  it("gives the calls of a retry ids of their own", async () => {
    const { asked, made } = await play([READ, READ], {}, { attempt: 2 });
    expect(asked.map(({ callId }) => callId)).toEqual(["key-1/0/1000000", "key-1/0/1000001"]);
    // What the server does not take as an id is not made.
    expect(made).toEqual([READ, READ]);
  });

  it("is as it was where no calls are judged", async () => {
    const made: Use[] = [];
    const { adapter, sdk } = await open(using([READ], made));
    expect((await attempt(adapter, REQUEST)).result).toMatchObject({ status: "completed" });
    expect(made).toEqual([READ]);
    expect(sdk.sessions[0]?.options).not.toHaveProperty("hooks");
  });

  it("keeps the interface", async () => {
    const { adapter } = await open(using([READ], []));
    const { checks } = await checkAdapter(adapter, { config: CONFIG, turn: REQUEST });
    const turns = checks.filter(({ name }) => name.startsWith("turn")).map(({ name, ok }) => [name, ok]);
    expect(turns).toEqual([
      ["turn: order", true],
      ["turn: denial", true],
      ["turn: suspension", null],
      ["turn: resume", null],
    ]);
  });
});

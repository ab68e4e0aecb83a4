import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SluiceClient } from "../../src/client/index.ts";
import { startToolServer, type ToolServer } from "../mcp/http-server.ts";
import { type Behaviour, type ProviderServer, startAnthropicServer, startOpenAiServer } from "../providers/index.ts";
import { prepareProgram, type ServerProcess, startProgram } from "./support/server-process.ts";
import { waitFor } from "./support/waiting.ts";

const KEY = "slk_models_test_key";
/** Must never be seen outside the Bridge. */
const SECRETS = { OPENAI_API_KEY: "sk-canary-openai-0123456789", ANTHROPIC_API_KEY: "sk-ant-canary-9876543210" };

const WORKFLOW = (provider: string, model: string): string => `name: ask-${provider}
steps:
  - id: look_up
    command: Look the word up and say what it means.
    provider: ${provider}
    model: ${model}
    tools: [words/echo]
  - id: classify
    command: "Classify: \${look_up.stdout}"
    provider: ${provider}
    model: ${model}
    outputs: { kind: { type: string, enum: [noun, verb] }, score: integer }
`;

/** A tool call, the answer that follows it, JSON that breaks its contract, and JSON that keeps it. */
const SCRIPT: readonly Behaviour[] = [
  {
    kind: "spoken",
    chunks: [],
    toolCalls: [{ id: "call_1", name: "words__echo", args: '{"text":"tide"}' }],
    usage: { input: 100, output: 10 },
  },
  { kind: "spoken", chunks: ["The ", "tide ", "is rising"], usage: { input: 200, output: 20 } },
  { kind: "spoken", chunks: ['{"kind": "planet"}'], usage: { input: 300, output: 30 } },
  { kind: "spoken", chunks: ['{"kind": "noun", "score": 7}'], usage: { input: 400, output: 40 } },
];

describe("models behind a Bridge of their own", () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-models-"));
  let openAi: ProviderServer;
  let anthropic: ProviderServer;
  let tools: ToolServer;
  let server: ServerProcess;
  let bridge: ServerProcess;
  let client: SluiceClient;

  beforeAll(async () => {
    prepareProgram();
    [openAi, anthropic, tools] = await Promise.all([
      startOpenAiServer(SCRIPT),
      startAnthropicServer(SCRIPT),
      startToolServer(),
    ]);
    const config = {
      adapters: { "ai-sdk": { mcp: { servers: { words: { url: tools.url } } } } },
    };
    writeFileSync(join(folder, "bridge.yaml"), JSON.stringify(config));
    server = await startProgram(
      ["up", "--json", "--port", "0", "--data", join(folder, "server"), "--no-demo", "--key", KEY],
      folder,
    );
    const flags = ["--server", server.url, "--token", KEY, "--config", "bridge.yaml", "--adapters", "ai-sdk"];
    const env = { ...SECRETS, OPENAI_BASE_URL: openAi.baseUrl, ANTHROPIC_BASE_URL: anthropic.baseUrl };
    bridge = await startProgram(
      ["bridge", "--json", "--port", "0", "--data", join(folder, "bridge"), ...flags],
      folder,
      env,
    );
    client = new SluiceClient({ url: server.url, key: KEY });
    await waitFor("the Bridge to be registered", async () => (await client.listGateways()).data.length === 2);
  });
  afterAll(async () => {
    await bridge?.stop();
    await server?.stop();
    await Promise.all([openAi, anthropic, tools].map((one) => one?.close()));
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    // 1,000 tokens in and 100 out, at 1.25 and 10 dollars per million; at 3 and 15.
    ["openai", "gpt-5", 2_250],
    ["anthropic", "claude-sonnet-4-5", 4_500],
  ])("streams, calls a tool, keeps its contract and costs what it costs: %s", async (provider, model, micros) => {
    const name = `ask-${provider}`;
    await client.saveWorkflow(name, WORKFLOW(provider, model));
    const { id } = await client.startRun({ workflow: name });
    const types: string[] = [];
    let text = "";
    for await (const { type, payload } of client.watchRun(id)) {
      types.push(type);
      const { nodeId, text: piece } = payload as { readonly nodeId?: string; readonly text?: string };
      if (type === "node.stream.delta" && nodeId === "look_up") text += piece ?? "";
    }
    expect(types.at(-1)).toBe("run.completed");
    expect(text).toBe("The tide is rising");
    const state = await client.getState(id);
    expect(state.costMicros).toBe(micros);
    expect(state.nodeResults.map(({ nodeId, outputs }) => [nodeId, outputs])).toEqual([
      ["look_up", {}],
      ["classify", { kind: "noun", score: 7 }],
    ]);
    const detail = await client.getNode(id, "classify");
    expect(detail.attempts).toHaveLength(1);
    expect(detail.attempts[0]).toMatchObject({ inputTokens: 700, outputTokens: 70, route: { executionPath: "async" } });
    expect(JSON.stringify(detail)).toContain("planet");
  });

  it("shows no key", async () => {
    const runs = await client.listRuns({});
    const seen: string[] = [server.complaints, bridge.complaints];
    for (const { id } of runs.data) seen.push(JSON.stringify(await client.getState(id)));
    for (const directory of ["server", "bridge"]) {
      seen.push(readFileSync(join(folder, directory, ".gitignore"), "utf8"));
    }
    for (const secret of Object.values(SECRETS)) expect(seen.join("\n")).not.toContain(secret);
    const [used] = openAi.calls.map(({ headers }) => headers.authorization);
    expect(used).toBe(`Bearer ${SECRETS.OPENAI_API_KEY}`);
  });
});

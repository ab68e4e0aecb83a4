/**
 * Tries the adapter `claude-agent` with the real SDK against a local server that speaks the Messages protocol. Nothing
 * leaves this machine. The SDK is no dependency, so that no ordinary test can do this:
 *
 *   npm install --prefix FOLDER @anthropic-ai/claude-agent-sdk
 *   npx tsx scripts/claude-agent.ts FOLDER
 */
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { checkAdapter, type AdapterRequest, type TurnHooks } from "../src/adapter/index.ts";
import { closeAdapters, EMPTY_SCRIPT, openAdapters } from "../src/adapters/index.ts";
import { createSystemClock } from "../src/clock/index.ts";
import {
  answerStatus,
  attempt,
  callTool,
  hang,
  say,
  startAnthropicServer,
  type Behaviour,
} from "../test/providers/index.ts";

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const [folder = ""] = process.argv.slice(2);
const directory = mkdtempSync(join(tmpdir(), "sluice-claude-agent-"));
const proof = join(directory, "proof");
const schema = { type: "object", properties: { count: { type: "integer" } }, required: ["count"] };

/** What the model does is decided by a word in the conversation. */
function behave(text: string): Behaviour {
  const isAnswered = text.includes('"tool_result"');
  if (text.includes("LIMITED")) return answerStatus(429, "slow down", { "retry-after": "7" });
  if (text.includes("LOCKED")) return answerStatus(401, "bad key");
  if (text.includes("BUSY")) return answerStatus(529, "Overloaded");
  if (text.includes("NOWHERE")) return answerStatus(404, "model: none");
  if (text.includes("REFUSE")) return { ...say("I cannot."), finish: "refusal" };
  if (text.includes("SLOW")) return hang("one ", "two ");
  if (text.includes("STRUCTURED") && !isAnswered) return callTool("StructuredOutput", '{"count":5}');
  if (/ESCAPE|OUTSIDE/.test(text) && !isAnswered) {
    return callTool("Bash", JSON.stringify({ command: `touch ${proof}` }));
  }
  if (text.includes("RESUME") && isAnswered) return text.includes("interrupted") ? say("continued") : hang("one ");
  if (/EDIT|RESUME/.test(text) && !isAnswered) return callTool("Write", '{"file_path":"note.txt","content":"x"}');
  return say("Hello ", /canary\d+end/.exec(text)?.[0] ?? "world");
}

const server = await startAnthropicServer(({ body }) => behave(JSON.stringify(body["messages"])));
const section = {
  sdk: resolve(folder),
  base_url: server.baseUrl.replace(/\/v1$/, ""),
  default_model: "claude-sonnet-4-5",
  tools: ["Read", "Write", "Bash(git log:*)"],
};
const [adapter] = await openAdapters({
  names: ["claude-agent"],
  sections: { "claude-agent": section },
  env: { ANTHROPIC_API_KEY: "sk-ant-local-000000000000", SHOULD_NOT_BE_SEEN: "x" },
  clock: createSystemClock(),
  directory: join(directory, "work"),
  script: EMPTY_SCRIPT,
  ledger: null,
});
if (adapter === undefined) throw new Error("There is no adapter.");

const TRIALS: Readonly<Record<string, Partial<AdapterRequest>>> = {
  plain: { message: "Say hello.", systemPrompt: "Be brief." },
  structured: { message: "STRUCTURED", outputStrategy: "json", outputSchema: schema },
  "a tool that is off": { message: "ESCAPE", tools: ["Read"] },
  "a tool outside its rule": { message: "OUTSIDE", tools: ["Bash"] },
  "a tool that is allowed": { message: "EDIT", tools: ["Write"] },
  "rate limit": { message: "LIMITED" },
  "bad key": { message: "LOCKED" },
  overloaded: { message: "BUSY" },
  "no such model": { message: "NOWHERE" },
  refusal: { message: "REFUSE" },
  "long instructions": { message: "Say hello.", systemPrompt: "x".repeat(1_000_000) },
};
for (const [name, request] of Object.entries(TRIALS)) {
  const begun = Date.now();
  const { result, partials, logs } = await attempt(adapter, request);
  const shown = JSON.stringify({ ...result, ...("messages" in result ? { messages: result.messages?.length } : {}) });
  print(`${name} (${Date.now() - begun} ms): ${shown} pieces ${JSON.stringify(partials)} log ${logs.length}`);
}
const begun = Date.now();
const stop = new AbortController();
const aborted = await attempt(adapter, { message: "SLOW" }, { signal: stop.signal, onPartial: () => stop.abort() });
print(`aborted (${Date.now() - begun} ms): ${JSON.stringify({ ...aborted.result, messages: undefined })}`);
const writing = { message: "RESUME", tools: ["Write"], idempotencyKey: "run-1/writing/0" };
const cut = new AbortController();
const calls: string[] = [];
const turn: TurnHooks = {
  round: () => Promise.reject(new Error("a session reports no rounds")),
  tool: ({ callId, tool, args }) => {
    calls.push(tool);
    return Promise.resolve({ disposition: "allow", callId, args });
  },
  toolResult: () => Promise.resolve(),
};
await attempt(adapter, writing, { signal: cut.signal, turn, onPartial: () => cut.abort("stopped") });
const continued = await attempt(adapter, { ...writing, segment: 1 }, { turn });
print(`continued: ${JSON.stringify({ ...continued.result, messages: undefined })} calls ${calls.join(", ")}`);
print(
  `written by a tool: ${existsSync(proof)}; left in the work directory: ${readdirSync(join(directory, "work")).length}`,
);

const report = await checkAdapter(adapter, {
  config: section,
  sample: (canary) => ({ message: `Say ${canary}.` }),
  slow: { message: "SLOW" },
});
for (const { name, ok, detail } of report.checks) print(`${ok === null ? "–" : ok ? "✓" : "✗"} ${name}: ${detail}`);

await closeAdapters([adapter]);
await server.close();
rmSync(directory, { recursive: true, force: true });

/**
 * The real package with its program, against a stand-in of the API on this machine. It is no dependency, because it is large:
 * `npm install @anthropic-ai/claude-agent-sdk` in a folder, and name that folder in CLAUDE_AGENT_SDK to run these tests.
 */
import { createServer, type Server } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { attempt } from "../../../test/providers/index.ts";
import type { CallRuling, ToolAsk, ToolReport } from "../../adapter/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import { createClaudeAgentAdapter } from "./claude-agent-adapter.ts";

const FOLDER = process.env["CLAUDE_AGENT_SDK"];
const SECONDS = 1_000;

/** An answer as the API streams it: words, and a call of a tool where there is one. */
function streamed(words: string, call?: { readonly name: string; readonly input: JsonObject }): string {
  const usage = { input_tokens: 10, output_tokens: 1 };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-4-5", content: [], usage };
  const json = { type: "input_json_delta", partial_json: JSON.stringify(call?.input) };
  const tool = { type: "tool_use", id: "toolu_1", name: call?.name, input: {} };
  const parts: readonly JsonObject[] = [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: words } },
    { type: "content_block_stop", index: 0 },
    ...(call === undefined
      ? []
      : [
          { type: "content_block_start", index: 1, content_block: { ...tool, name: call.name } },
          { type: "content_block_delta", index: 1, delta: json },
          { type: "content_block_stop", index: 1 },
        ]),
    { type: "message_delta", delta: { stop_reason: call === undefined ? "end_turn" : "tool_use" }, usage },
    { type: "message_stop" },
  ];
  return parts.map((part) => `event: ${String(part["type"])}\ndata: ${JSON.stringify(part)}\n\n`).join("");
}

describe.skipIf(FOLDER === undefined)("a session of the real package", () => {
  let close: (() => void) | undefined;
  afterEach(() => close?.());

  /** Wants one call, and answers once it has a result. */
  async function session(judge: (call: ToolAsk) => Promise<CallRuling>) {
    const bodies: string[] = [];
    const server: Server = createServer((request, response) => {
      let body = "";
      request.on("data", (piece: Buffer) => (body += piece.toString()));
      request.on("end", () => {
        bodies.push(body);
        response.writeHead(200, { "content-type": "text/event-stream" });
        const call = { name: "Bash", input: { command: "echo hi-from-bash", description: "greets" } };
        response.end(body.includes('"tool_result"') ? streamed("Done.") : streamed("I greet.", call));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const directory = mkdtempSync(join(tmpdir(), "sluice-claude-real-"));
    close = () => {
      server.closeAllConnections();
      server.close();
      rmSync(directory, { recursive: true, force: true });
    };
    const env = { ANTHROPIC_API_KEY: "sk-ant-test-0000000000", PATH: process.env["PATH"] };
    const adapter = createClaudeAgentAdapter({ env, directory });
    const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await adapter.initialize({ sdk: FOLDER ?? "", base_url, tools: ["Bash"] });
    const [asked, results]: [ToolAsk[], ToolReport[]] = [[], []];
    const turn = {
      round: () => Promise.reject(new Error("It reports no rounds.")),
      tool: (call: ToolAsk) => {
        asked.push(call);
        return judge(call);
      },
      toolResult: (report: ToolReport) => Promise.resolve(void results.push(report)),
    };
    const { result } = await attempt(adapter, { message: "Greet.", tools: ["Bash"], timeoutMs: null }, { turn });
    return { result, asked, results, bodies };
  }

  const allow = ({ callId, args }: ToolAsk): CallRuling => ({ disposition: "allow", callId, args });

  it(
    "asks about a call before it is made, and reports what came of it",
    async () => {
      const { result, asked, results, bodies } = await session((call) => Promise.resolve(allow(call)));
      expect(result).toMatchObject({ status: "completed", stdout: "Done." });
      expect(asked).toMatchObject([{ tool: "Bash", args: { command: "echo hi-from-bash" }, waits: true }]);
      expect(results).toMatchObject([{ callId: asked[0]?.callId, isError: false, result: { stdout: "hi-from-bash" } }]);
      expect(bodies.at(-1)).toContain("hi-from-bash");
    },
    60 * SECONDS,
  );

  it(
    "makes no call that is denied, and gives its model the reason",
    async () => {
      const reason = "Not on Sundays.";
      const denied = await session(({ callId }) => Promise.resolve({ disposition: "deny", callId, reason }));
      expect(denied.result).toMatchObject({ status: "completed", stdout: "Done." });
      expect([denied.asked.length, denied.results]).toEqual([1, []]);
      expect(denied.bodies.at(-1)).toContain(reason);
    },
    60 * SECONDS,
  );

  it(
    "waits for the answer about a held call with its process alive",
    async () => {
      const held = await session(async (call) => {
        await new Promise((resolve) => setTimeout(resolve, 2 * SECONDS));
        return allow(call);
      });
      expect(held.result).toMatchObject({ status: "completed", stdout: "Done." });
      expect(held.results).toMatchObject([{ isError: false }]);
    },
    60 * SECONDS,
  );
});

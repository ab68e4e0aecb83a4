import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { attempt } from "../../../test/providers/index.ts";
import { type AdapterRequest, TrialJudge } from "../../adapter/index.ts";
import { createAiSdkAdapter } from "./ai-sdk-adapter.ts";
import type { ToolOpener } from "./model-tools.ts";

const KEY = "key-1";
const SIGNED = "c2lnbmVkLWJ5LXRoZS12ZW5kb3I=";

let close: (() => void)[] = [];
afterEach(() => {
  for (const one of close) one();
  close = [];
});

/** Answers each request with the next list of frames, and keeps what was asked. */
async function vendorOf(answers: readonly (readonly string[])[]) {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request
      .on("data", (piece: Buffer) => (body += piece.toString("utf8")))
      .on("end", () => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end((answers[bodies.push(body) - 1] ?? []).join(""));
      });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  close.push(() => server.close());
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

const frame = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
const event = (type: string, data: object): string => `event: ${type}\n${frame({ type, ...data })}`;

const gemini = (parts: readonly object[]): string =>
  frame({
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
  });

/** A vendor that signs its thoughts, and refuses a conversation in which the signature is missing. */
const SIGNING = [
  {
    provider: "google",
    model: "gemini-2.5-flash",
    key: "GOOGLE_GENERATIVE_AI_API_KEY",
    calls: [
      gemini([
        { functionCall: { name: "orders__find", args: { order: 7 } }, thoughtSignature: SIGNED },
        { functionCall: { name: "orders__refund", args: { amount: 900 } } },
      ]),
    ],
    done: [gemini([{ text: "Done." }])],
    sentBack: `"thoughtSignature":"${SIGNED}"`,
  },
  {
    provider: "anthropic",
    model: "claude-sonnet-5",
    key: "ANTHROPIC_API_KEY",
    calls: [
      event("message_start", {
        message: {
          id: "m1",
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          usage: { input_tokens: 100 },
        },
      }),
      event("content_block_start", { index: 0, content_block: { type: "thinking", thinking: "", signature: "" } }),
      event("content_block_delta", { index: 0, delta: { type: "thinking_delta", thinking: "Hm." } }),
      event("content_block_delta", { index: 0, delta: { type: "signature_delta", signature: SIGNED } }),
      event("content_block_stop", { index: 0 }),
      ...[
        { id: "toolu_1", name: "orders__find", args: '{"order":7}' },
        { id: "toolu_2", name: "orders__refund", args: '{"amount":900}' },
      ].flatMap(({ id, name, args }, at) => [
        event("content_block_start", { index: at + 1, content_block: { type: "tool_use", id, name, input: {} } }),
        event("content_block_delta", { index: at + 1, delta: { type: "input_json_delta", partial_json: args } }),
        event("content_block_stop", { index: at + 1 }),
      ]),
      event("message_delta", { delta: { stop_reason: "tool_use", stop_sequence: null }, usage: { output_tokens: 20 } }),
      event("message_stop", {}),
    ],
    done: [
      event("message_start", {
        message: {
          id: "m2",
          type: "message",
          role: "assistant",
          model: "m",
          content: [],
          usage: { input_tokens: 100 },
        },
      }),
      event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
      event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Done." } }),
      event("content_block_stop", { index: 0 }),
      event("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 2 } }),
      event("message_stop", {}),
    ],
    sentBack: `"signature":"${SIGNED}"`,
  },
  {
    provider: "openai",
    model: "gpt-5",
    key: "OPENAI_API_KEY",
    calls: [
      frame({ type: "response.created", response: { id: "resp_1", created_at: 1, model: "m" } }),
      ...["added", "done"].map((state) =>
        frame({
          type: `response.output_item.${state}`,
          output_index: 0,
          item: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: SIGNED },
        }),
      ),
      ...[
        { id: "call_1", name: "orders__find", args: '{"order":7}' },
        { id: "call_2", name: "orders__refund", args: '{"amount":900}' },
      ].flatMap(({ id, name, args }, at) => {
        const item = { type: "function_call", id: `fc_${at}`, call_id: id, name, arguments: args, status: "completed" };
        const place = { output_index: at + 1 };
        return [
          frame({ type: "response.output_item.added", ...place, item: { ...item, arguments: "" } }),
          frame({ type: "response.function_call_arguments.delta", ...place, item_id: item.id, delta: args }),
          frame({ type: "response.output_item.done", ...place, item }),
        ];
      }),
      frame({
        type: "response.completed",
        response: { id: "resp_1", usage: { input_tokens: 100, output_tokens: 20 } },
      }),
    ],
    done: [
      frame({ type: "response.created", response: { id: "resp_2", created_at: 1, model: "m" } }),
      frame({ type: "response.output_item.added", output_index: 0, item: { type: "message", id: "msg_2" } }),
      frame({
        type: "response.output_text.delta",
        item_id: "msg_2",
        output_index: 0,
        content_index: 0,
        delta: "Done.",
      }),
      frame({ type: "response.output_item.done", output_index: 0, item: { type: "message", id: "msg_2" } }),
      frame({ type: "response.completed", response: { id: "resp_2", usage: { input_tokens: 100, output_tokens: 2 } } }),
    ],
    sentBack: `"encrypted_content":"${SIGNED}"`,
  },
] as const;

describe.each(SIGNING)(
  "parallel calls of $provider, one of them held",
  ({ provider, model, key, calls, done, sentBack }) => {
    it("are continued elsewhere with what the vendor has signed", async () => {
      const vendor = await vendorOf([calls, done]);
      const made: string[] = [];
      const opener: ToolOpener = () => {
        const tool = (name: string) => ({
          tool: name,
          server: "orders",
          inputSchema: { type: "object" },
          execute: (args: object, _: unknown, callId: string) => {
            made.push(`${callId} ${name} ${JSON.stringify(args)}`);
            return Promise.resolve({ done: name });
          },
        });
        const tools = { orders__find: tool("find"), orders__refund: tool("refund") };
        return Promise.resolve({ tools, close: () => Promise.resolve() });
      };
      const judge = new TrialJudge({
        idempotencyKey: KEY,
        rule: ({ tool }) => ({ disposition: tool === "refund" ? "suspend" : "allow" }),
      });
      const play = async (more: Partial<AdapterRequest>) => {
        const adapter = createAiSdkAdapter({ provider, env: { [key]: "sk-test-3f9a" }, tools: opener });
        await adapter.initialize({ endpoints: { [provider]: { kind: provider, base_url: vendor.url } } });
        return attempt(adapter, { model, tools: ["orders/find", "orders/refund"], ...more }, { turn: judge.hooks });
      };
      expect((await play({})).result).toEqual({ status: "suspended" });
      judge.answer(`${KEY}/0/1`, { disposition: "allow", args: { amount: 450 }, note: "Changed." });
      const resume = JSON.parse(JSON.stringify(judge.resume())) as AdapterRequest["resume"];
      const { result } = await play({ resume, segment: 1 });
      expect(result).toMatchObject({ status: "completed", stdout: "Done." });
      expect(made).toEqual([`${KEY}/0/0 find {"order":7}`, `${KEY}/0/1 refund {"amount":450}`]);
      expect(vendor.bodies).toHaveLength(2);
      expect(vendor.bodies[1]).toContain(sentBack);
    });
  },
);

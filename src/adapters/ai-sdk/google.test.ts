import { describe, expect, it } from "vitest";
import { attempt } from "../../../test/providers/index.ts";
import type { AdapterRequest } from "../../adapter/index.ts";
import { createAiSdkAdapter } from "./ai-sdk-adapter.ts";

const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 };
const candidate = (text: string, finishReason?: string) => ({
  candidates: [{ content: { parts: [{ text }] }, finishReason }],
});

/** Answers like the Gemini API, with one frame per value. */
async function play(frames: readonly object[], request: Partial<AdapterRequest> = {}) {
  const calls: { url: string; key: string | null; body: Record<string, unknown> }[] = [];
  const fetch: typeof globalThis.fetch = (input, init) => {
    const key = new Headers(init?.headers).get("x-goog-api-key");
    const url = input instanceof Request ? input.url : input.toString();
    const body = JSON.parse(typeof init?.body === "string" ? init.body : "{}") as Record<string, unknown>;
    calls.push({ url, key, body });
    const text = frames.map((frame) => `data: ${JSON.stringify(frame)}\r\n\r\n`).join("");
    return Promise.resolve(new Response(text, { headers: { "content-type": "text/event-stream" } }));
  };
  const adapter = createAiSdkAdapter({ provider: "google", env: { GOOGLE_GENERATIVE_AI_API_KEY: "g" }, fetch });
  return { ...(await attempt(adapter, { model: "gemini-2.5-flash", ...request })), calls };
}

describe("google", () => {
  it("answers, counts and costs", async () => {
    const frames = [candidate("Hel"), { ...candidate("lo", "STOP"), usageMetadata }];
    const { result, calls, partials } = await play(frames);
    expect(result).toMatchObject({ status: "completed", stdout: "Hello", inputTokens: 100, costUsd: 0.00008 });
    expect(partials).toEqual(["Hel", "lo"]);
    expect(calls).toMatchObject([
      { key: "g", url: expect.stringContaining("gemini-2.5-flash:streamGenerateContent") as string },
    ]);
  });

  it("is given a schema natively", async () => {
    const outputSchema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };
    const frames = [{ ...candidate('{"ok": true}', "STOP"), usageMetadata }];
    const { result, calls } = await play(frames, { outputStrategy: "json", outputSchema });
    expect(result).toMatchObject({ status: "completed", outputs: { ok: true } });
    expect(calls[0]?.body).toMatchObject({ generationConfig: { responseMimeType: "application/json" } });
  });

  it("refuses, breaks off and blocks like the others", async () => {
    const refused = await play([{ ...candidate("", "SAFETY"), usageMetadata }]);
    expect(refused.result).toMatchObject({ failure: "provider_refused" });
    const broken = await play([candidate("abcdefgh")]);
    expect(broken.result).toMatchObject({ failure: "provider_error", inputTokens: 4, outputTokens: 2 });
    const blocked = await play([{ promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata }]);
    expect(blocked.result).toMatchObject({ failure: "provider_refused" });
  });
});

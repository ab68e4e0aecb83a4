import { describe, expect, it } from "vitest";
import { EMPTY_CATALOG } from "../core/definition/index.ts";
import { checkSource } from "../core/plan/index.ts";
import { type ChatProvider, runInBrowser } from "./index.ts";

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
  readonly body: Record<string, unknown>;
}

const frames = (...texts: string[]): string =>
  [
    ...texts.map((content) => ({ choices: [{ delta: { content } }] })),
    { choices: [{ delta: {}, finish_reason: "stop" }] },
  ]
    .map((frame) => `data: ${JSON.stringify(frame)}\n\n`)
    .join("");

async function ask(step: string, answers: readonly (string | Response)[], more: Partial<ChatProvider> = {}) {
  const sent: Sent[] = [];
  const fetch: typeof globalThis.fetch = (input, init = {}) => {
    if (typeof input !== "string" || typeof init.body !== "string") throw new TypeError("texts are sent");
    const answer = answers[sent.length] ?? "";
    sent.push({ url: input, init, body: JSON.parse(init.body) as Record<string, unknown> });
    return Promise.resolve(typeof answer === "string" ? new Response(answer) : answer);
  };
  const { plan } = checkSource(`name: w\nsteps:\n  - ${step}\n`, EMPTY_CATALOG);
  if (plan === null) throw new Error("no plan");
  const provider = {
    kind: "openai-compatible",
    baseUrl: "https://models.test/v1/",
    apiKey: "sk-tab",
    model: "m",
    fetch,
    ...more,
  } as const;
  const outcome = await runInBrowser({ plan, args: {}, provider, runId: "run_1" });
  if (!outcome.ok) throw new Error("not run");
  const node = outcome.value.state.nodes[0]?.now;
  return { sent, node, events: outcome.value.events };
}

describe("a model behind an address", () => {
  it("is sent the key at that address alone, and never through a redirect", async () => {
    const { sent, events } = await ask("{ id: a, command: Hello }", [frames("Hi")]);
    expect(sent).toHaveLength(1);
    expect(sent[0]?.url).toBe("https://models.test/v1/chat/completions");
    expect(sent[0]?.init).toMatchObject({ redirect: "error", credentials: "omit", referrerPolicy: "no-referrer" });
    expect(sent[0]?.init.headers).toMatchObject({ authorization: "Bearer sk-tab" });
    expect(sent[0]?.body).toMatchObject({ model: "m", stream: true, messages: [{ role: "user", content: "Hello" }] });
    expect(JSON.stringify(events)).not.toContain("sk-tab");
  });

  it("is sent no key where there is none", async () => {
    const { sent } = await ask("{ id: a, command: Hello }", [frames("Hi")], { apiKey: "" });
    expect(sent[0]?.init.headers).not.toHaveProperty("authorization");
  });

  it("is the one the node names, without its vendor", async () => {
    const { sent } = await ask("{ id: a, command: Hello, model: 'openai:org/gpt:mini' }", [frames("Hi")]);
    expect(sent[0]?.body["model"]).toBe("org/gpt:mini");
    const { node, sent: none } = await ask("{ id: a, command: Hello }", [], { model: "" });
    expect(none).toEqual([]);
    expect(node).toMatchObject({ status: "failed", errorCode: "provider_refused" });
  });

  it("is given the schema beside the prompt, or in it", async () => {
    const step = "{ id: a, command: Count, outputs: { n: integer } }";
    const native = await ask(step, [frames('{"n": 1}')]);
    expect(native.sent[0]?.body["response_format"]).toMatchObject({
      type: "json_schema",
      json_schema: { name: "outputs", schema: { type: "object" } },
    });
    const shown = await ask(step, [frames('{"n": 1}')], { structuredOutput: "prompt" });
    expect(shown.sent[0]?.body).not.toHaveProperty("response_format");
    expect(JSON.stringify(shown.sent[0]?.body["messages"])).toContain("integer");
  });

  it.each([
    [new Response("sk-tab is no key", { status: 401 }), "provider_auth"],
    [new Response('{"error":{"message":"content_filter"}}', { status: 400 }), "provider_refused"],
    [new Response("no", { status: 404 }), "provider_error"],
    [new Response("no", { status: 500 }), "provider_error"],
    ["", "provider_error"],
    ["data: {broken\n\n", "provider_error"],
    ['data: {"error": {"message": "it fell over"}}\n\n', "provider_error"],
    [frames(), "provider_bad_output"],
    ['data: {"choices":[{"delta":{},"finish_reason":"content_filter"}]}\n\n', "provider_refused"],
  ])("fails as it should (%#)", async (answer, errorCode) => {
    const { node, events } = await ask("{ id: a, command: Hello }", [answer]);
    expect(node).toMatchObject({ status: "failed", errorCode });
    expect(JSON.stringify(events)).not.toContain("sk-tab");
  });
});

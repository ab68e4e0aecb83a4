import { describe, expect, it } from "vitest";
import type { BoundRequest, CallbackResult } from "../../core/engine/index.ts";
import { ALLOWED, DEFAULT_MODERATION, refused } from "../../core/moderation/index.ts";
import { createNodeModeration, type ContentCheck, type ModerationRequest, WithheldPartials } from "./index.ts";
import { WITHHELD_LENGTH_MAX } from "./withheld-partials.ts";

const NODE = { orgId: "o", runId: "run_1", nodeId: "a" };
const NO_TOKENS = { inputTokens: 1, outputTokens: 2, thinkingTokens: 0, cachedTokens: 0 };
const rules = { ...DEFAULT_MODERATION, words: ["bad"] };
const { signal } = new AbortController();

function request(more: Partial<BoundRequest> = {}): BoundRequest {
  return { message: "fine", stdin: null, inputs: {}, outputFields: null, outputStrategy: "text", ...more };
}

function completed(more: Partial<Extract<CallbackResult, { status: "completed" }>> = {}): CallbackResult {
  return { status: "completed", tokens: NO_TOKENS, costMicros: 7, ...more };
}

function gatewayThat(moderate: ContentCheck["moderate"]): ContentCheck & { readonly seen: ModerationRequest[] } {
  const seen: ModerationRequest[] = [];
  return {
    seen,
    moderate: (asked, aborted) => {
      seen.push(asked);
      return moderate(asked, aborted);
    },
  };
}

describe("input", () => {
  const moderation = createNodeModeration({ rules });

  it.each([
    ["the message", { message: "so bad" }],
    ["stdin", { stdin: "bad" }],
    ["an input", { inputs: { a: ["bad"] } }],
    ["the name of an input", { inputs: { bad: 1 } }],
  ])("is stopped for %s", (_, more) => {
    for (const mode of ["input", "both"] as const) {
      expect(moderation.inputNow(mode, NODE, request(more))).toMatchObject({ allowed: false });
    }
    for (const mode of ["off", "output"] as const) {
      expect(moderation.inputNow(mode, NODE, request(more))).toEqual(ALLOWED);
    }
  });

  it("asks the gateway before the node is sent, and only then", async () => {
    const gateway = gatewayThat(() => Promise.resolve(ALLOWED));
    const both = createNodeModeration({ rules, gateway });
    expect([moderation.asksBeforeSend, both.asksBeforeSend]).toEqual([false, true]);
    both.inputNow("both", NODE, request());
    expect(gateway.seen).toEqual([]);
    for (const mode of ["off", "output"] as const) await both.inputBeforeSend(mode, NODE, request(), signal);
    expect(gateway.seen).toEqual([]);
    expect(await both.inputBeforeSend("input", NODE, request({ stdin: "x" }), signal)).toEqual(ALLOWED);
    expect(gateway.seen).toEqual([{ ...NODE, phase: "input", text: "fine", data: { stdin: "x", inputs: {} } }]);
  });
});

describe("a result", () => {
  const moderation = createNodeModeration({ rules });

  it.each([
    ["the text", completed({ stdout: "so b-a-d" })],
    ["an output", completed({ stdout: "fine", outputs: { x: { y: "bad" } } })],
    ["the envelope", completed({ envelope: { kind: "text", artifactKind: "text", output: "bad" } })],
    ["a warning", completed({ stdout: "fine", warnings: ["bad"] })],
  ])("is stopped for %s, keeps its cost and loses its content", async (_, result) => {
    const input = await moderation.result("output", NODE, result, signal);
    expect(input).toEqual({
      status: "completed",
      tokens: NO_TOKENS,
      costMicros: 7,
      moderation: expect.objectContaining({ rule: "words" }),
    });
    expect(await moderation.result("input", NODE, result, signal)).toBe(result);
  });

  it("passes as it was when nothing is refused", async () => {
    const result = completed({ stdout: "fine", outputs: { a: 1 } });
    expect(await moderation.result("both", NODE, result, signal)).toBe(result);
    const failed: CallbackResult = { status: "failed", error: "bad", tokens: NO_TOKENS, costMicros: 0 };
    expect(await moderation.result("both", NODE, failed, signal)).toBe(failed);
  });

  it("goes to the gateway only when the rules let it pass", async () => {
    const decision = { rule: "adapter", category: "x", detail: "No." } as const;
    const gateway = gatewayThat(() => Promise.resolve(refused(decision)));
    const both = createNodeModeration({ rules, gateway });
    await both.result("output", NODE, completed({ stdout: "bad" }), signal);
    expect(gateway.seen).toEqual([]);
    const input = await both.result("output", NODE, completed({ stdout: "fine" }), signal);
    expect(input).toMatchObject({ moderation: decision });
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("secret text");
      },
    ],
    ["rejects", () => Promise.reject(new Error("secret text"))],
    ["answers nothing", () => Promise.resolve(undefined as never)],
    ["answers nonsense", () => Promise.resolve({ allowed: "yes" } as never)],
    ["refuses without a word", () => Promise.resolve({ allowed: false } as never)],
  ])("is stopped when the gateway %s", async (_, moderate) => {
    const both = createNodeModeration({ rules, gateway: gatewayThat(moderate) });
    const input = await both.result("output", NODE, completed({ stdout: "fine" }), signal);
    expect(input).toMatchObject({ moderation: { category: "moderation_unavailable" } });
    expect(JSON.stringify(input)).not.toContain("secret text");
    expect(await both.inputBeforeSend("input", NODE, request(), signal)).toMatchObject({ allowed: false });
  });
});

describe("partials", () => {
  it("are kept in order and given out once", () => {
    const withheld = new WithheldPartials();
    withheld.add([{ index: 0, text: "a" }]);
    withheld.add([
      { index: 1, media: { url: "u", mime: "m" } },
      { index: 2, text: "b" },
    ]);
    expect(withheld.release().map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(withheld.release()).toEqual([]);
    withheld.add([{ index: 3, text: "c" }]);
    withheld.drop();
    expect(withheld.release()).toEqual([]);
  });

  it("are kept up to a limit", () => {
    for (const [more, kept] of [
      [-1, 2],
      [0, 2],
      [1, 1],
    ] as const) {
      const withheld = new WithheldPartials();
      withheld.add([
        { index: 0, text: "a" },
        { index: 1, text: "b".repeat(WITHHELD_LENGTH_MAX - 1 + more) },
      ]);
      withheld.add([{ index: 2, text: "c".repeat(2) }]);
      expect(withheld.release()).toHaveLength(kept);
    }
  });
});

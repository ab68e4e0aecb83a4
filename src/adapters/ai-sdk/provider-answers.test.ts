import { afterEach, describe, expect, it } from "vitest";
import {
  answerStatus,
  attempt,
  createStage,
  hang,
  say,
  TEST_KEY,
  VENDORS,
  type Vendor,
} from "../../../test/providers/index.ts";

const { open, play, clear } = createStage();
afterEach(clear);

const costOf = ({ usualCostUsd }: Vendor) => (usualCostUsd === undefined ? {} : { costUsd: usualCostUsd });
/** What a call costs that was cut after `abcdefgh` in answer to the usual 14 characters. */
const ESTIMATE = { inputTokens: 4, outputTokens: 2 };

describe.each(VENDORS)("$name", (vendor) => {
  it("streams a text and counts it", async () => {
    const { result, partials, server } = await play(vendor, [say("Hel", "lo é😀")], { systemPrompt: "Be brief." });
    expect(result).toEqual({
      status: "completed",
      stdout: "Hello é😀",
      model: vendor.model,
      inputTokens: 100,
      outputTokens: 20,
      thinkingTokens: 0,
      cachedTokens: 0,
      ...costOf(vendor),
      ...(vendor.usualCostUsd === undefined ? {} : { priceId: expect.stringMatching(/^genai-prices\//) as string }),
      sessionId: "run-1/step-1",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Say something." },
        { role: "assistant", content: "Hello é😀" },
      ],
    });
    expect(partials).toEqual(["Hel", "lo é😀"]);
    expect(server.calls).toHaveLength(1);
    expect(JSON.stringify(server.calls[0]?.headers)).toContain(TEST_KEY);
    expect(JSON.stringify(server.calls[0]?.body)).toContain("Be brief.");
  });

  it.each([1, 7])("reads a stream that drips %i bytes at a time", async (bytesPerWrite) => {
    const { result } = await play(vendor, [{ ...say("é😀", "漢"), bytesPerWrite }]);
    expect(result).toMatchObject({ status: "completed", stdout: "é😀漢", inputTokens: 100 });
  });

  it("charges cached tokens as such", async () => {
    const usage = { input: 1_000, output: 10, cached: 800 };
    const { result } = await play(vendor, [{ ...say("ok"), usage }]);
    const costUsd = { openai: 0.00045, anthropic: 0.00066, local: undefined }[vendor.name];
    expect(result).toMatchObject({ inputTokens: 1_000, outputTokens: 10, cachedTokens: 800 });
    expect("costUsd" in result ? result.costUsd : undefined).toBe(costUsd);
  });

  it("estimates what a provider does not count", async () => {
    const { result, logs } = await play(vendor, [{ ...say("abcdefgh"), usage: null }]);
    expect(result).toMatchObject({ status: "completed", ...ESTIMATE });
    expect(logs.map(({ message }) => message)).toContainEqual(expect.stringContaining("estimated"));
  });

  it.each(["filter", "refusal"] as const)("takes a %s as a refusal that costs", async (finish) => {
    const { result } = await play(vendor, [{ ...say("I will not."), finish }]);
    expect(result).toMatchObject({
      status: "failed",
      failure: "provider_refused",
      outputTokens: 20,
      ...costOf(vendor),
    });
    expect(result).toHaveProperty("message", `${vendor.name} (${vendor.model}) refused to answer: I will not.`);
  });

  it("keeps a text that was cut off by its limit, with a warning", async () => {
    const { result, logs } = await play(vendor, [{ ...say("abc"), finish: "length" }]);
    expect(result).toMatchObject({ status: "completed", stdout: "abc" });
    expect(logs).toContainEqual({ level: "warning", message: expect.stringContaining("cut off") as string });
  });

  it.each(["cut", "missing"] as const)("does not take a stream for whole that ends in the middle (%s)", async (end) => {
    const { result, server } = await play(vendor, [{ ...say("abcdefgh"), end }]);
    expect(result).toMatchObject({ status: "failed", failure: "provider_error", ...ESTIMATE });
    expect(server.calls).toHaveLength(1);
  });

  it("fails on a frame that is not JSON", async () => {
    const { result } = await play(vendor, [{ ...say("abcdefgh"), end: "broken-frame" }]);
    expect(result).toMatchObject({ status: "failed", failure: "provider_error" });
    expect(result).toHaveProperty("message", expect.stringContaining("cannot be read"));
  });

  it("fails on an error in the stream, and charges only what was written before it", async () => {
    const late = await play(vendor, [{ ...say("abcdefgh"), end: "error-event" }]);
    expect(late.result).toMatchObject({ status: "failed", failure: "provider_error", ...ESTIMATE });
    const early = await play(vendor, [{ ...say(), end: "error-event" }]);
    expect(early.result).toMatchObject({ status: "failed", failure: "provider_error", inputTokens: 0 });
    expect(early.result).not.toHaveProperty("costUsd");
  });

  it("fails on a page that is no answer, and on an empty one", async () => {
    const page = await play(vendor, [{ kind: "status", status: 200, body: "<html>" }]);
    expect(page.result).toMatchObject({ status: "failed", failure: "provider_error" });
    const empty = await play(vendor, [say()]);
    expect(empty.result).toMatchObject({ status: "failed", failure: "provider_bad_output", ...costOf(vendor) });
  });

  it.each([
    [401, "provider_auth"],
    [403, "provider_auth"],
    [429, "provider_rate_limit"],
    [400, "provider_error"],
    [404, "provider_error"],
    [413, "provider_error"],
    [408, "provider_error"],
    [409, "provider_error"],
    [425, "provider_error"],
    [500, "provider_error"],
    [503, "provider_error"],
    [529, "provider_error"],
  ])("maps status %i to %s, in one call and without cost", async (status, failure) => {
    const { result, server } = await play(vendor, [answerStatus(status, `no ${TEST_KEY} no`)]);
    expect(result).toMatchObject({ status: "failed", failure, inputTokens: 0, outputTokens: 0 });
    expect(result).not.toHaveProperty("costUsd");
    expect(result).not.toHaveProperty("retryAfterMs");
    // The same request would fail again, whatever the step lists under retry_on.
    const isFinal = failure === "provider_error" && [400, 404, 413].includes(status);
    expect("retryable" in result ? result.retryable : undefined).toBe(isFinal ? false : undefined);
    expect(JSON.stringify(result)).toContain(`${status}`);
    expect(JSON.stringify(result)).not.toContain(TEST_KEY);
    expect(server.calls).toHaveLength(1);
  });

  it("repeats nothing that cannot be stored", async () => {
    const { result } = await play(vendor, [answerStatus(500, `a\0b\ud800${"😀".repeat(2_000)}`)]);
    expect(result).toHaveProperty("message", expect.stringContaining("a\uFFFDb\uFFFD"));
    expect(result).toHaveProperty("message", expect.stringMatching(/😀…$/u));
  });

  it("reports how long to wait", async () => {
    const seconds = await play(vendor, [answerStatus(429, "slow", { "retry-after": "7" })]);
    expect(seconds.result).toMatchObject({ failure: "provider_rate_limit", retryAfterMs: 7_000 });
    const precise = await play(vendor, [answerStatus(503, "later", { "retry-after-ms": "1500", "retry-after": "9" })]);
    expect(precise.result).toMatchObject({ failure: "provider_error", retryAfterMs: 1_500 });
  });

  it("takes a filtered request for refused", async () => {
    const body = JSON.stringify({ type: "error", error: { type: "x", code: "content_filter", message: "filtered" } });
    const { result } = await play(vendor, [{ kind: "status", status: 400, body }]);
    expect(result).toMatchObject({ failure: "provider_refused" });
  });

  it("bounds what it repeats of an error, and what it reads of an answer", async () => {
    const long = await play(vendor, [answerStatus(500, "x".repeat(50_000))]);
    expect(long.result).toHaveProperty("message.length", 2_048);
    const body = `{"error":{"message":"${"y".repeat(10_000_000)}`;
    const longer = await play(vendor, [{ kind: "status", status: 500, body }]);
    expect(longer.result).toMatchObject({ failure: "provider_error" });
    const huge = await play(vendor, [{ kind: "huge" }]);
    expect(huge.result).toMatchObject({ status: "failed", failure: "provider_bad_output" });
    expect(huge.result).toHaveProperty("message", expect.stringContaining("too large"));
    expect(huge.result).toHaveProperty("outputTokens", expect.any(Number));
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("is not led astray by the id %s", async (id) => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    const { result } = await play(vendor, [{ ...say("ab", "cd"), id }]);
    expect(result).toMatchObject({ status: "completed", stdout: "abcd" });
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
    expect(({} as Record<string, unknown>)["text"]).toBeUndefined();
  });

  it("charges a stream that is aborted in the middle", async () => {
    const { adapter, server } = await open(vendor, [hang("abcd", "efgh")]);
    const controller = new AbortController();
    const { result, partials } = await attempt(
      adapter,
      { model: vendor.model },
      { signal: controller.signal, onPartial: (text) => text === "efgh" && controller.abort() },
    );
    expect(result).toMatchObject({ status: "failed", failure: "cancelled", ...ESTIMATE });
    expect("costUsd" in result).toBe(vendor.usualCostUsd !== undefined);
    expect(partials).toEqual(["abcd", "efgh"]);
    expect(server.calls).toHaveLength(1);
  });

  it("charges the prompt of a call that is aborted before it answers", async () => {
    const { adapter, server } = await open(vendor, [hang()]);
    const controller = new AbortController();
    const running = attempt(adapter, { model: vendor.model }, { signal: controller.signal });
    await server.arrived(1);
    controller.abort(new DOMException("over", "TimeoutError"));
    expect((await running).result).toMatchObject({ failure: "timeout", inputTokens: 4, outputTokens: 0 });
  });

  it("sends nothing when it is aborted before it begins", async () => {
    const { result, server } = await play(vendor, [], {}, { signal: AbortSignal.abort() });
    expect(result).toEqual({ status: "failed", failure: "cancelled", message: "The request was cancelled." });
    expect(server.calls).toHaveLength(0);
  });

  it("names a provider that is not there", async () => {
    const { adapter, server } = await open(vendor, []);
    await server.close();
    const { result } = await attempt(adapter, { model: vendor.model });
    expect(result).toMatchObject({ failure: "provider_error", inputTokens: 0 });
    expect(result).toHaveProperty("message", expect.stringContaining("ECONNREFUSED"));
  });
});

import { afterEach, describe, expect, it } from "vitest";
import { createStage, say, VENDORS } from "../../../test/providers/index.ts";
import { checkedTokens, Bill, estimated, larger, TOKENS_PER_CALL_MAX } from "./bill.ts";

const { play, clear } = createStage();
afterEach(clear);

const reported = (inputTokens: number | undefined, outputTokens: number | undefined) => ({
  inputTokens,
  outputTokens,
  thinkingTokens: 5,
  cachedTokens: 7,
  cacheWriteTokens: 9,
});

describe("checkedTokens", () => {
  it("takes counts up to the limit, and details only within their whole", () => {
    expect(checkedTokens(reported(TOKENS_PER_CALL_MAX, 0))).toMatchObject({
      inputTokens: TOKENS_PER_CALL_MAX,
      thinkingTokens: 0,
    });
    expect(checkedTokens(reported(10, 3))).toEqual({
      inputTokens: 10,
      outputTokens: 3,
      thinkingTokens: 3,
      cachedTokens: 7,
      cacheWriteTokens: 3,
    });
  });

  it.each([
    [TOKENS_PER_CALL_MAX + 1, 1],
    [1, TOKENS_PER_CALL_MAX + 1],
    [-1, 1],
    [1.5, 1],
    [Number.NaN, 1],
    [undefined, 1],
    [1, undefined],
  ])("does not take %s and %s", (input, output) => {
    expect(checkedTokens(reported(input, output))).toBeNull();
  });
});

describe("Bill", () => {
  it("rounds estimates up, and takes the larger reading", () => {
    expect(estimated(5, 4)).toMatchObject({ inputTokens: 2, outputTokens: 1 });
    expect(larger(estimated(400, 4), estimated(4, 400))).toMatchObject({ inputTokens: 100, outputTokens: 100 });
  });

  it("prices each call alone, by the length it has", async () => {
    const options = { vendor: "anthropic", modelId: "claude-sonnet-4-5", atMs: 0, own: {}, onLog: () => undefined };
    const bill = new Bill(options);
    bill.add(estimated(4 * 150_000, 0));
    bill.add(estimated(4 * 150_000, 0));
    expect(await bill.totals()).toMatchObject({ inputTokens: 300_000, costUsd: 0.9 });
    const long = new Bill(options);
    long.add(estimated(4 * 300_000, 0));
    expect(await long.totals()).toMatchObject({ inputTokens: 300_000, costUsd: 1.8 });
  });

  it("has no cost and logs nothing when nothing was used", async () => {
    const lines: unknown[] = [];
    const bill = new Bill({ vendor: "x", modelId: "y", atMs: 0, own: {}, onLog: (line) => lines.push(line) });
    expect(await bill.totals()).toEqual({ inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 });
    expect(lines).toEqual([]);
  });
});

describe("the cost of an attempt", () => {
  const [openai, , local] = VENDORS;
  if (openai === undefined || local === undefined) throw new Error("a vendor is missing");

  it("is left to the server for a model without a price", async () => {
    const { result, logs } = await play(openai, [say("ok")], { model: "gpt-5-imaginary" });
    expect(result).toMatchObject({ status: "completed", inputTokens: 100 });
    expect(result).not.toHaveProperty("costUsd");
    expect(result).not.toHaveProperty("priceId");
    expect(logs).toContainEqual({
      level: "debug",
      message: expect.stringContaining("openai:gpt-5-imaginary") as string,
    });
  });

  it("follows the operator's own prices first", async () => {
    const prices = {
      "openai:gpt-5": { input_usd_per_mtok: 1, output_usd_per_mtok: 2 },
      "local:llama": { input_usd_per_mtok: 0, output_usd_per_mtok: 0 },
    };
    const own = await play(openai, [say("ok")], {}, { config: { prices } });
    expect(own.result).toHaveProperty("costUsd", 0.00014);
  });

  it("counts thinking as part of the output", async () => {
    const usage = { input: 100, output: 50, thinking: 40 };
    const { result } = await play(openai, [{ ...say("ok"), usage }]);
    expect(result).toMatchObject({ outputTokens: 50, thinkingTokens: 40, costUsd: 0.000625 });
  });

  it("does not believe a broken meter", async () => {
    const { result } = await play(openai, [{ ...say("abcdefgh"), usage: { input: 1e15, output: -4 } }]);
    expect(result).toMatchObject({ status: "completed", inputTokens: 4, outputTokens: 2, costUsd: 0.000025 });
  });
});

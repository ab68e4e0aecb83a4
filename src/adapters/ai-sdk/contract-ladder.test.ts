import { afterEach, describe, expect, it } from "vitest";
import { answerStatus, createStage, say, sayJson, VENDORS } from "../../../test/providers/index.ts";
import { outputJsonSchema } from "../../core/outputs/index.ts";

const { play, clear } = createStage();
afterEach(clear);

const outputSchema = outputJsonSchema({
  vendor_type: { type: "string", required: true, enum: ["saas", "paas"] },
  risk: { type: "integer", required: true, minimum: 0, maximum: 10 },
});
const asked = { outputStrategy: "json", outputSchema } as const;
const good = { vendor_type: "saas", risk: 7 };
const infos = (logs: readonly { level: string; message: string }[]): string[] =>
  logs.filter(({ level }) => level === "info").map(({ message }) => message);

describe.each(VENDORS)("$name", (vendor) => {
  it("takes an answer that fits in one call", async () => {
    const { result, server, partials, logs } = await play(vendor, [sayJson(good)], asked);
    expect(result).toMatchObject({
      status: "completed",
      outputs: good,
      stdout: JSON.stringify(good),
      inputTokens: 100,
    });
    expect(result).not.toHaveProperty("extraCalls");
    expect(partials.join("")).toBe(JSON.stringify(good));
    expect(server.calls).toHaveLength(1);
    expect(JSON.stringify(server.calls[0]?.body)).toContain("vendor_type");
    expect(infos(logs)[1]).toBe("Contract: the answer is JSON as it stands.");
  });

  it("repairs fences, prose, quotes and enum words without a token", async () => {
    const raw = 'Sure:\n```json\n{"vendor_type": "saas, hosted", "risk": "7"}\n```\nDone.';
    const { result, server, logs } = await play(vendor, [say(raw)], asked);
    expect(result).toMatchObject({ status: "completed", outputs: { risk: "7" }, inputTokens: 100 });
    expect(server.calls).toHaveLength(1);
    expect(infos(logs)[1]).toBe("Contract: repaired without tokens (first_json).");
  });

  it("asks once more with the problems listed, and charges both calls", async () => {
    const bad = { vendor_type: "iaas", risk: 11 };
    const { result, server, partials, logs } = await play(vendor, [sayJson(bad), sayJson(good)], asked);
    const costUsd = vendor.usualCostUsd === undefined ? {} : { costUsd: vendor.usualCostUsd * 2 };
    expect(result).toMatchObject({ status: "completed", outputs: good, extraCalls: 1, inputTokens: 200, ...costUsd });
    expect(server.calls).toHaveLength(2);
    const again = JSON.stringify(server.calls[1]?.body);
    expect(again).toContain("iaas");
    expect(again).toContain("must be at most 10");
    expect(partials.join("")).toBe(JSON.stringify(bad));
    expect(infos(logs).at(-1)).toBe("Contract: the second answer fits.");
    expect(result).toHaveProperty("messages.length", 5);
  });

  it("asks once more and never twice", async () => {
    const { result, server } = await play(vendor, [say("no"), say("still no"), sayJson(good)], asked);
    expect(result).toMatchObject({ status: "failed", failure: "provider_bad_output", extraCalls: 1, inputTokens: 200 });
    expect(result).toHaveProperty("message", expect.stringContaining("the answer holds no JSON"));
    expect(server.calls).toHaveLength(2);
  });

  it("ends with the failure of the second call, and charges the first", async () => {
    const script = [say("no"), answerStatus(429, "slow", { "retry-after": "3" })];
    const { result, server } = await play(vendor, script, asked);
    const charged = { extraCalls: 1, inputTokens: 100, retryAfterMs: 3_000 };
    expect(result).toMatchObject({ failure: "provider_rate_limit", ...charged });
    expect(server.calls).toHaveLength(2);
  });

  it("does not ask again when the limit of tokens cut the answer", async () => {
    const { result, server } = await play(vendor, [{ ...say('{"vendor_type": "sa'), finish: "length" }], asked);
    expect(result).toMatchObject({ status: "failed", failure: "provider_bad_output", outputTokens: 20 });
    expect(server.calls).toHaveLength(1);
  });

  it("does not ask again after a refusal", async () => {
    const { result, server } = await play(vendor, [{ ...say("I will not."), finish: "refusal" }], asked);
    expect(result).toMatchObject({ status: "failed", failure: "provider_refused" });
    expect(server.calls).toHaveLength(1);
  });

  it("takes any JSON when no schema is given", async () => {
    const list = await play(vendor, [say("[1, 2]")], { outputStrategy: "json" });
    expect(list.result).toMatchObject({ status: "completed", stdout: "[1, 2]" });
    expect(list.result).not.toHaveProperty("outputs");
    const object = await play(vendor, [say("Here: {}")], { outputStrategy: "json" });
    expect(object.result).toMatchObject({ status: "completed", outputs: {} });
  });

  it("keeps hostile keys as data", async () => {
    const text = '{"__proto__": {"admin": true}, "constructor": 1, "vendor_type": "saas", "risk": 1}';
    const { result } = await play(vendor, [say(text)], asked);
    expect(result).toMatchObject({ status: "completed", stdout: text });
    expect(({} as Record<string, unknown>)["admin"]).toBeUndefined();
  });

  it("shows inputs the message does not hold, and what is piped in", async () => {
    const request = { message: "Judge Acme.", stdin: "piped", inputs: { name: "Acme", size: 12, sessionId: "s-1" } };
    const { result, server } = await play(vendor, [say("ok")], request);
    expect(result).toHaveProperty("sessionId", "s-1");
    expect(result).toHaveProperty("messages.0.content", 'Judge Acme.\n\nInput:\npiped\n\nInputs:\n{"size":12}');
    expect(JSON.stringify(server.calls[0]?.body)).not.toContain("s-1");
  });
});

describe("what the vendor is given", () => {
  const [openai, anthropic, local] = VENDORS;
  if (openai === undefined || anthropic === undefined || local === undefined) throw new Error("a vendor is missing");

  it("is the schema itself, literally where it can be", async () => {
    const strict = await play(openai, [sayJson(good)], asked);
    expect(strict.server.calls[0]?.body).toMatchObject({
      store: false,
      text: { format: { type: "json_schema", strict: true, schema: outputSchema } },
    });
    const open = { type: "object", properties: { a: { type: ["object", "array"] } }, required: [] };
    const loose = await play(openai, [say("{}")], { ...asked, outputSchema: open });
    expect(loose.server.calls[0]?.body).toMatchObject({ text: { format: { type: "json_schema", strict: false } } });
    const native = await play(anthropic, [sayJson(good)], asked);
    expect(JSON.stringify(native.server.calls[0]?.body["output_config"])).toContain("vendor_type");
  });

  it("is a prompt that shows the schema where nothing else is sure to work", async () => {
    const { server } = await play(local, [sayJson(good)], asked);
    expect(server.calls[0]?.body).toMatchObject({ response_format: { type: "json_object" } });
    expect(JSON.stringify(server.calls[0]?.body["messages"])).toContain("JSON Schema");
  });

  it("is the lower of the two limits on output tokens", async () => {
    const config = { max_output_tokens: 500 };
    const few = await play(openai, [say("ok")], { maxOutputTokens: 400 }, { config });
    expect(few.server.calls[0]?.body).toHaveProperty("max_output_tokens", 400);
    const many = await play(openai, [say("ok")], { maxOutputTokens: 600 }, { config });
    expect(many.server.calls[0]?.body).toHaveProperty("max_output_tokens", 500);
    const none = await play(openai, [say("ok")], {}, { config });
    expect(none.server.calls[0]?.body).toHaveProperty("max_output_tokens", 500);
  });
});

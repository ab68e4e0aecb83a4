import { afterEach, describe, expect, it } from "vitest";
import { attempt, callTool, createStage, say, sayJson, VENDORS } from "../../../test/providers/index.ts";
import type { Json, JsonObject } from "../../core/base/index.ts";
import { type ModelTool, TOOL_RESULT_BYTES_MAX, type ToolOpener } from "./model-tools.ts";

const { open, play, clear } = createStage();
afterEach(clear);

interface Workshop {
  readonly opener: ToolOpener;
  readonly executed: JsonObject[];
  readonly asked: string[];
  closed: number;
}

function workshop(answer: (args: JsonObject, signal: AbortSignal) => Promise<Json> | Json = () => "sunny"): Workshop {
  const shop: Workshop = {
    executed: [],
    asked: [],
    closed: 0,
    opener: (names) => {
      shop.asked.push(...names);
      const tool: ModelTool = {
        description: "Tells the weather.",
        inputSchema: { type: "object", properties: { city: { type: "string" } } },
        execute: (args, signal) => {
          shop.executed.push(args);
          return Promise.resolve(answer(args, signal));
        },
      };
      const close = (): Promise<void> => {
        shop.closed += 1;
        return Promise.resolve();
      };
      return Promise.resolve({ tools: { "maps/weather": tool }, close });
    },
  };
  return shop;
}

const WEATHER = "maps__weather";
const request = { tools: ["maps/weather", "maps/weather"] };

describe.each(VENDORS)("$name", (vendor) => {
  it("runs the tools a model calls and charges every call", async () => {
    const shop = workshop();
    const script = [callTool(WEATHER, '{"city":"Oslo"}'), say("It is sunny.")];
    const { result, server } = await play(vendor, script, request, { adapter: { tools: shop.opener } });
    expect(result).toMatchObject({ status: "completed", stdout: "It is sunny.", inputTokens: 200, outputTokens: 40 });
    expect(result).not.toHaveProperty("extraCalls");
    expect(shop).toMatchObject({ executed: [{ city: "Oslo" }], asked: ["maps/weather"], closed: 1 });
    expect(JSON.stringify(server.calls[1]?.body)).toContain("sunny");
    expect(result).toHaveProperty("messages", [
      { role: "user", content: "Say something." },
      { role: "assistant", content: "", toolCalls: [{ id: "call_1", name: WEATHER, input: '{"city":"Oslo"}' }] },
      { role: "tool", toolCallId: "call_1", name: WEATHER, content: "sunny" },
      { role: "assistant", content: "It is sunny." },
    ]);
  });

  it("reports an unknown tool to the model once", async () => {
    const shop = workshop();
    const options = { adapter: { tools: shop.opener } };
    const script = [callTool("nope", "{}"), say("Without it, then.")];
    const { result, server } = await play(vendor, script, request, options);
    expect(result).toMatchObject({ status: "completed", stdout: "Without it, then." });
    expect(JSON.stringify(server.calls[1]?.body)).toContain("There is no tool");

    const stubborn = [callTool("nope", "{}"), callTool("nope", "{}"), say("never asked for")];
    const second = await play(vendor, stubborn, request, options);
    expect(second.result).toMatchObject({ status: "failed", failure: "provider_bad_output", inputTokens: 200 });
    expect(second.server.calls).toHaveLength(2);
    expect(shop).toMatchObject({ executed: [], closed: 2 });
  });

  it.each(["__proto__", "constructor", "toString"])("finds no tool called %s", async (name) => {
    const { result } = await play(vendor, [callTool(name, "{}"), say("ok")], request, {
      adapter: { tools: workshop().opener },
    });
    expect(result).toMatchObject({ status: "completed", stdout: "ok" });
    expect(result).toHaveProperty("messages.2.isError", true);
  });

  it("answers a model that calls tools though none were offered", async () => {
    const { result, server } = await play(vendor, [callTool("x", "{}"), callTool("x", "{}")]);
    expect(result).toMatchObject({ failure: "provider_bad_output" });
    expect(server.calls).toHaveLength(2);
  });

  it("gives up after eight steps", async () => {
    const shop = workshop();
    const script = Array.from({ length: 9 }, (_, step) => callTool(WEATHER, "{}", `call_${step}`));
    const { result, server } = await play(vendor, script, request, { adapter: { tools: shop.opener } });
    expect(result).toMatchObject({ failure: "provider_bad_output", inputTokens: 800 });
    expect(server.calls).toHaveLength(8);
    const enough = [...script.slice(0, 7), say("done")];
    const last = await play(vendor, enough, request, { adapter: { tools: shop.opener } });
    expect(last.result).toMatchObject({ status: "completed", stdout: "done" });
  });

  it("reports failures and unreadable arguments to the model", async () => {
    const shop = workshop(() => Promise.reject(new Error("the station is down")));
    const script = [
      callTool(WEATHER, '{"city":'),
      callTool(WEATHER, "[1]", "call_2"),
      callTool(WEATHER, "{}", "call_3"),
      say("sorry"),
    ];
    const { result } = await play(vendor, script, request, { adapter: { tools: shop.opener } });
    expect(result).toMatchObject({ status: "completed", stdout: "sorry" });
    expect(JSON.stringify(result)).toContain("the station is down");
    expect(shop.executed).toHaveLength(1);
  });

  it("bounds what a tool may return", async () => {
    const shop = workshop(() => "é".repeat(TOOL_RESULT_BYTES_MAX));
    const { server } = await play(vendor, [callTool(WEATHER, "{}"), say("ok")], request, {
      adapter: { tools: shop.opener },
    });
    const text = JSON.stringify(server.calls[1]?.body);
    expect(text).toContain("larger than 256 KiB");
    expect(Buffer.byteLength(text)).toBeLessThan(TOOL_RESULT_BYTES_MAX + 4_096);
  });

  it("climbs the contract ladder after tools, without them", async () => {
    const outputSchema = { type: "object", properties: { sky: { type: "string" } }, required: ["sky"] };
    const script = [callTool(WEATHER, "{}"), say("blue"), sayJson({ sky: "blue" })];
    const { result, server } = await play(
      vendor,
      script,
      { ...request, outputStrategy: "json", outputSchema },
      {
        adapter: { tools: workshop().opener },
      },
    );
    expect(result).toMatchObject({ status: "completed", outputs: { sky: "blue" }, extraCalls: 1, inputTokens: 300 });
    expect(server.calls).toHaveLength(3);
  });

  it("stops between tools when it is aborted, and keeps the cost", async () => {
    const controller = new AbortController();
    const shop = workshop(() => {
      controller.abort();
      return "late";
    });
    const { adapter, server } = await open(vendor, [callTool(WEATHER, "{}")], { adapter: { tools: shop.opener } });
    const { result } = await attempt(adapter, { model: vendor.model, ...request }, { signal: controller.signal });
    expect(result).toMatchObject({ failure: "cancelled", inputTokens: 100, outputTokens: 20 });
    expect(server.calls).toHaveLength(1);
    expect(shop.closed).toBe(1);
  });
});

describe("tools that cannot be had", () => {
  const [vendor] = VENDORS;
  if (vendor === undefined) throw new Error("a vendor is missing");

  it("end the attempt before a token is spent", async () => {
    const none = await play(vendor, [], request);
    expect(none.result).toMatchObject({ failure: "provider_refused" });
    const empty: ToolOpener = () => Promise.resolve({ tools: {}, close: () => Promise.resolve() });
    const missing = await play(vendor, [], request, { adapter: { tools: empty } });
    expect(missing.result).toMatchObject({ failure: "provider_refused" });
    const broken: ToolOpener = () => Promise.reject(new Error("no such server"));
    const failing = await play(vendor, [], request, { adapter: { tools: broken } });
    expect(failing.result).toMatchObject({
      failure: "provider_error",
      message: "The tools of the step cannot be had: no such server",
    });
    const classedOpener: ToolOpener = () =>
      Promise.reject(Object.assign(new Error("no key"), { failure: "provider_auth" }));
    const classed = await play(vendor, [], request, { adapter: { tools: classedOpener } });
    expect(classed.result).toMatchObject({ failure: "provider_auth" });
    for (const { server } of [none, missing, failing, classed]) expect(server.calls).toHaveLength(0);
  });

  it("come from the mcp section of the configuration", async () => {
    const shop = workshop();
    const seen: JsonObject[] = [];
    const toolsFrom = (mcp: JsonObject): ToolOpener => {
      seen.push(mcp);
      return shop.opener;
    };
    const options = { adapter: { toolsFrom }, config: { mcp: { servers: {} } } };
    const { result } = await play(vendor, [callTool(WEATHER, "{}"), say("ok")], request, options);
    expect(result).toMatchObject({ status: "completed" });
    expect(seen).toEqual([{ servers: {} }]);
  });
});

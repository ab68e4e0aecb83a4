import { describe, expect, it } from "vitest";
import { attempt } from "../../../test/providers/index.ts";
import { adapterRequestSchema, type Adapter } from "../../adapter/index.ts";
import type { JsonObject } from "../../core/base/index.ts";
import type { Environment } from "../environment.ts";
import { createAiSdkAdapter } from "./ai-sdk-adapter.ts";
import { AI_SDK_PROVIDERS, defaultModelFor, endpointsOf, findRoute } from "./route.ts";

const never: typeof fetch = () => Promise.reject(new Error("nothing may be sent"));

function adapterOf(provider: string, env: Environment = {}): Adapter {
  return createAiSdkAdapter({ provider, env, fetch: never });
}

describe("an adapter without keys", () => {
  it.each(AI_SDK_PROVIDERS)("can be made, asked and closed as %s", async (provider) => {
    const adapter = adapterOf(provider);
    await adapter.initialize({});
    expect(adapter).toMatchObject({ specificationVersion: "v1", provider });
    expect(adapter.capabilities()).toEqual({
      streaming: true,
      structuredOutput: true,
      tools: true,
      deferred: false,
      turns: "durable",
    });
    expect(await adapter.checkHealth()).toMatchObject({ status: "degraded" });
    await adapter.cancel("d1");
    await adapter.shutdown();
    await adapter.shutdown();
  });

  it.each([
    ["openai", "OPENAI_API_KEY"],
    ["anthropic", "ANTHROPIC_API_KEY"],
    ["google", "GOOGLE_GENERATIVE_AI_API_KEY"],
  ])("reports that %s needs %s", async (provider, name) => {
    for (const env of [{}, { [name]: "" }, { [name]: "  " }]) {
      const adapter = adapterOf(provider, env);
      const { result } = await attempt(adapter, { model: "some-model" });
      const message = `There is no key for ${provider}: set ${name} in the environment of the Bridge.`;
      expect(result).toEqual({ status: "failed", failure: "provider_auth", message });
      expect(await adapter.checkHealth()).toEqual({ status: "degraded", message });
    }
    expect(await adapterOf(provider, { [name]: "k" }).checkHealth()).toEqual({ status: "healthy" });
  });

  it("is healthy as soon as one vendor has its key", async () => {
    expect(await adapterOf("ai-sdk", { ANTHROPIC_API_KEY: "k" }).checkHealth()).toEqual({ status: "healthy" });
    expect(await adapterOf("elsewhere").checkHealth()).toMatchObject({ status: "degraded" });
  });
});

describe("configuration", () => {
  it("takes what is documented", async () => {
    const section: JsonObject = {
      default_model: "local:llama",
      endpoints: { local: { kind: "openai-compatible", base_url: "http://127.0.0.1:1/v1" } },
      prices: { "local:llama": { input_usd_per_mtok: 0, output_usd_per_mtok: 0.5, cached_usd_per_mtok: 0 } },
      max_output_tokens: 4_096,
      mcp: { servers: {} },
    };
    const adapter = adapterOf("ai-sdk");
    await adapter.initialize(section);
    expect(await adapter.checkHealth()).toEqual({ status: "healthy" });
  });

  it.each<[JsonObject, RegExp]>([
    [{ defaultModel: "x" }, /Unrecognized key: "defaultModel"/],
    [{ default_model: "" }, /default_model: /],
    [{ endpoints: { local: { kind: "openai-compatible" } } }, /endpoints\.local\.base_url: is needed/],
    [{ endpoints: { local: { kind: "azure" } } }, /endpoints\.local\.kind: /],
    [{ endpoints: { "Bad Name": { kind: "openai" } } }, /endpoints.*/],
    [{ endpoints: { local: { kind: "openai", base_url: "ftp://x" } } }, /base_url: must be an http or https address/],
    [{ endpoints: { local: { kind: "openai", api_key_env: "A B" } } }, /api_key_env: must be the name/],
    [{ endpoints: { local: { kind: "openai", api_key: "sk" } } }, /Unrecognized key: "api_key"/],
    [{ prices: { gpt: { input_usd_per_mtok: 1, output_usd_per_mtok: 1 } } }, /prices/],
    [{ prices: { "a:b": { input_usd_per_mtok: -1, output_usd_per_mtok: 1 } } }, /prices\.a:b\.input_usd_per_mtok/],
    [{ max_output_tokens: 0 }, /max_output_tokens/],
    [{ mcp: [] }, /mcp/],
  ])("refuses %j", async (section, message) => {
    await expect(adapterOf("ai-sdk").initialize(section)).rejects.toThrow(message);
  });

  it("names every mistake at once, and leaves the adapter as it was", async () => {
    const adapter = adapterOf("openai", { OPENAI_API_KEY: "k" });
    await expect(adapter.initialize({ a: 1, default_model: 1 })).rejects.toThrow(/"openai" has mistakes: .*; /);
    expect(await adapter.checkHealth()).toEqual({ status: "healthy" });
  });
});

describe("the route of a request", () => {
  const env = { OPENAI_API_KEY: "o", ANTHROPIC_API_KEY: "a", MINE: "m" };
  const endpoints = endpointsOf(
    {
      endpoints: {
        mine: { kind: "openai-compatible", base_url: "http://h/v1/", api_key_env: "MINE" },
        free: { kind: "openai-compatible", base_url: "http://f" },
      },
    },
    env,
  );
  const route = (vendor: string | null, model: string | undefined) =>
    findRoute({ provider: vendor ?? "ai-sdk", vendor, model, endpoints, env });

  it.each([
    [null, "openai:gpt-5", "openai", "gpt-5", "o"],
    [null, "anthropic/claude-x", "anthropic", "claude-x", "a"],
    [null, "mine:meta/llama:8b", "mine", "meta/llama:8b", "m"],
    [null, "free/x", "free", "x", null],
    ["openai", "gpt-5", "openai", "gpt-5", "o"],
    ["openai", "openai/gpt-5", "openai", "gpt-5", "o"],
    ["openai", "ft:gpt-4o:org", "openai", "ft:gpt-4o:org", "o"],
    ["mine", "anthropic/claude-x", "mine", "anthropic/claude-x", "m"],
    ["mine", "mine:x", "mine", "x", "m"],
  ])("%s %s", (vendor, model, foundVendor, modelId, apiKey) => {
    expect(route(vendor, model)).toMatchObject({ ok: true, value: { vendor: foundVendor, modelId, apiKey } });
  });

  it.each([
    [null, undefined, /default_model/],
    [null, "", /default_model/],
    [null, "gpt-5", /names no known vendor/],
    [null, "azure:gpt-5", /one of openai, anthropic, google, mine, free/],
    [null, "__proto__:x", /names no known vendor/],
    [null, "constructor/x", /names no known vendor/],
    [null, "openai:", /a vendor and no model/],
    ["openai", "openai/", /a vendor and no model/],
    ["nowhere", "x", /names no known vendor/],
  ])("%s %s has none", (vendor, model, message) => {
    const found = route(vendor, model);
    expect(found).toMatchObject({ ok: false, failure: { failure: "provider_refused" } });
    if (!found.ok) expect(found.failure.message).toMatch(message);
  });

  it.each([
    [null, "openai:gpt-5", "openai:gpt-5"],
    ["openai", "openai:gpt-5", "openai:gpt-5"],
    ["openai", "gpt-5", "gpt-5"],
    ["openai", "ft:gpt-4o:org", "ft:gpt-4o:org"],
    ["anthropic", "openai:gpt-5", undefined],
    ["anthropic", undefined, undefined],
  ])("%s takes the default model %s as %s", (vendor, model, expected) => {
    expect(defaultModelFor(vendor, model, endpoints)).toBe(expected);
  });

  it("takes addresses from the environment, Anthropic's with or without a version", () => {
    const baseUrl = (settings: Environment, vendor: string) => endpointsOf({}, settings).get(vendor)?.baseUrl;
    expect(baseUrl({}, "openai")).toBe("https://api.openai.com/v1");
    expect(baseUrl({ OPENAI_BASE_URL: "http://h:1/v1/" }, "openai")).toBe("http://h:1/v1");
    expect(baseUrl({ ANTHROPIC_BASE_URL: "http://h:1/" }, "anthropic")).toBe("http://h:1/v1");
    expect(baseUrl({ ANTHROPIC_BASE_URL: "http://h:1/proxy" }, "anthropic")).toBe("http://h:1/proxy");
    expect(endpoints.get("mine")?.baseUrl).toBe("http://h/v1");
  });
});

describe("a request that cannot be asked", () => {
  it("is refused before anything is loaded", async () => {
    const adapter = adapterOf("ai-sdk", { OPENAI_API_KEY: "k" });
    expect((await attempt(adapter, {})).result).toMatchObject({ failure: "provider_refused" });
    const empty = await attempt(adapter, { model: "openai:gpt-5", message: "" });
    expect(empty.result).toMatchObject({
      failure: "provider_refused",
      message: expect.stringContaining("empty") as string,
    });
  });

  it("never makes it throw", async () => {
    const adapter = adapterOf("openai", { OPENAI_API_KEY: "k\nk" });
    const inputs = adapterRequestSchema.shape.inputs.parse(
      JSON.parse('{"__proto__": {"a": 1}, "x": "\\u0000\\ud800"}'),
    );
    const { result } = await attempt(adapter, { model: "gpt-5\n", message: "\ud800\0", inputs });
    expect(result).toMatchObject({ status: "failed", failure: "provider_error" });
  });
});

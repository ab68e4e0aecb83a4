import type { LanguageModel } from "ai";
import { type JsonObject, explainMissingPackage } from "../../core/base/index.ts";
import type { Route } from "./route.ts";
import { fitsStrictMode } from "./strictness.ts";

export type Sdk = typeof import("ai");
type Fetch = typeof globalThis.fetch;

/** The way in which a model is made to follow a schema. */
export interface OutputMode {
  /** True when the vendor accepts the schema itself. Otherwise the prompt contains it. */
  readonly isNative: boolean;
  readonly isStrict: boolean;
}

/** Loads the SDK on demand, because this takes a second and only processes that call a model need it. */
export async function loadSdk(): Promise<Sdk> {
  const sdk = await import("ai").catch(explainMissingPackage("ai"));
  // Warnings of the SDK go to the log of the attempt. They must not mix with the output of the running command.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return sdk;
}

/** Opens the model of a route. Address and key are always passed, so that the packages do not search for them. */
export async function openModel(route: Route, fetch: Fetch): Promise<LanguageModel> {
  const { kind, modelId, baseUrl: baseURL } = route;
  const apiKey = route.apiKey ?? "";
  switch (kind) {
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai").catch(explainMissingPackage("@ai-sdk/openai"));
      return createOpenAI({ baseURL, apiKey, fetch }).responses(modelId);
    }
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic").catch(explainMissingPackage("@ai-sdk/anthropic"));
      return createAnthropic({ baseURL, apiKey, fetch })(modelId);
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google").catch(explainMissingPackage("@ai-sdk/google"));
      return createGoogle({ baseURL, apiKey, fetch })(modelId);
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible").catch(
        explainMissingPackage("@ai-sdk/openai-compatible"),
      );
      const key = route.apiKey === null ? {} : { apiKey };
      return createOpenAICompatible({ name: route.vendor, baseURL, ...key, fetch, includeUsage: true })(modelId);
    }
  }
}

/** Returns whether the vendor accepts a schema outside the prompt, and whether it enforces it strictly. */
export function outputModeOf({ kind }: Route, schema: JsonObject | undefined, hasTools: boolean): OutputMode {
  const isStrict = schema !== undefined && fitsStrictMode(schema);
  switch (kind) {
    case "openai":
      return { isNative: true, isStrict };
    case "anthropic":
      return { isNative: schema !== undefined, isStrict };
    case "google":
      // Several Google models accept either tools or a schema, but not both.
      return { isNative: !hasTools, isStrict };
    case "openai-compatible":
      // Compatible servers differ in what they accept, but all of them can read a prompt.
      return { isNative: false, isStrict };
  }
}

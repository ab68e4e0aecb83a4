import type { LanguageModel } from "ai";
import { type JsonObject, orMissing } from "../../core/base/index.ts";
import type { Route } from "./route.ts";
import { fitsStrictMode } from "./strictness.ts";

export type Sdk = typeof import("ai");
type Fetch = typeof globalThis.fetch;

/** How a model is held to a schema. */
export interface OutputMode {
  /** Does the vendor take the schema itself? Otherwise the prompt shows it. */
  readonly isNative: boolean;
  readonly isStrict: boolean;
}

/** The SDK takes a second to load, so that only a process that calls a model does it. */
export async function loadSdk(): Promise<Sdk> {
  const sdk = await import("ai").catch(orMissing("ai"));
  // Its warnings reach the log of the attempt; the terminal belongs to the command that runs.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return sdk;
}

/** The model of a route. Address and key are always given, so that the packages look for neither on their own. */
export async function openModel(route: Route, fetch: Fetch): Promise<LanguageModel> {
  const { kind, modelId, baseUrl: baseURL } = route;
  const apiKey = route.apiKey ?? "";
  switch (kind) {
    case "openai": {
      const { createOpenAI } = await import("@ai-sdk/openai").catch(orMissing("@ai-sdk/openai"));
      return createOpenAI({ baseURL, apiKey, fetch }).responses(modelId);
    }
    case "anthropic": {
      const { createAnthropic } = await import("@ai-sdk/anthropic").catch(orMissing("@ai-sdk/anthropic"));
      return createAnthropic({ baseURL, apiKey, fetch })(modelId);
    }
    case "google": {
      const { createGoogle } = await import("@ai-sdk/google").catch(orMissing("@ai-sdk/google"));
      return createGoogle({ baseURL, apiKey, fetch })(modelId);
    }
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible").catch(
        orMissing("@ai-sdk/openai-compatible"),
      );
      const key = route.apiKey === null ? {} : { apiKey };
      return createOpenAICompatible({ name: route.vendor, baseURL, ...key, fetch, includeUsage: true })(modelId);
    }
  }
}

/** Which vendors can be given a schema beside the prompt, and whether literally. */
export function outputModeOf({ kind }: Route, schema: JsonObject | undefined, hasTools: boolean): OutputMode {
  const isStrict = schema !== undefined && fitsStrictMode(schema);
  switch (kind) {
    case "openai":
      return { isNative: true, isStrict };
    case "anthropic":
      return { isNative: schema !== undefined, isStrict };
    case "google":
      // Several of its models take tools or a schema, not both.
      return { isNative: !hasTools, isStrict };
    case "openai-compatible":
      // Servers of this kind differ in what they take; all of them can read a prompt.
      return { isNative: false, isStrict };
  }
}

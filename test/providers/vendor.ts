import { startAnthropicServer, startOpenAiServer, type ProviderServer, type Script } from "./server.ts";

/** A way to reach a model: which server speaks it, and the settings an adapter needs to find it. */
export interface Vendor {
  readonly name: string;
  readonly model: string;
  /** What 100 tokens in and 20 out cost, in dollars; undefined when unknown. */
  readonly usualCostUsd: number | undefined;
  start(script: Script): Promise<ProviderServer>;
}

export const TEST_KEY = "sk-test-3f9a";

/** One for each wire protocol. */
export const VENDORS: readonly Vendor[] = [
  { name: "openai", model: "gpt-5", usualCostUsd: 0.000325, start: startOpenAiServer },
  { name: "anthropic", model: "claude-sonnet-5", usualCostUsd: 0.0004, start: startAnthropicServer },
  { name: "local", model: "llama", usualCostUsd: undefined, start: startOpenAiServer },
];

/** Environment and configuration with which an adapter finds the server. */
export function settingsFor({ baseUrl }: ProviderServer) {
  return {
    env: {
      OPENAI_API_KEY: TEST_KEY,
      OPENAI_BASE_URL: baseUrl,
      ANTHROPIC_API_KEY: TEST_KEY,
      ANTHROPIC_BASE_URL: baseUrl,
      LOCAL_KEY: TEST_KEY,
    },
    config: { endpoints: { local: { kind: "openai-compatible", base_url: baseUrl, api_key_env: "LOCAL_KEY" } } },
  } as const;
}

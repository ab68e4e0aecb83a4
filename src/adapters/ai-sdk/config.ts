import { z } from "zod";
import type { Json, JsonObject } from "../../core/base/index.ts";
import { readConfigSection } from "../config-section.ts";
import { targetSchema } from "../http/config.ts";

export const ENDPOINT_KINDS = ["openai", "anthropic", "google", "openai-compatible"] as const;
export type EndpointKind = (typeof ENDPOINT_KINDS)[number];

const NAME = /^[a-z][a-z0-9_-]{0,63}$/;
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const USD_PER_MTOK_MAX = 100_000;
const OUTPUT_TOKENS_MAX = 10_000_000;

const rate = z.number().nonnegative().max(USD_PER_MTOK_MAX);
const json: z.ZodType<Json> = z.json();

const endpoint = z
  .strictObject({
    kind: z.enum(ENDPOINT_KINDS),
    base_url: z.url({ protocol: /^https?$/, error: "must be an http or https address" }).optional(),
    api_key_env: z.string().regex(ENV_NAME, "must be the name of an environment variable").optional(),
  })
  .refine(({ kind, base_url }) => kind !== "openai-compatible" || base_url !== undefined, {
    path: ["base_url"],
    error: "is needed for an openai-compatible endpoint",
  });

const TOOL_NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;

/** An HTTP address that models may call as a tool. The operator sets the address; the args must fit the schema. */
const httpToolSchema = targetSchema.extend({
  description: z.string().max(4_000).optional(),
  /** JSON Schema of the args, an object. */
  args: z
    .record(z.string(), json)
    .refine(({ type }) => type === "object", { error: 'must be a JSON Schema with "type: object"' })
    .optional(),
});
export type HttpTool = z.infer<typeof httpToolSchema>;

export const configSchema = z.strictObject({
  default_model: z.string().min(1).max(200).optional(),
  endpoints: z
    .record(z.string().regex(NAME, "must be lower-case letters, digits, - and _, a letter first"), endpoint)
    .optional(),
  prices: z
    .record(
      z.string().regex(/^[^:]+:.+$/s, 'must be "vendor:model"'),
      z.strictObject({
        input_usd_per_mtok: rate,
        output_usd_per_mtok: rate,
        cached_usd_per_mtok: rate.optional(),
      }),
    )
    .optional(),
  max_output_tokens: z.number().int().positive().max(OUTPUT_TOKENS_MAX).optional(),
  mcp: z.record(z.string(), json).optional(),
  http_tools: z
    .record(z.string().regex(TOOL_NAME, "must be letters, digits, -, _ and ., a letter first"), httpToolSchema)
    .optional(),
});
export type AiSdkConfig = z.infer<typeof configSchema>;

export function readConfig(section: JsonObject, provider: string): AiSdkConfig {
  return readConfigSection(configSchema, section, provider);
}

import { z } from "zod";

export const OPENCLAW_PROVIDER = "openclaw";
export const DEFAULT_BASE_URL = "http://127.0.0.1:18789";
export const DEFAULT_TOKEN_NAME = "OPENCLAW_GATEWAY_TOKEN";

const OUTPUT_TOKENS_MAX = 10_000_000;
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const AGENT = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** Restricted characters, because the model name is sent as a header. */
const BACKEND_MODEL = /^[A-Za-z0-9][\x21-\x7e]{0,199}$/;

export const configSchema = z.strictObject({
  base_url: z
    .url({ protocol: /^https?$/, error: "must be an http or https address" })
    .refine((text) => new URL(text).username === "" && new URL(text).password === "", {
      error: "must hold no user name or password; use token_env",
    })
    .optional(),
  token_env: z.string().regex(ENV_NAME, "must be the name of an environment variable").optional(),
  /** `none` when the gateway needs no token. */
  auth: z.enum(["token", "none"]).optional(),
  /** Agents of the gateway that steps may name. Default: only its default agent. */
  agents: z.array(z.string().regex(AGENT, "is no id of an agent")).max(1_000).optional(),
  /** The agent for steps that name none. */
  default_agent: z.string().regex(AGENT, "is no id of an agent").optional(),
  /** The model that the agents use, as `vendor/model`. Default: the gateway decides. */
  backend_model: z.string().regex(BACKEND_MODEL, "is no id of a model").optional(),
  max_output_tokens: z.number().int().positive().max(OUTPUT_TOKENS_MAX).optional(),
});
export type OpenClawConfig = z.infer<typeof configSchema>;

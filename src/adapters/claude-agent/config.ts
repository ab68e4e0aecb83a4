import { isAbsolute } from "node:path";
import { z } from "zod";
import type { Json } from "../../core/base/index.ts";

export const CLAUDE_AGENT_PROVIDER = "claude-agent";

const COUNT_MAX = 10_000;
const RETRIES_MAX = 10;
const OUTPUT_TOKENS_MAX = 10_000_000;
const USD_MAX = 1_000_000;

/** Variables that the adapter sets itself, and those that can make a program run foreign code. */
const REFUSED_VARIABLES =
  /^(?:NODE_.*|LD_.*|DYLD_.*|BUN_.*|BASH_.*|ENV|PATH|HOME|LANG|TMPDIR|CLAUDE_CONFIG_DIR|SLUICE_.*)$/i;

/** A model name becomes part of a command line. This pattern prevents it from being a flag. */
const MODEL = /^[A-Za-z0-9][A-Za-z0-9._:/@[\]-]{0,199}$/;
/** `Read`, or `Bash(git log:*)`. Rules are sent as one list joined by commas, so that no rule may contain a comma. */
const TOOL_RULE = /^[A-Za-z][A-Za-z0-9_]{0,99}(?:\([^(),\p{Cc}]{1,200}\))?$/u;

const json: z.ZodType<Json> = z.json();
const path = z
  .string()
  .max(4_096)
  .refine((text) => isAbsolute(text) && !text.includes("\0"), { error: "must be an absolute path" });
const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, "must be the name of an environment variable");

export const configSchema = z.strictObject({
  /** The folder in which the package was installed. Default: resolved next to Sluice. */
  sdk: path.optional(),
  /** The program in which a session runs. Default: the one that comes with the package. */
  executable: path.optional(),
  base_url: z.url({ protocol: /^https?$/, error: "must be an http or https address" }).optional(),
  api_key_env: variable.optional(),
  /** Additional environment variables of the Bridge that a session may see. */
  env: z
    .array(
      variable.refine((name) => !REFUSED_VARIABLES.test(name), {
        error: "may not be handed on: it is set here, or it changes which code a program runs",
      }),
    )
    .max(100)
    .optional(),
  default_model: z.string().regex(MODEL, "is no id of a model").optional(),
  /** The tools that steps may request. Default: none. */
  tools: z.array(z.string().regex(TOOL_RULE, "must be a tool, or a tool with a rule in brackets")).max(200).optional(),
  max_turns: z.number().int().positive().max(COUNT_MAX).optional(),
  max_budget_usd: z.number().positive().max(USD_MAX).optional(),
  max_output_tokens: z.number().int().positive().max(OUTPUT_TOKENS_MAX).optional(),
  /** How often a session may repeat a failed model call before the attempt fails. */
  max_retries: z.number().int().nonnegative().max(RETRIES_MAX).optional(),
  /** The directory in which sessions work. Default: a new directory for each session. */
  directory: path.optional(),
  /** Passed to the SDK unchanged. The SDK checks it and refuses to work when a requested sandbox is not available. */
  sandbox: z.record(z.string(), json).optional(),
});
export type ClaudeAgentConfig = z.infer<typeof configSchema>;

export function isModelId(text: string): boolean {
  return MODEL.test(text);
}

export function toolNameOf(rule: string): string {
  return rule.split("(", 1)[0] ?? rule;
}

import { join } from "node:path";
import { fail, getOwn, matchesGlob, succeed, type JsonObject, type Outcome } from "../../core/base/index.ts";
import type { AdapterRequest } from "../../adapter/index.ts";
import type { CallFailure } from "../ai-sdk/call-failure.ts";
import { instructionsOf } from "../ai-sdk/prompt.ts";
import { storable } from "../ai-sdk/storable.ts";
import type { Environment } from "../environment.ts";
import { childEnvironment } from "../process/work-directory.ts";
import { isModelId, toolNameOf, type ClaudeAgentConfig } from "./config.ts";
import type { Permission, SessionOptions } from "./sdk.ts";

const API_KEY = "ANTHROPIC_API_KEY";
const BASE_URL = "ANTHROPIC_BASE_URL";
const MAX_TURNS = 50;

/** Other credentials. Each is used only when the configuration passes it to the session. */
const OTHER_CREDENTIALS = [
  "ANTHROPIC_AUTH_TOKEN",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "CLAUDE_CODE_USE_BEDROCK",
  "CLAUDE_CODE_USE_VERTEX",
  "CLAUDE_CODE_USE_FOUNDRY",
];

/** The content of one request for a session, without the place where it runs. */
export interface SessionOrder {
  readonly model: string | undefined;
  readonly instructions: string | undefined;
  /** The schema for the SDK. Undefined when there is none, or when the instructions show it to the model instead. */
  readonly schema: JsonObject | undefined;
  readonly tools: readonly string[];
  readonly rules: readonly string[];
  readonly maxOutputTokens: number | undefined;
}

export function readOrder(request: AdapterRequest, config: ClaudeAgentConfig): Outcome<SessionOrder, CallFailure> {
  const model = modelOf(request.model ?? config.default_model);
  if (model !== undefined && !isModelId(model))
    return refuse(`${JSON.stringify(model.slice(0, 200))} is no id of a model.`);
  const rules = rulesFor(request.tools ?? [], config.tools ?? []);
  if (!rules.ok) return rules;
  const schema = request.outputStrategy === "json" ? nativeSchema(request.outputSchema) : undefined;
  const instructions = instructionsOf(request, schema === undefined);
  return succeed({
    model,
    // The SDK has its own instruction for the schema. A second request for bare JSON would confuse the model.
    instructions: textOf(schema === undefined ? instructions : request.systemPrompt),
    schema,
    tools: [...new Set(rules.value.map(toolNameOf))],
    rules: rules.value,
    maxOutputTokens: lower(request.maxOutputTokens, config.max_output_tokens),
  });
}

/** Returns the API key of a session. Null when the session uses another credential. */
export function credentialOf(config: ClaudeAgentConfig, env: Environment): Outcome<string | null, CallFailure> {
  const name = config.api_key_env ?? API_KEY;
  const key = valueOf(env, name);
  if (key !== undefined) return succeed(key);
  const passedVariables = config.env ?? [];
  if (OTHER_CREDENTIALS.some((other) => passedVariables.includes(other) && valueOf(env, other) !== undefined))
    return succeed(null);
  const message = `There is no key for claude-agent: set ${name} in the environment of the Bridge.`;
  return fail({ failure: "provider_auth", message });
}

export interface SessionPlace {
  readonly config: ClaudeAgentConfig;
  readonly env: Environment;
  /** The session's own directory. It is its home, and its working directory unless another one is configured. */
  readonly home: string;
  readonly apiKey: string | null;
}

/** Returns only the named variables of the Bridge, and settings that stop all traffic except model calls. */
export function sessionEnvironment(
  request: AdapterRequest,
  { maxOutputTokens }: SessionOrder,
  { config, env, home, apiKey }: SessionPlace,
): Readonly<Record<string, string>> {
  const baseUrl = config.base_url ?? valueOf(env, BASE_URL);
  return {
    ...childEnvironment(request, config.env ?? [], env, home),
    TMPDIR: home,
    CLAUDE_CONFIG_DIR: join(home, ".claude"),
    CLAUDE_AGENT_SDK_CLIENT_APP: "sluice",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    // One more than allowed: the SDK reports the delay that a provider requests only when it is about to retry.
    CLAUDE_CODE_MAX_RETRIES: String((config.max_retries ?? 0) + 1),
    ...(maxOutputTokens === undefined ? {} : { CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxOutputTokens) }),
    ...(apiKey === null ? {} : { [API_KEY]: apiKey }),
    ...(baseUrl === undefined ? {} : { [BASE_URL]: baseUrl }),
  };
}

type Bound = "abortController" | "env" | "spawnClaudeCodeProcess" | "hooks" | "resume";

/** Returns all options of a session. Its restrictions are defined only here. */
export function sessionOptions(
  order: SessionOrder,
  { config, home }: SessionPlace,
  bound: Pick<SessionOptions, Bound>,
): SessionOptions {
  const { model, instructions, schema, tools, rules } = order;
  return {
    ...bound,
    cwd: config.directory ?? home,
    ...(model === undefined ? {} : { model }),
    ...(instructions === undefined ? {} : { systemPrompt: instructions }),
    tools,
    // An entry without a pattern would approve the whole tool, and the SDK warns about that. `canUseTool` decides on it instead.
    allowedTools: rules.filter((rule) => rule !== toolNameOf(rule)),
    permissionMode: "default",
    canUseTool: (tool, input) => Promise.resolve(permissionFor(tool, input, rules)),
    settingSources: [],
    strictMcpConfig: true,
    // Stored in the home of the session until the attempt ends, so that the session can be continued.
    persistSession: true,
    includePartialMessages: true,
    verbatimPrompts: true,
    maxTurns: config.max_turns ?? MAX_TURNS,
    ...(config.max_budget_usd === undefined ? {} : { maxBudgetUsd: config.max_budget_usd }),
    ...(schema === undefined ? {} : { outputFormat: { type: "json_schema", schema } }),
    ...(config.sandbox === undefined ? {} : { sandbox: config.sandbox }),
    ...(config.executable === undefined ? {} : { pathToClaudeCodeExecutable: config.executable }),
  };
}

/** Denies by default. The SDK does not send calls that a rule with a pattern allows, so such a tool here is outside its rule. */
function permissionFor(tool: string, input: Readonly<Record<string, unknown>>, rules: readonly string[]): Permission {
  if (rules.includes(tool)) return { behavior: "allow", updatedInput: input };
  const may = rules.length === 0 ? "no tools" : `only ${rules.join(", ")}`;
  return { behavior: "deny", message: `${tool} is not allowed like this: this session may use ${may}.` };
}

function rulesFor(wanted: readonly string[], allowed: readonly string[]): Outcome<readonly string[], CallFailure> {
  const missing = wanted.filter((name) => !allowed.some((rule) => matchesGlob(name, toolNameOf(rule))));
  if (missing.length === 0) {
    return succeed(allowed.filter((rule) => wanted.some((name) => matchesGlob(name, toolNameOf(rule)))));
  }
  const hint = allowed.length === 0 ? "This Bridge allows no tool." : `Allowed are: ${allowed.join(", ")}.`;
  const names = missing.map((name) => JSON.stringify(name.slice(0, 100))).join(", ");
  return refuse(`tool_not_allowed: ${names} may not be used by claude-agent. ${hint}`);
}

/** Returns the schema if the SDK can use it. The SDK makes it the input of a tool, which must be an object. */
function nativeSchema(schema: JsonObject | undefined): JsonObject | undefined {
  return schema !== undefined && getOwn(schema, "type") === "object" ? schema : undefined;
}

/** Removes the vendor prefix, which steps may write as they do for other adapters. */
function modelOf(model: string | undefined): string | undefined {
  return model?.replace(/^(?:claude-agent|anthropic)[:/]/, "");
}

function textOf(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : storable(text);
}

function lower(left: number | undefined, right: number | undefined): number | undefined {
  const least = Math.min(left ?? Infinity, right ?? Infinity);
  return least === Infinity ? undefined : least;
}

function valueOf(env: Environment, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  return value === "" ? undefined : value;
}

function refuse(message: string): { readonly ok: false; readonly failure: CallFailure } {
  return fail({ failure: "provider_refused", message });
}

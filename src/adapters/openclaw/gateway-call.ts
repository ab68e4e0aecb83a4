import { fail, getOwn, digestJson, succeed, type Outcome } from "../../core/base/index.ts";
import type { AdapterRequest } from "../../adapter/index.ts";
import type { CallFailure } from "../ai-sdk/call-failure.ts";
import { instructionsOf, userTextOf } from "../ai-sdk/prompt.ts";
import { storable } from "../ai-sdk/storable.ts";
import type { Environment } from "../environment.ts";
import { DEFAULT_BASE_URL, DEFAULT_TOKEN_NAME, type OpenClawConfig } from "./config.ts";

/** The HTTP call that is made for a request. */
export interface GatewayCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The agent's name in the gateway. */
  readonly target: string;
  readonly text: string;
  readonly instructions: string | undefined;
  readonly token: string | null;
}

const DEFAULT_AGENT = "default";
const SESSION_INPUT = "sessionId";

export function readCall(
  request: AdapterRequest,
  config: OpenClawConfig,
  env: Environment,
): Outcome<GatewayCall, CallFailure> {
  const agent = agentOf(request.model, config);
  if (!agent.ok) return agent;
  if ((request.tools ?? []).length > 0) {
    return refuse("The step names tools, but an agent of OpenClaw has those that its gateway gives it; name none.");
  }
  const text = storable(userTextOf(request));
  if (text.trim() === "") return refuse("The message is empty; there is nothing to ask the agent.");
  const token = tokenOf(config, env);
  if (!token.ok) return token;
  const instructions = instructionsOf(request, true);
  const maxOutputTokens = Math.min(request.maxOutputTokens ?? Infinity, config.max_output_tokens ?? Infinity);
  const target = `openclaw/${agent.value}`;
  const thread = threadOf(request);
  const body = {
    model: target,
    stream: true,
    input: text,
    ...(instructions === undefined ? {} : { instructions: storable(instructions) }),
    ...(maxOutputTokens === Infinity ? {} : { max_output_tokens: maxOutputTokens }),
    ...(thread === null ? {} : { user: thread }),
  };
  return succeed({
    url: gatewayUrl(config, "v1/responses"),
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      ...bearer(token.value),
      ...(config.backend_model === undefined ? {} : { "x-openclaw-model": config.backend_model }),
    },
    body: JSON.stringify(body),
    target,
    text,
    instructions,
    token: token.value,
  });
}

export function gatewayUrl({ base_url: baseUrl = DEFAULT_BASE_URL }: OpenClawConfig, path: string): string {
  return `${baseUrl.replace(/\/+$/, "")}/${path}`;
}

export function bearer(token: string | null): Readonly<Record<string, string>> {
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

export function tokenOf(config: OpenClawConfig, env: Environment): Outcome<string | null, CallFailure> {
  if (config.auth === "none") return succeed(null);
  const name = config.token_env ?? DEFAULT_TOKEN_NAME;
  const token = Object.hasOwn(env, name) ? env[name] : undefined;
  if (token !== undefined && token !== "") return succeed(token);
  const message = `There is no token for the OpenClaw gateway: set ${name} in the environment of the Bridge, or "auth: none".`;
  return fail({ failure: "provider_auth", message });
}

/** Returns the agent of a step. The step's model names it, either alone or as `openclaw/agent`. */
function agentOf(model: string | undefined, config: OpenClawConfig): Outcome<string, CallFailure> {
  const own = config.default_agent ?? DEFAULT_AGENT;
  const named = (model ?? "").replace(/^openclaw(?:[:/]|$)/, "");
  if (named === "" || named === own || named === DEFAULT_AGENT) return succeed(named === "" ? own : named);
  const allowed = config.agents ?? [];
  if (allowed.includes(named)) return succeed(named);
  const known = [...new Set([own, ...allowed])].join(", ");
  return refuse(
    `agent_not_allowed: ${JSON.stringify(named.slice(0, 100))} is no allowed agent. Allowed are: ${known}.`,
  );
}

/**
 * Returns the key of the thread to continue, or null when the step names none. The key contains the agent, so that
 * agents never share a thread, and is hashed, so that it contains no text of a workflow.
 */
function threadOf({ inputs, agentId }: AdapterRequest): string | null {
  const given = getOwn(inputs, SESSION_INPUT);
  return typeof given === "string" && given !== ""
    ? `sluice-${digestJson([agentId, given]).replace("sha256:", "")}`
    : null;
}

function refuse(message: string): { readonly ok: false; readonly failure: CallFailure } {
  return fail({ failure: "provider_refused", message });
}

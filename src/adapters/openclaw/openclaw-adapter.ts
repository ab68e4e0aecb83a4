/**
 * Calls an agent of an OpenClaw gateway over its HTTP API (`POST /v1/responses`). The gateway decides what its agents
 * may do. A step chooses a configured agent and a thread. Closing the connection ends the agent's work.
 */
import {
  ADAPTER_SPECIFICATION,
  type Adapter,
  type AdapterHealth,
  type AdapterHooks,
  type AdapterRequest,
  type AdapterResult,
  type FinalResult,
} from "../../adapter/index.ts";
import { createSystemClock, type Clock } from "../../clock/index.ts";
import { createModelFetch, requestPeer, type ModelFetch } from "../../outbound/index.ts";
import { Bill, type BillTotals, type Tokens } from "../ai-sdk/bill.ts";
import { failed } from "../ai-sdk/call-failure.ts";
import { abortFailure } from "../ai-sdk/model-call.ts";
import { sessionIdOf } from "../ai-sdk/prompt.ts";
import { Transcript } from "../ai-sdk/transcript.ts";
import { readConfigSection } from "../config-section.ts";
import type { Environment } from "../environment.ts";
import { RunningAttempts } from "../running-attempts.ts";
import { configSchema, OPENCLAW_PROVIDER, type OpenClawConfig } from "./config.ts";
import { readAnswer, type GatewayAnswer } from "./gateway-answer.ts";
import { bearer, gatewayUrl, readCall, tokenOf, type GatewayCall } from "./gateway-call.ts";
import { answerFailure, connectionFailure, replyFailure } from "./gateway-failure.ts";

export interface OpenClawAdapterOptions {
  readonly env: Environment;
  readonly clock?: Clock;
}

const HEALTH_WITHIN_MS = 3_000;
const HEALTH_BYTES_MAX = 1_048_576;

export function createOpenClawAdapter({ env, clock = createSystemClock() }: OpenClawAdapterOptions): Adapter {
  let config: OpenClawConfig = {};
  let modelFetch: ModelFetch | null = null;
  const running = new RunningAttempts();

  return {
    specificationVersion: ADAPTER_SPECIFICATION,
    provider: OPENCLAW_PROVIDER,
    initialize(section) {
      return Promise.resolve().then(() => {
        config = readConfigSection(configSchema, section, OPENCLAW_PROVIDER);
      });
    },
    async shutdown() {
      const closing = modelFetch;
      modelFetch = null;
      await running.end();
      await closing?.close();
    },
    checkHealth: () => healthOf(config, env),
    capabilities: () => ({ streaming: true, structuredOutput: false, tools: false, deferred: false, turns: "opaque" }),
    cancel: (dispatchId) => running.cancel(dispatchId),
    async execute(request, hooks) {
      if (hooks.signal.aborted) return failed(abortFailure(hooks.signal));
      const call = readCall(request, config, env);
      if (!call.ok) return failed(call.failure);
      modelFetch ??= createModelFetch();
      const context = { config, clock, fetch: modelFetch.fetch };
      return running.run(request.dispatchId, hooks.signal, (signal) =>
        ask(request, call.value, { ...hooks, signal }, context),
      );
    },
  };
}

interface RunContext {
  readonly config: OpenClawConfig;
  readonly clock: Clock;
  readonly fetch: ModelFetch["fetch"];
}

async function ask(
  request: AdapterRequest,
  call: GatewayCall,
  hooks: AdapterHooks,
  { config, clock, fetch }: RunContext,
): Promise<AdapterResult> {
  const { url, headers, body, target, token } = call;
  let answer: GatewayAnswer | null;
  try {
    const reply = await fetch(url, { method: "POST", headers, body, signal: hooks.signal });
    if (!reply.ok) return failed(replyFailure(reply, await reply.text(), token, clock.now()));
    answer = reply.body === null ? null : await readAnswer(reply.body, hooks);
  } catch (thrown) {
    return failed(hooks.signal.aborted ? abortFailure(hooks.signal) : connectionFailure(thrown, url, token));
  }
  if (hooks.signal.aborted) return failed(abortFailure(hooks.signal));
  if (answer === null) {
    return failed({ failure: "provider_error", message: `The answer of ${target} broke off before its end.` });
  }
  const transcript = new Transcript();
  if (call.instructions !== undefined) transcript.system(call.instructions);
  transcript.user(call.text);
  transcript.assistant(answer.text, []);
  return {
    ...resultOf(request, answer, call, hooks),
    model: config.backend_model ?? target,
    ...(await usageOf(answer.tokens, config, clock.now(), hooks)),
    sessionId: sessionIdOf(request),
    messages: transcript.entries,
  };
}

function resultOf(
  { outputStrategy }: AdapterRequest,
  answer: GatewayAnswer,
  { target, token }: GatewayCall,
  { onLog }: AdapterHooks,
): FinalResult {
  const { end, text } = answer;
  if (end === "failed") return failed(answerFailure(answer, target, token));
  if (end === "incomplete") {
    const message = `${target} reached its limit of output tokens; its answer is cut off.`;
    if (outputStrategy === "json") return failed({ failure: "provider_bad_output", message });
    onLog({ level: "warning", message });
  }
  if (text.trim() !== "") return { status: "completed", stdout: text };
  return failed({ failure: "provider_bad_output", message: `${target} answered with nothing.` });
}

/** Returns tokens and cost. The gateway reports no cost, so the price is known only for a configured model. */
async function usageOf(
  tokens: Tokens | null,
  { backend_model: model }: OpenClawConfig,
  atMs: number,
  { onLog }: AdapterHooks,
): Promise<Partial<BillTotals>> {
  if (tokens === null) return {};
  const at = model?.indexOf("/") ?? -1;
  if (model !== undefined && at > 0) {
    const bill = new Bill({ vendor: model.slice(0, at), modelId: model.slice(at + 1), atMs, own: {}, onLog });
    bill.add(tokens);
    return bill.totals();
  }
  const { inputTokens, outputTokens, thinkingTokens, cachedTokens } = tokens;
  onLog({
    level: "warning",
    message: 'The gateway reports no cost, so the call has none; name the model as "backend_model" to have it priced.',
  });
  return { inputTokens, outputTokens, thinkingTokens, cachedTokens };
}

/** Requests the list of agents, which costs no tokens. */
async function healthOf(config: OpenClawConfig, env: Environment): Promise<AdapterHealth> {
  const token = tokenOf(config, env);
  if (!token.ok) return { status: "degraded", message: token.failure.message };
  const reply = await requestPeer(gatewayUrl(config, "v1/models"), {
    method: "GET",
    headers: bearer(token.value),
    timeoutMs: HEALTH_WITHIN_MS,
    bytesMax: HEALTH_BYTES_MAX,
  });
  if (!reply.ok) return { status: "offline", message: `The OpenClaw gateway does not answer: ${reply.message}` };
  if (reply.status === 200) return { status: "healthy" };
  const { status } = reply;
  const { message } = replyFailure({ status, headers: new Headers() }, reply.text, token.value, 0);
  return { status: "degraded", message };
}

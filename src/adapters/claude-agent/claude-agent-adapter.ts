/**
 * Runs a request as a session of the Claude Agent SDK. The operator installs the SDK, and this adapter loads it on
 * first use. A session has only the tools that both the step and the configuration allow. It sees only the configured
 * environment variables. It ends, with every process it started, when the attempt ends.
 */
import { basename } from "node:path";
import {
  type AbortReason,
  ADAPTER_SPECIFICATION,
  type Adapter,
  type AdapterHealth,
  type AdapterHooks,
  type AdapterRequest,
  type AdapterResult,
  type FinalResult,
} from "../../adapter/index.ts";
import { createSystemClock, type Clock } from "../../clock/index.ts";
import { failed, type CallFailure } from "../ai-sdk/call-failure.ts";
import { abortFailure } from "../ai-sdk/model-call.ts";
import { sessionIdOf, userTextOf } from "../ai-sdk/prompt.ts";
import { storable } from "../ai-sdk/storable.ts";
import { readConfigSection } from "../config-section.ts";
import type { Environment } from "../environment.ts";
import { RunningAttempts } from "../running-attempts.ts";
import { CLAUDE_AGENT_PROVIDER, configSchema, type ClaudeAgentConfig } from "./config.ts";
import { findSdk, loadSdk, type ClaudeSdk, type LoadSdk } from "./sdk.ts";
import { endOf, usageOf, type SessionEnd } from "./session-end.ts";
import { credentialOf, readOrder, sessionEnvironment, sessionOptions, type SessionOrder } from "./session-options.ts";
import { removeOldHomes, SessionHome } from "./session-home.ts";
import { SessionProcess } from "./session-process.ts";
import { SessionRecord, sessionOf } from "./session-record.ts";
import { judgeTools } from "./tool-judge.ts";

export interface ClaudeAgentAdapterOptions {
  readonly env: Environment;
  /** The directory that contains the directories of the sessions. */
  readonly directory: string;
  readonly clock?: Clock;
  readonly load?: LoadSdk;
}

export function createClaudeAgentAdapter(options: ClaudeAgentAdapterOptions): Adapter {
  const running = new RunningAttempts();
  let config: ClaudeAgentConfig = {};

  return {
    specificationVersion: ADAPTER_SPECIFICATION,
    provider: CLAUDE_AGENT_PROVIDER,
    async initialize(section) {
      config = readConfigSection(configSchema, section, CLAUDE_AGENT_PROVIDER);
      await removeOldHomes(options.directory, (options.clock ?? createSystemClock()).now());
    },
    shutdown: () => running.end(),
    checkHealth: () => Promise.resolve(healthOf(config, options)),
    capabilities: () => ({ streaming: true, structuredOutput: true, tools: true, deferred: false, turns: "judged" }),
    models: () => (config.default_model === undefined ? {} : { defaultModel: config.default_model }),
    cancel: (dispatchId) => running.cancel(dispatchId),
    async execute(request, hooks) {
      if (hooks.signal.aborted) return failed(abortFailure(hooks.signal));
      return running.run(request.dispatchId, hooks.signal, (signal) =>
        perform(request, { ...hooks, signal }, config, options),
      );
    },
  };
}

async function perform(
  request: AdapterRequest,
  hooks: AdapterHooks,
  config: ClaudeAgentConfig,
  options: ClaudeAgentAdapterOptions,
): Promise<AdapterResult> {
  const { env, directory } = options;
  const order = readOrder(request, config);
  if (!order.ok) return failed(order.failure);
  const prompt = storable(userTextOf(request));
  if (prompt.trim() === "") return failed(refused("The message is empty; there is nothing to ask."));
  const credential = credentialOf(config, env);
  if (!credential.ok) return failed(credential.failure);
  const sdk = await (options.load ?? loadSdk)(config.sdk);
  if (!sdk.ok) return failed(refused(`sdk_not_installed: ${sdk.failure}`));
  const opened = await SessionHome.open(directory, request);
  if (!opened.ok) {
    const message = `The session got no directory under ${directory}: ${opened.failure}`;
    return failed({ failure: "provider_error", message });
  }
  const home = opened.value;
  const clock = options.clock ?? createSystemClock();
  try {
    const begun = await home.sessionId();
    // A later execution can only follow one whose calls were judged, so a missing session is lost.
    if (begun === null && (request.segment ?? 0) > 0) return failed(lost());
    const place = { config, env, home: home.path, apiKey: credential.value };
    return await converse({ sdk: sdk.value, request, order: order.value, prompt, hooks, place, clock, home, begun });
  } finally {
    // When the Bridge stops, the session directory stays, so that the session can continue after a restart.
    if (isStopped(hooks.signal)) home.leave();
    else await remove(home, hooks.onLog);
  }
}

function isStopped(signal: AbortSignal): boolean {
  const why: AbortReason = "stopped";
  return signal.aborted && signal.reason === why;
}

async function remove(home: SessionHome, onLog: AdapterHooks["onLog"]): Promise<void> {
  await home.remove().catch(() => {
    home.leave();
    onLog({ level: "warning", message: `The directory ${basename(home.path)} could not be removed.` });
  });
}

/**
 * Returns the failure for a lost session: its calls were judged and perhaps made, but their history was on another machine or is deleted.
 */
function lost(): CallFailure {
  const message =
    "The session had begun to use its tools and was lost: it was kept on another Bridge, or is gone. It is not begun again, because that could do everything twice.";
  return { failure: "outcome_unknown", message };
}

const CONTINUE = "You were interrupted. Continue where you were, and do not repeat what is done.";

interface AttemptContext {
  readonly sdk: ClaudeSdk;
  readonly request: AdapterRequest;
  readonly order: SessionOrder;
  readonly prompt: string;
  readonly hooks: AdapterHooks;
  readonly place: Parameters<typeof sessionOptions>[1];
  readonly clock: Clock;
  readonly home: SessionHome;
  /** The session that an earlier execution started. Null when there is none. */
  readonly begun: string | null;
}

async function converse({
  sdk,
  request,
  order,
  prompt,
  hooks,
  place,
  clock,
  home,
  begun,
}: AttemptContext): Promise<AdapterResult> {
  if (hooks.signal.aborted) return failed(abortFailure(hooks.signal));
  const { config, apiKey } = place;
  const abortController = new AbortController();
  const session = new SessionProcess(basename(home.path), hooks.onLog);
  const record = new SessionRecord(prompt, order.instructions, config.max_retries ?? 0, hooks);
  const stop = (): void => {
    session.kill();
    abortController.abort();
  };
  const listen = async (): Promise<string> => {
    const env = sessionEnvironment(request, order, place);
    const judged = judgeTools(request, order, hooks);
    const bound = {
      abortController,
      env,
      spawnClaudeCodeProcess: session.spawn,
      ...(judged === undefined ? {} : { hooks: judged }),
      ...(begun === null ? {} : { resume: begun }),
    };
    const options = sessionOptions(order, place, bound);
    for await (const message of sdk.query({ prompt: begun === null ? prompt : CONTINUE, options })) {
      if (abortController.signal.aborted) break;
      const id = sessionOf(message);
      if (id !== null) await home.keepSessionId(id);
      if (!record.listen(message)) stop();
    }
    return "";
  };
  hooks.signal.addEventListener("abort", stop, { once: true });
  // An error after a result only repeats the result. Without a result it is the only information.
  const finished = listen().catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
  const thrown = await Promise.race([finished, stopped(abortController.signal)]);
  hooks.signal.removeEventListener("abort", stop);
  stop();
  const { isGone, stderrTail } = await session.end();
  if (!isGone) {
    hooks.onLog({ level: "warning", message: "The session left processes behind that could not all be ended." });
  }
  const why = [thrown, stderrTail].filter((text) => text !== "").join("; ");
  const end: SessionEnd = hooks.signal.aborted
    ? { failure: abortFailure(hooks.signal) }
    : endOf(record, order, why, apiKey);
  return {
    ...resultOf(end),
    ...(await usageOf(record, order, clock.now(), hooks.onLog)),
    sessionId: sessionIdOf(request),
    messages: record.transcript.entries,
  };
}

/** Resolves on abort, because the SDK may take long to end and the adapter must not wait for it. */
function stopped(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(""), { once: true }));
}

function resultOf(end: SessionEnd): FinalResult {
  if (end.failure !== null) return failed(end.failure);
  const { stdout, outputs } = end;
  return { status: "completed", stdout, ...(outputs === undefined ? {} : { outputs }) };
}

function refused(message: string): CallFailure {
  return { failure: "provider_refused", message };
}

/** Reports what can be checked without starting a session: whether the SDK and a key are present. */
function healthOf(config: ClaudeAgentConfig, { env, load }: ClaudeAgentAdapterOptions): AdapterHealth {
  const sdk = load === undefined ? findSdk(config.sdk) : null;
  if (sdk?.ok === false) return { status: "offline", message: sdk.failure };
  const credential = credentialOf(config, env);
  return credential.ok ? { status: "healthy" } : { status: "degraded", message: credential.failure.message };
}

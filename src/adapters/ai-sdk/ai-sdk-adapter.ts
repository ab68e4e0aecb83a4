import type { LanguageModel } from "ai";
import { type JsonObject, MissingPackage } from "../../core/base/index.ts";
import {
  ADAPTER_SPECIFICATION,
  type Adapter,
  type AdapterHealth,
  type AdapterHooks,
  type AdapterModels,
  type AdapterRequest,
  type AdapterResult,
  type SecretReference,
} from "../../adapter/index.ts";
import { createSystemClock, type Clock } from "../../clock/index.ts";
import { fileFailure } from "../file-failure.ts";
import { createModelFetch, type ModelFetch } from "../../outbound/index.ts";
import type { Environment } from "../environment.ts";
import { Bill } from "./bill.ts";
import { badOutput, failed, failureOf, toolFailure, type CallFailure, type FailureContext } from "./call-failure.ts";
import { readConfig, type AiSdkConfig } from "./config.ts";
import { type ContractResult, ContractLadder, endResult } from "./contract-ladder.ts";
import { Conversation, type ModelAnswer } from "./conversation.ts";
import { abortFailure, type ModelCall } from "./model-call.ts";
import { httpToolSecrets, NOTHING_OPEN, withHttpTools } from "./http-tools.ts";
import { ModelTools, type OpenTools, stepTools, type ToolOpener } from "./model-tools.ts";
import { fileParts, keepGenerated, ModelFileError, withoutFileOutputs } from "./model-files.ts";
import { instructionsOf, sessionIdOf, userTextOf } from "./prompt.ts";
import { AI_SDK_PROVIDER, defaultModelFor, endpointsOf, findRoute, keyOf, type Route } from "./route.ts";
import { loadSdk, openModel, outputModeOf, type Sdk } from "./sdk.ts";
import { createWire, type Wire } from "./wire.ts";

export interface AiSdkAdapterOptions {
  /** The provider id of dispatches to this adapter: "ai-sdk", a vendor, or a configured endpoint. */
  readonly provider: string;
  /** The fixed vendor. When absent, "ai-sdk" reads the vendor from the model, and any other provider id is the vendor. */
  readonly vendor?: string;
  readonly env: Environment;
  readonly clock?: Clock;
  readonly fetch?: typeof globalThis.fetch;
  readonly tools?: ToolOpener;
  /** Creates the opener of tools from the `mcp` section of the configuration, when `tools` is absent. */
  readonly toolsFrom?: (mcp: JsonObject) => ToolOpener;
  /** Returns the registered secrets to which that section refers. */
  readonly secretsIn?: (mcp: JsonObject) => readonly SecretReference[];
}

const MODEL_LENGTH_MAX = 200;

/** Calls models through the AI SDK: text, structured output, tools, streams. It never retries; the engine does. */
export function createAiSdkAdapter(options: AiSdkAdapterOptions): Adapter {
  return new AiSdkAdapter(options);
}

class AiSdkAdapter implements Adapter {
  readonly specificationVersion = ADAPTER_SPECIFICATION;
  readonly provider: string;
  readonly #options: AiSdkAdapterOptions;
  readonly #vendor: string | null;
  readonly #clock: Clock;
  #config: AiSdkConfig = {};
  #endpoints: ReturnType<typeof endpointsOf>;
  #openTools: ToolOpener | undefined;
  #modelFetch: ModelFetch | undefined;

  constructor(options: AiSdkAdapterOptions) {
    this.provider = options.provider;
    this.#options = options;
    this.#vendor = options.vendor ?? (options.provider === AI_SDK_PROVIDER ? null : options.provider);
    this.#clock = options.clock ?? createSystemClock();
    this.#endpoints = endpointsOf({}, options.env);
    this.#openTools = options.tools;
  }

  initialize(section: JsonObject): Promise<void> {
    try {
      const config = readConfig(section, this.provider);
      const { tools, toolsFrom, env } = this.#options;
      const mcp = config.mcp === undefined ? undefined : toolsFrom?.(config.mcp);
      this.#openTools = tools ?? withHttpTools(config.http_tools, mcp, env);
      this.#endpoints = endpointsOf(config, env);
      this.#config = config;
      return Promise.resolve();
    } catch (mistake) {
      return Promise.reject(mistake);
    }
  }

  async shutdown(): Promise<void> {
    const closing = this.#modelFetch;
    this.#modelFetch = undefined;
    await closing?.close();
  }

  /** Reports only what can be checked without spending tokens: whether a key is configured. */
  checkHealth(): Promise<AdapterHealth> {
    const asked =
      this.#vendor === null ? [...this.#endpoints] : [...this.#endpoints].filter(([name]) => name === this.#vendor);
    if (asked.length === 0) {
      return Promise.resolve({
        status: "degraded",
        message: `There is no endpoint "${this.#vendor}"; add it to the endpoints of the adapter.`,
      });
    }
    const missing = asked.flatMap(([vendor, endpoint]) => {
      const key = keyOf(endpoint, vendor, this.#options.env);
      return key.ok ? [] : [key.failure.message];
    });
    if (missing.length < asked.length) return Promise.resolve({ status: "healthy" });
    return Promise.resolve({ status: "degraded", message: missing.join(" ") });
  }

  capabilities() {
    return { streaming: true, structuredOutput: true, tools: true, deferred: false, turns: "durable" } as const;
  }

  secrets(): readonly SecretReference[] {
    const { mcp, http_tools } = this.#config;
    const ofServers = mcp === undefined ? [] : (this.#options.secretsIn?.(mcp) ?? []);
    return [...ofServers, ...httpToolSecrets(http_tools)];
  }

  models(): AdapterModels {
    const { prices } = this.#config;
    const model = this.#defaultModel();
    return {
      ...(model === undefined ? {} : { defaultModel: model }),
      ...(prices === undefined ? {} : { prices }),
    };
  }

  cancel(): Promise<void> {
    return Promise.resolve();
  }

  async execute(request: AdapterRequest, hooks: AdapterHooks): Promise<AdapterResult> {
    if (hooks.signal.aborted) return failed(abortFailure(hooks.signal));
    const route = findRoute({
      provider: this.provider,
      vendor: this.#vendor,
      model: request.model ?? this.#defaultModel(),
      endpoints: this.#endpoints,
      env: this.#options.env,
    });
    if (!route.ok) return failed(route.failure);
    const context = (): FailureContext => ({ ...route.value, nowMs: this.#clock.now() });
    try {
      return await this.#attempt(request, hooks, route.value, context);
    } catch (thrown) {
      if (thrown instanceof ModelFileError) return fileFailure(thrown);
      if (thrown instanceof MissingPackage) return failed(refused(`sdk_not_installed: ${thrown.message}`));
      // Opening tools or the model can fail with unknown errors. Only the attempt fails, and the Bridge keeps running.
      return failed(hooks.signal.aborted ? abortFailure(hooks.signal) : failureOf(thrown, context()));
    }
  }

  #defaultModel(): string | undefined {
    return defaultModelFor(this.#vendor, this.#config.default_model, this.#endpoints);
  }

  async #attempt(
    request: AdapterRequest,
    hooks: AdapterHooks,
    route: Route,
    context: () => FailureContext,
  ): Promise<AdapterResult> {
    const text = userTextOf(request);
    if (text === "") return failed(refused("The message is empty; there is nothing to ask the model."));
    const opened = await this.#tools(request, hooks);
    if (hooks.signal.aborted) {
      if ("close" in opened) await opened.close().catch(() => undefined);
      return failed(abortFailure(hooks.signal));
    }
    if ("failure" in opened) return failed(opened);
    try {
      const parts = await fileParts(request, hooks.files);
      const wire = createWire(this.#options.fetch ?? this.#fetch());
      const [sdk, model] = await Promise.all([loadSdk(), openModel(route, wire.fetch)]);
      const tools = new ModelTools({ ...opened.tools, ...stepTools(request) });
      return await this.#converse({ request, hooks, route, context, text, parts, sdk, model, wire, tools });
    } finally {
      // An error from closing a tool server must not change the result.
      await opened.close().catch(() => undefined);
    }
  }

  async #converse(attempt: AttemptContext): Promise<AdapterResult> {
    const { hooks, route, context, text, parts, tools } = attempt;
    const request = withoutFileOutputs(attempt.request);
    const mode = outputModeOf(route, request.outputSchema, tools.size > 0);
    const json: ModelCall["json"] = request.outputStrategy === "json" ? { schema: request.outputSchema, mode } : null;
    const ladder = json === null ? null : new ContractLadder(request, hooks.onLog);
    const { vendor, modelId } = route;
    const own = this.#config.prices ?? {};
    const bill = new Bill({ vendor, modelId, atMs: this.#clock.now(), own, onLog: hooks.onLog });
    if (json?.schema !== undefined) {
      const rung = mode.isNative ? "given to the model natively" : "shown to the model in its instructions";
      hooks.onLog({ level: "info", message: `Contract: the schema is ${rung}.` });
    }
    const conversation = new Conversation({
      request,
      scene: { sdk: attempt.sdk, model: attempt.model, wire: attempt.wire, hooks: hooksOf(attempt), context },
      bill,
      tools,
      instructions: instructionsOf(request, !mode.isNative),
      text,
      parts,
      json,
      maxOutputTokens: lower(request.maxOutputTokens, this.#config.max_output_tokens),
      correct: ladder === null ? undefined : (answer) => ladder.correct(answer),
    });
    const answer = await conversation.run();
    if (answer.isSuspended) return { status: "suspended" };
    const end = endOf(answer, ladder, hooks, context());
    const generated = await keepGenerated(attempt.request, answer.files, hooks.files);
    const outputs = Object.keys(generated).length === 0 ? end.outputs : { ...end.outputs, ...generated };
    // Usage of reported rounds is already booked. The result adds only the usage that no round has reported.
    const isBooked = hooksOf(attempt).round !== undefined;
    return {
      ...endResult({ ...end, ...(outputs === undefined ? {} : { outputs }) }),
      model: modelId.slice(0, MODEL_LENGTH_MAX),
      ...(isBooked && bill.isEmpty ? {} : await bill.totals()),
      ...(isBooked || end.extraCalls === 0 ? {} : { extraCalls: end.extraCalls }),
      sessionId: sessionIdOf(request),
      messages: answer.messages,
    };
  }

  /** Opens the tools of the step. A missing tool ends the attempt, because without it the model would invent an answer. */
  async #tools(request: AdapterRequest, { signal, secret }: AdapterHooks): Promise<OpenTools | CallFailure> {
    const ofStep = new Set(request.stepTools?.map(({ name }) => name));
    const names = [...new Set(request.tools)].filter((name) => !ofStep.has(name));
    if (names.length === 0) return NOTHING_OPEN;
    if (this.#openTools === undefined) {
      return refused(
        `The step names tools (${names.join(", ")}), but the adapter "${this.provider}" has neither MCP servers nor HTTP tools configured.`,
      );
    }
    try {
      const opened = await this.#openTools(names, signal, secret);
      if (Object.keys(opened.tools).length > 0) return opened;
      await opened.close();
      return refused(`None of the tools the step names is there: ${names.join(", ")}.`);
    } catch (thrown) {
      return toolFailure(thrown);
    }
  }

  #fetch(): typeof globalThis.fetch {
    this.#modelFetch ??= createModelFetch();
    return this.#modelFetch.fetch;
  }
}

interface AttemptContext {
  readonly request: AdapterRequest;
  readonly hooks: AdapterHooks;
  readonly route: Route;
  readonly context: () => FailureContext;
  readonly text: string;
  readonly parts: Awaited<ReturnType<typeof fileParts>>;
  readonly sdk: Sdk;
  readonly model: LanguageModel;
  readonly wire: Wire;
  readonly tools: ModelTools;
}

function endOf(
  answer: ModelAnswer,
  ladder: ContractLadder | null,
  { onLog }: AdapterHooks,
  context: FailureContext,
): ContractResult {
  const { text, failure, isCutOff, extraCalls, files } = answer;
  if (failure !== null) return { failure, extraCalls };
  if (ladder !== null) return ladder.end(text, extraCalls, context);
  if (isCutOff) {
    onLog({ level: "warning", message: "The model reached its limit of output tokens; its answer is cut off." });
  }
  if (text.trim() !== "" || files.length > 0) return { stdout: text, failure: null, extraCalls };
  return { failure: badOutput(context, "answered with nothing."), extraCalls };
}

/** Removes the turn hooks when there are no tools: no call needs a ruling, and the answer is all there is to report. */
function hooksOf({ hooks, tools, request }: AttemptContext): AdapterHooks {
  if (tools.size > 0 || request.resume !== undefined) return hooks;
  const { round: _round, tool: _tool, toolResult: _toolResult, ...others } = hooks;
  return others;
}

function refused(message: string): CallFailure {
  return { failure: "provider_refused", message };
}

function lower(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Math.min(left, right);
}

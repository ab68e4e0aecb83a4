import { digestJson, type JsonObject, required } from "../core/base/index.ts";
import {
  type BoundRequest,
  type CallbackResult,
  type Dispatch,
  reportOf,
  type RunState,
  type StreamInput,
  WARNINGS_MAX,
} from "../core/engine/index.ts";
import { DEFAULT_AGENT_ID, type PlanNode } from "../core/plan/index.ts";
import type { Moderator } from "../core/moderation/index.ts";
import { askChat } from "./chat-provider.ts";
import { contractOf } from "./contract.ts";
import { Partials } from "./partials.ts";
import type { BrowserHooks, BrowserProvider, BrowserRequest, BrowserResult } from "./provider.ts";
import type { PageClock } from "./timers.ts";

export interface Listener {
  stream(deltas: StreamInput["deltas"]): void;
  callback(result: CallbackResult): void;
}

/** One attempt that runs in this page. */
export class OpenDispatch {
  readonly #controller = new AbortController();
  readonly #partials: Partials;
  readonly #listener: Listener;
  readonly #warnings: string[] = [];
  readonly #moderator: Moderator | null;
  readonly #withheld: StreamInput["deltas"][number][] = [];

  constructor(clock: PageClock, listener: Listener, moderator: Moderator | null) {
    this.#listener = listener;
    this.#moderator = moderator;
    this.#partials = new Partials(clock, (deltas) => {
      // With a moderator, pieces are held back until the whole answer was checked.
      if (moderator === null) listener.stream(deltas);
      else this.#withheld.push(...deltas);
    });
  }

  begin(provider: BrowserProvider, dispatch: Dispatch, state: RunState): void {
    const node = planNodeOf(state, dispatch.nodeId);
    const request = requestOf(dispatch, state, node);
    const hooks: BrowserHooks = {
      signal: this.#controller.signal,
      onPartial: (part) => {
        if (!this.#controller.signal.aborted) this.#partials.add(part);
      },
      onLog: ({ level, message }) => {
        const isLoud = level === "warning" || level === "error";
        if (isLoud && this.#warnings.length < WARNINGS_MAX) this.#warnings.push(message);
      },
    };
    ask(provider, request, node, dispatch.request, hooks).then(
      (result) => this.#end(result, request),
      (thrown: unknown) => {
        const message = `The provider broke: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
        this.#end({ status: "failed", failure: "adapter_bug", message }, request);
      },
    );
  }

  /** Aborts the attempt. Everything that it still sends is dropped. */
  abort(): void {
    this.#partials.close();
    this.#controller.abort();
  }

  #end(result: BrowserResult, { outputStrategy }: BrowserRequest): void {
    if (this.#controller.signal.aborted) return;
    this.#partials.flush();
    const report = this.#moderated(reportOf(result, outputStrategy, this.#warnings));
    if (this.#withheld.length > 0 && report.status === "completed" && report.moderation === undefined) {
      this.#listener.stream(this.#withheld);
    }
    this.#listener.callback(report);
  }

  #moderated(report: CallbackResult): CallbackResult {
    if (this.#moderator === null || report.status !== "completed") return report;
    const { stdout, outputs, envelope, tokens, costMicros, model } = report;
    const text = this.#moderator.text(stdout ?? envelope?.output ?? "");
    const data = { outputs: outputs ?? null, envelope: (envelope ?? null) as JsonObject | null };
    const moderation = text.allowed ? this.#moderator.json(data) : text;
    if (moderation.allowed) return report;
    const spent = { tokens, costMicros, ...(model === undefined ? {} : { model }) };
    return { status: "completed", moderation: { ...moderation.decision }, ...spent };
  }
}

function ask(
  provider: BrowserProvider,
  request: BrowserRequest,
  node: PlanNode,
  bound: BoundRequest,
  hooks: BrowserHooks,
): Promise<BrowserResult> {
  if (provider.kind === "scripted") return provider.execute(request, hooks);
  return askChat(provider, request, contractOf(node, bound), hooks);
}

export function planNodeOf({ plan }: RunState, nodeId: string): PlanNode {
  const index = plan.indexById.get(nodeId.split("[", 1)[0] ?? nodeId);
  return required(index === undefined ? undefined : plan.nodes[index], `${nodeId} is a node of the plan`);
}

function requestOf(dispatch: Dispatch, { runId, plan }: RunState, node: PlanNode): BrowserRequest {
  const { request, route } = dispatch;
  const { schema } = contractOf(node, request);
  return {
    dispatchId: dispatch.dispatchId,
    runId,
    stepId: dispatch.nodeId,
    attempt: dispatch.attempt,
    idempotencyKey: dispatch.idempotencyKey,
    provider: route.provider ?? "",
    ...(route.model === null ? {} : { model: route.model }),
    agentId: route.agentId ?? DEFAULT_AGENT_ID,
    message: request.message,
    ...(request.stdin === null ? {} : { stdin: request.stdin }),
    inputs: { ...request.inputs },
    ...(schema === null ? {} : { outputSchema: { ...schema } }),
    outputStrategy: request.outputStrategy,
    timeoutMs: dispatch.timeoutMs,
    ...(dispatch.maxOutputTokens === null ? {} : { maxOutputTokens: dispatch.maxOutputTokens }),
    context: { runId, workflow: plan.name, phase: node.phase, upstreamDigest: digestJson(request.inputs) },
    effects: dispatch.effects,
  };
}

import type { Adapter } from "../../adapter/index.ts";
import type { JsonObject, Json } from "../../core/base/index.ts";
import { findNode, type NodeState, type RunState, type ToolCall } from "../../core/engine/index.ts";
import type { Dispatch } from "../../core/engine/index.ts";
import type { RunRecord } from "../../store/index.ts";
import { scriptToolOf } from "../step-tool.ts";
import type { ChildPreparer } from "./children.ts";

export interface ScriptToolResult {
  readonly result: Json;
  readonly isError: boolean;
}

/** Runs scripts that steps offer as tools, with the adapter for script steps. Scripts have no effects, so repeating one is harmless. */
export class ScriptTools {
  readonly #adapter: Adapter | undefined;

  constructor(adapters: readonly Adapter[]) {
    this.#adapter = adapters.find(({ provider }) => provider === "script");
  }

  async run(state: RunState, node: NodeState, call: ToolCall): Promise<ScriptToolResult> {
    const code = scriptToolOf(state, node.id, call.tool)?.code ?? "";
    if (this.#adapter === undefined) return { result: "script_error: scripts cannot be run here", isError: true };
    const result = await this.#adapter.execute(requestOf(state, node, call, code), {
      signal: new AbortController().signal,
      onPartial: () => undefined,
      onLog: () => undefined,
    });
    if (result.status === "failed") return { result: `${result.failure}: ${result.message}`, isError: true };
    if (result.status !== "completed" || result.stdout === undefined) return { result: null, isError: false };
    return { result: JSON.parse(result.stdout) as Json, isError: false };
  }
}

function requestOf(state: RunState, node: NodeState, { id, args }: ToolCall, code: string) {
  const { runId, plan } = state;
  return {
    dispatchId: id,
    runId,
    stepId: node.id,
    attempt: Math.max(1, node.attempts),
    idempotencyKey: id,
    provider: "script",
    agentId: node.agentId ?? "",
    message: code,
    inputs: { ...args },
    outputStrategy: "json" as const,
    timeoutMs: null,
    context: { runId, workflow: plan.name, phase: null, upstreamDigest: null },
    effects: "at_least_once" as const,
  };
}

/** Returns the calls of a round that are allowed and that the server has to run. */
export function scriptCalls(state: RunState, nodeId: string, callIds: readonly string[]): readonly ToolCall[] {
  const calls = findNode(state, nodeId)?.turn?.calls;
  return callIds.flatMap((id) => {
    const call = calls?.get(id);
    const isOpen = call?.ruling.kind === "allow" && call.result === null && call.server === null;
    return call !== undefined && isOpen && scriptToolOf(state, nodeId, call.tool) !== undefined ? [call] : [];
  });
}

/**
 * Returns the query for the tool descriptions of the workflows a model may call. Undefined when there are none, or they
 * are described already.
 */
export function workflowDescriptions(
  run: RunRecord,
  { hints, toolSpecs }: Dispatch,
  preparer: ChildPreparer,
): (() => Promise<NonNullable<Dispatch["toolSpecs"]>>) | undefined {
  const tools = (hints.stepTools ?? []).flatMap((tool) => (tool.kind === "workflow" ? [tool] : []));
  if (tools.length === 0 || toolSpecs !== undefined) return undefined;
  return () =>
    Promise.all(
      tools.map(async ({ name, workflow }) => {
        const parameters: JsonObject = (await preparer.argsOf?.(run, workflow)) ?? { type: "object" };
        return { name, description: `Runs the workflow ${workflow.name}, and gives its outputs.`, parameters };
      }),
    );
}

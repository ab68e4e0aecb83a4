import type { CaseCall, CaseOutcome, CaseVerdict, NodeOutcome } from "../core/cases/index.ts";
import { RUN_ENDINGS } from "../core/cases/index.ts";
import { outputsOfRun } from "../core/engine/index.ts";
import type { EventOf, RunEvent } from "../core/event/index.ts";
import { outlineOf, reduceRun } from "../core/view/index.ts";
import { type SimulationInput, type Simulated, simulationOf } from "../simulation/index.ts";
import type { AskedNode } from "./run-case.ts";

const MICROS = 1_000_000;

/** Returns the part of a simulation's result that a case is checked against. */
export function outcomeOf(input: SimulationInput, simulated: Simulated, asked: readonly AskedNode[]): CaseOutcome {
  const { plan, args } = input;
  const { state, family } = simulated;
  const { status, launch, nodes: forecasts, forecast } = simulationOf(plan, simulated);
  const prefixes = new Map(family.map(({ runId, prefix }) => [runId, prefix]));
  const nodes = new Map<string, NodeOutcome>();
  let errorCode: string | null = launch.explanation?.code ?? null;
  for (const { log, prefix } of family) {
    const isFirst = prefix === "";
    const view = reduceRun(log, isFirst ? outlineOf(plan) : undefined);
    if (isFirst) errorCode = view.errorCode;
    for (const [id, node] of view.nodes) {
      const { status: now, attempts, outputs, output, errorCode: code } = node;
      nodes.set(`${prefix}${id}`, { status: now, attempts, outputs, text: output, errorCode: code });
    }
  }
  const gates = new Map<string, CaseVerdict>([
    [
      "launch",
      { verdict: launch.disposition, gate: launch.explanation?.gate ?? null, code: launch.explanation?.code ?? null },
    ],
  ]);
  for (const { nodeId, verdict, gate, code } of forecasts) {
    if (verdict !== null) gates.set(nodeId, { verdict, gate, code });
  }
  return {
    status: RUN_ENDINGS.find((one) => one === status) ?? "waiting",
    errorCode,
    outputs: state === null ? {} : outputsOfRun(state),
    args,
    nodes,
    gates,
    costUsd: forecast.costMicros / MICROS,
    calls: [
      ...asked.map(({ runId, nodeId, ...call }): CaseCall => {
        return { kind: "node", node: `${prefixes.get(runId) ?? ""}${nodeId}`, name: null, args: null, ...call };
      }),
      ...family.flatMap(({ log, prefix }) => [...callsIn(log, prefix)]),
    ],
  };
}

/** Yields allowed tool calls, started workflows, and approval requests. */
function* callsIn(log: readonly RunEvent[], prefix: string): Generator<CaseCall> {
  const requested = new Map<string, EventOf<"tool.requested">["payload"]>();
  const bare = { agent: null, provider: null, text: "", args: null };
  for (const { type, payload } of log) {
    if (type === "tool.requested") requested.set(payload.callId, payload);
    if (type === "tool.decided" && payload.disposition === "allow") {
      const call = requested.get(payload.callId);
      if (call === undefined) continue;
      const args = payload.args ?? call.args;
      yield { ...bare, kind: "tool", node: prefix + call.nodeId, name: call.tool, args };
    }
    if (type === "child.started" && payload.block === undefined && payload.callId === undefined) {
      yield { ...bare, kind: "workflow", node: prefix + payload.nodeId, name: payload.workflow };
    }
    if (type === "approval.requested") {
      const { nodeId, agentId, summary, rendered } = payload;
      const text = rendered === "" || rendered === summary ? summary : `${summary}\n${rendered}`;
      yield { ...bare, kind: "person", node: prefix + nodeId, name: null, agent: agentId, text };
    }
  }
}

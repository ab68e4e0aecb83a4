import { createScriptedAdapter, SCRIPTED_PROVIDER } from "../adapters/index.ts";
import { createVirtualClock } from "../clock/index.ts";
import type { RunState } from "../core/engine/index.ts";
import type { EventPayload, RunEvent } from "../core/event/index.ts";
import type { PlanNode } from "../core/plan/index.ts";
import { LocalDriver, type Settlement } from "../driver/index.ts";
import { createAllowAllJudge } from "../governance/index.ts";
import { answerYes } from "./approvals.ts";
import { formatCost, formatDuration } from "./figures.ts";
import type { Io } from "./io.ts";
import { EXIT } from "./exit-code.ts";
import { exitCodeOf } from "./outcome.ts";
import { prepare, type Prepared, type RunOptions } from "./run.ts";
import { readSourceFile } from "./source-file.ts";
import { formatTable } from "./table.ts";
import { createPaint, oneLine } from "./terminal-text.ts";

export type SimulateOptions = Pick<RunOptions, "arg" | "argsFile" | "script" | "library" | "json">;

/** Any moment would do; always the same one makes two simulations the same. */
const START_AT = Date.UTC(2026, 0, 1);

export async function simulate(io: Io, name: string, options: SimulateOptions): Promise<number> {
  const prepared = await prepare(io, await readSourceFile(io, name), options);
  const { settlement, log } = await rehearse(prepared);
  const forecast = forecastOf(settlement, log);
  if (options.json === true) io.out.write(`${JSON.stringify(forecast, null, 2)}\n`);
  else printForecast(io, forecast);
  if (settlement.kind === "parked") return EXIT.runFailed;
  return settlement.kind === "waiting" ? EXIT.waiting : exitCodeOf(settlement.state.status);
}

/** Runs it to its end in no time at all, with everybody who would be asked saying yes. */
async function rehearse({
  workspace,
  args,
  script,
}: Prepared): Promise<{ settlement: Settlement; log: readonly RunEvent[] }> {
  const clock = createVirtualClock(START_AT);
  const driver = new LocalDriver({
    adapters: [createScriptedAdapter({ script, clock })],
    clock,
    judge: createAllowAllJudge(new Set([SCRIPTED_PROVIDER]), SCRIPTED_PROVIDER),
    newRunId: () => "run_simulated",
    jitter: () => 0.5,
    resolveWorkflow: workspace.resolve,
    answerApproval: answerYes,
  });
  const runId = driver.start(workspace.workflow, args, "simulate");
  const settled = driver.whenSettled(runId);
  let isSettled = false;
  void settled.then(() => {
    isSettled = true;
  });
  await clock.run(() => isSettled);
  const settlement = await settled;
  driver.close();
  return { settlement, log: driver.logOf(runId) };
}

interface NodeForecast {
  readonly nodeId: string;
  readonly kind: PlanNode["kind"];
  readonly status: string;
  /** The strictest of its verdicts; null when no gate was asked. */
  readonly verdict: "allow" | "block" | "hold" | null;
  readonly gate: string | null;
  readonly code: string | null;
  readonly waitsForPerson: boolean;
  readonly instances: number | null;
  readonly attempts: number;
  readonly costMicros: number;
  readonly durationMs: number | null;
}

interface Forecast {
  readonly workflow: string;
  readonly status: string;
  readonly nodes: readonly NodeForecast[];
  readonly forecast: {
    readonly costMicros: number;
    readonly durationMs: number;
    readonly criticalPath: readonly string[];
    readonly waitsForPerson: readonly string[];
  };
}

function forecastOf(settlement: Settlement, log: readonly RunEvent[]): Forecast {
  const { state } = settlement;
  const verdicts = strictestVerdicts(log);
  const asked = new Set(
    log.flatMap((event) => (event.type === "approval.requested" ? [baseOf(event.payload.nodeId)] : [])),
  );
  const nodes = state.plan.nodes.map((node) => forecastNode(state, node, verdicts.get(node.id), asked.has(node.id)));
  const end = state.endedAt ?? log.at(-1)?.at ?? START_AT;
  return {
    workflow: state.plan.name,
    status: settlement.kind === "waiting" ? "waiting" : state.status,
    nodes,
    forecast: {
      costMicros: nodes.reduce((sum, { costMicros }) => sum + costMicros, 0),
      durationMs: end - (state.startedAt ?? end),
      criticalPath: criticalPath(state),
      waitsForPerson: nodes.filter(({ waitsForPerson }) => waitsForPerson).map(({ nodeId }) => nodeId),
    },
  };
}

type Decided = EventPayload<"gate.decided">;
const STRICTNESS = { allow: 0, hold: 1, block: 2 } as const;

function strictestVerdicts(log: readonly RunEvent[]): ReadonlyMap<string, Decided> {
  const strictest = new Map<string, Decided>();
  for (const event of log) {
    if (event.type !== "gate.decided") continue;
    const id = baseOf(event.payload.nodeId);
    const before = strictest.get(id);
    if (before === undefined || STRICTNESS[event.payload.disposition] > STRICTNESS[before.disposition]) {
      strictest.set(id, event.payload);
    }
  }
  return strictest;
}

function forecastNode(state: RunState, node: PlanNode, decided: Decided | undefined, isAsked: boolean): NodeForecast {
  const own = state.nodes[node.index];
  const indices = own?.expansion?.members ?? [];
  const members = [node.index, ...indices].flatMap((index) => state.nodes[index] ?? []);
  const spent = members.reduce((sum, { costMicros }) => sum + costMicros, 0);
  const tries = members.reduce((sum, { attempts }) => sum + attempts, 0);
  // What a script does not price is expected to cost what its author estimated, for every try.
  const costMicros = spent > 0 ? spent : (node.request.estimatedCostMicros ?? 0) * tries;
  return {
    nodeId: node.id,
    kind: node.kind,
    status: own?.now.status ?? "pending",
    verdict: decided?.disposition ?? null,
    gate: decided?.gate ?? null,
    code: decided?.code ?? (own !== undefined && "errorCode" in own.now ? own.now.errorCode : null),
    waitsForPerson: isAsked,
    instances: own?.expansion?.members.length ?? null,
    attempts: tries,
    costMicros,
    durationMs: own?.now.status === "completed" ? own.now.durationMs : null,
  };
}

/** From the node that settled last back through whichever parent it had to wait for longest. */
function criticalPath(state: RunState): readonly string[] {
  const settledAt = (index: number): number => {
    const now = state.nodes[index]?.now;
    return now !== undefined && "settledAt" in now && now.status !== "skipped" ? now.settledAt : -1;
  };
  const latest = (indices: readonly number[]): number | undefined => {
    let best: number | undefined;
    for (const index of indices) {
      if (settledAt(index) >= 0 && (best === undefined || settledAt(index) >= settledAt(best))) best = index;
    }
    return best;
  };
  const path: string[] = [];
  let index = latest(state.plan.nodes.filter(({ dependents }) => dependents.length === 0).map((node) => node.index));
  while (index !== undefined) {
    const node: PlanNode | undefined = state.plan.nodes[index];
    if (node === undefined) break;
    path.push(node.id);
    index = latest(node.parents);
  }
  return path.reverse();
}

function baseOf(nodeId: string): string {
  return nodeId.split("[", 1)[0] ?? nodeId;
}

function printForecast(io: Io, { workflow, status, nodes, forecast }: Forecast): void {
  const paint = createPaint(io.out, io.env);
  const rows = nodes.map((node) => [
    oneLine(node.instances === null ? node.nodeId : `${node.nodeId} ×${node.instances}`),
    node.verdict ?? "–",
    node.gate ?? (node.waitsForPerson ? "person" : "–"),
    node.costMicros > 0 ? formatCost(node.costMicros) : "–",
    node.durationMs === null ? "–" : formatDuration(node.durationMs),
    node.code === null ? node.status : `${node.status} (${node.code})`,
  ]);
  io.out.write(formatTable([["NODE", "VERDICT", "GATE", "COST", "DURATION", "RESULT"], ...rows]));
  const people = forecast.waitsForPerson;
  io.out.write(`\n${paint("bold", `${workflow}: ${status}`)}\n`);
  io.out.write(`cost      ${formatCost(forecast.costMicros)}\n`);
  io.out.write(
    `duration  ${formatDuration(forecast.durationMs)} (${forecast.criticalPath.join(" → ")}), people not counted\n`,
  );
  io.out.write(`people    ${people.length === 0 ? "nobody has to answer" : `wait at ${people.join(", ")}`}\n`);
  io.out.write("verdicts  every gate is open: no agents, budgets or policies are known here\n");
}

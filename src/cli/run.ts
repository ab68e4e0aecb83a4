import { randomBytes } from "node:crypto";
import { createScriptedAdapter, SCRIPTED_PROVIDER, type Script } from "../adapters/index.ts";
import type { JsonObject } from "../core/base/index.ts";
import type { RunState } from "../core/engine/index.ts";
import { isTerminal, type Priority, type RunEvent } from "../core/event/index.ts";
import type { Plan } from "../core/plan/index.ts";
import { frameEvent, outlineOf, projectRun, type RunProjection } from "../core/view/index.ts";
import { newRunId } from "../driver/index.ts";
import { createAllowAllJudge } from "../governance/index.ts";
import { createScriptAdapter } from "../script/index.ts";
import { type ApproveMode, chooseAnswer, printOpenApprovals } from "./approvals.ts";
import { readArgs } from "./args.ts";
import { loadLibrary } from "./catalog.ts";
import { chooseProgress } from "./choose-progress.ts";
import { EXIT } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { openLedger } from "./ledger-file.ts";
import { printProblems } from "./problem-report.ts";
import { OwnEngine, type Settlement } from "./own-engine.ts";
import { loadScript } from "./simulation.ts";
import { blockOutlinesOf, ShownFamily } from "./shown-family.ts";
import { STOP_MS } from "./serve-until-stopped.ts";
import { exitCodeOf, type RunOutcome, printFailures, printOutcome } from "./run-outcome.ts";
import { leavesOf } from "./remote-plan.ts";
import type { SourceFile } from "./source-file.ts";
import { printable } from "./terminal-text.ts";
import { readWorkflowFile } from "./workflow-file.ts";
import { openWorkspace, type Workspace } from "./workspace.ts";

export interface RunOptions {
  readonly arg?: readonly string[];
  readonly argsFile?: string;
  readonly script?: string;
  readonly ledger?: string;
  readonly library?: string;
  readonly approve?: ApproveMode;
  readonly wait: boolean;
  readonly concurrency?: number;
  /** Time limit in seconds. */
  readonly maxTime?: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** Run in this process, even when a server is known. */
  readonly local?: boolean;
  /** Start the run on the server and do not watch it. */
  readonly detach?: boolean;
  /** Only on a server: the team whose members share the nodes. */
  readonly team?: string;
  readonly label?: readonly string[];
  /** Only on a server: how often the run may be recovered automatically. */
  readonly recover?: number;
  /** Only on a server: the priority of the run. */
  readonly priority?: Priority;
}

/** Everything a run needs, read and checked before anything starts. */
export interface Prepared {
  readonly workspace: Workspace;
  readonly args: JsonObject;
  readonly script: Script;
}

/** Runs a workflow in this process. Nothing is stored after the process ends. */
export async function runHere(io: Io, name: string, options: RunOptions): Promise<number> {
  const file = await readWorkflowFile(io, name);
  const prepared = await prepare(io, file, options, () => {
    // A result of scripted answers must not be mistaken for a real one. The notice is left out only with both `--local` and
    // `--quiet`.
    if (options.local === true && options.quiet === true) return;
    const why = options.local === true ? "" : "; no server is known";
    io.err.write(`in this process, on scripted answers${why}\n`);
  });
  if (options.quiet !== true) warnOfProviders(io, prepared.workspace.plans);
  return perform(io, prepared, options);
}

export async function prepare(
  io: Io,
  file: SourceFile,
  options: Pick<RunOptions, "arg" | "argsFile" | "script" | "library" | "quiet">,
  onValid: () => void = () => undefined,
): Promise<Prepared> {
  const workspace = await openWorkspace(io, file, await loadLibrary(io, options.library));
  onValid();
  if (options.quiet !== true) printProblems(io, workspace.warnings.file, workspace.warnings.problems, "warning");
  const args = await readArgs(io, workspace.workflow.plan.args, options);
  const script = await loadScript(io, options.script, workspace.plans);
  return { workspace, args, script };
}

/** Runs in this process until the run ends, or only a person could make it continue. */
async function perform(io: Io, { workspace, args, script }: Prepared, options: RunOptions): Promise<number> {
  const { workflow } = workspace;
  const { plan } = workflow;
  const progress = chooseProgress(io, options);
  const traceId = randomBytes(16).toString("hex");
  const record = options.json === true ? createRecorder(io, plan, traceId) : () => undefined;
  const runId = newRunId(io.clock.now());
  const family = new ShownFamily(runId, outlineOf(plan), blockOutlinesOf(plan));
  const ledger = options.ledger === undefined ? {} : { ledger: openLedger(io, options.ledger) };
  const scripts = createScriptAdapter({ clock: io.clock });
  const engine: OwnEngine = new OwnEngine({
    clock: io.clock,
    adapters: [createScriptedAdapter({ script, clock: io.clock, ...ledger }), scripts],
    judge: createAllowAllJudge(new Set([SCRIPTED_PROVIDER]), SCRIPTED_PROVIDER),
    answer: chooseAnswer(io, options, progress),
    onLeftOpen: (approvalId, why) => io.err.write(`sluice: ${approvalId} was not answered: ${printable(why)}\n`),
    onEvents(from, events) {
      // Child runs have their own event numbers and output, so they are not recorded here.
      if (from === runId) record(runId, events);
      for (const event of events) {
        const shown = family.take(from, event);
        if (shown !== undefined) progress.show(shown.view, [event], shown.around);
      }
    },
    runId,
    shapePlan: shapeFor(plan, options),
  });
  const stopListening = cancelOnInterrupt(io, engine);
  try {
    await engine.start(workflow, args, { trigger: "cli", traceId });
    const settlement = await engine.whenSettled();
    progress.finish();
    return report(io, settlement, options);
  } finally {
    stopListening();
    await engine.stop();
    await scripts.shutdown();
  }
}

function report(io: Io, settlement: Settlement, options: RunOptions): number {
  const { state } = settlement;
  const projection = projectRun(state, { workflowId: state.plan.name });
  if (options.json === true) io.out.write(`${JSON.stringify(projection)}\n`);
  if (settlement.kind === "parked") {
    io.err.write(`sluice: internal error in run ${state.runId}: ${printable(settlement.message)}\n`);
    io.err.write("  the run was stopped; please report this with the workflow file\n");
    return EXIT.runFailed;
  }
  const outcome = outcomeOf(state, projection);
  if (options.json !== true) printOutcome(io, outcome, { isQuiet: options.quiet === true });
  else if (projection.status !== "completed") printFailures(io, projection.nodeResults, outcome);
  if (settlement.kind === "waiting") printOpenApprovals(io, state.runId, settlement.approvals);
  return settlement.kind === "waiting" ? EXIT.waiting : exitCodeOf(state.status);
}

function outcomeOf(state: RunState, projection: RunProjection): RunOutcome {
  const { plan, startedAt, endedAt, errorCode: code, errorReason: message } = state;
  const durationMs = startedAt === null || endedAt === null ? null : endedAt - startedAt;
  const error = isTerminal(state.status) ? { code, message } : null;
  return { workflow: plan.name, projection, durationMs, error, leaves: leavesOf(plan) };
}

/** Applies the limits of the options to a plan. Concurrency applies to every run of the family, the time limit only to the named run. */
function shapeFor(own: Plan, { concurrency, maxTime }: RunOptions): (plan: Plan) => Plan {
  return (plan) => {
    const maxParallel = Math.min(plan.maxParallel, concurrency ?? Infinity);
    if (maxTime === undefined || plan.name !== own.name) return { ...plan, maxParallel };
    return { ...plan, maxParallel, timeoutMs: Math.min(plan.timeoutMs ?? Infinity, maxTime * 1_000) };
  };
}

/** Cancels the run in order on the first interrupt. Exits at once on a second, or before a process manager would kill the process. */
function cancelOnInterrupt(io: Io, engine: OwnEngine): () => void {
  let stopTimer: (() => void) | null = null;
  const stopListening = io.onInterrupt(() => {
    if (stopTimer !== null) {
      io.exitNow(EXIT.cancelled);
      return;
    }
    stopTimer = io.clock.after(STOP_MS, () => io.exitNow(EXIT.cancelled));
    io.err.write("\ncancelling; Ctrl-C again stops at once\n");
    engine.cancel();
  });
  return () => {
    stopListening();
    stopTimer?.();
  };
}

/** Returns a function that writes the events of the run in the form in which the API sends them. */
function createRecorder(io: Io, plan: Plan, traceId: string): (runId: string, events: readonly RunEvent[]) => void {
  return (runId, events) => {
    for (const event of events) {
      const wave = waveOf(plan, event);
      const frame = frameEvent(event, {
        runId,
        workflowId: plan.name,
        traceId,
        ...(wave === undefined ? {} : { wave }),
      });
      io.out.write(`${JSON.stringify(frame)}\n`);
    }
  };
}

function waveOf(plan: Plan, { payload }: RunEvent): number | undefined {
  if (!("nodeId" in payload)) return undefined;
  const index = plan.indexById.get(payload.nodeId.split("[", 1)[0] ?? "");
  return index === undefined ? undefined : plan.nodes[index]?.wave;
}

/** Warns when plans name providers that are not set up here, so that scripted answers are not mistaken for answers of a model. */
function warnOfProviders(io: Io, plans: readonly Plan[]): void {
  const named = new Set(plans.flatMap((plan) => plan.nodes.flatMap(({ request }) => request.provider ?? [])));
  named.delete(SCRIPTED_PROVIDER);
  if (named.size === 0) return;
  const list = [...named].map((provider) => `"${printable(provider)}"`).join(", ");
  io.err.write(`warning: ${list}: no such provider is set up here, the scripted adapter answers instead\n`);
}

import { randomBytes } from "node:crypto";
import {
  branchInTurn,
  branchWith,
  type Carried,
  createRunState,
  findNode,
  labelsOf,
  type Refusal,
  restartFrom,
  type UnstampedInput,
} from "../../core/engine/index.ts";
import type { Plan } from "../../core/plan/index.ts";
import type { Judge } from "../../governance/index.ts";
import type { NewRun, RunStore } from "../../store/index.ts";
import { newRunId } from "../run-id.ts";
import { HeldTimers } from "./held-timers.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { DuplicateRun } from "./duplicate-run.ts";
import type { Launch, LaunchOutcome, Runtime } from "./runtime.ts";
import type { TurnSeal } from "./turn-seal.ts";

export interface CarrySources {
  /** Source of the states of the run that the new run continues. */
  readonly states: Pick<Runtime, "stateOf" | "stateAt">;
  readonly seal: TurnSeal;
}

const NO_SOURCE: Refusal = { code: "unknown_source", message: "the run to start from is not there" };

/** Returns what a restarted or branched run carries over, and `{}` for any other run. */
export async function carriedFor(
  { states, seal }: CarrySources,
  { orgId, source, args }: Launch,
): Promise<{ readonly carried?: readonly Carried[] } | { readonly refusal: Refusal }> {
  if (source === undefined) return {};
  const { runId, kind, fromNode, eventId, edits, turn } = source;
  const view = eventId === undefined ? await states.stateOf(orgId, runId) : await states.stateAt(orgId, runId, eventId);
  if (view === undefined || view === null) return { refusal: NO_SOURCE };
  const { state } = view;
  if (turn !== undefined) return branchInTurn(state, turn, (message) => seal.openMessage(message, { orgId, runId }));
  if (fromNode !== undefined && findNode(state, fromNode) === undefined) return { refusal: NO_SOURCE };
  return kind === "restart" ? { carried: restartFrom(state, fromNode) } : branchWith(state, args, edits);
}

/** Returns the launch with the gateway and roles that the run is pinned to, whatever is registered later. */
export async function placed(launch: Launch, plan: Plan, judge: Pick<Judge, "place" | "prepare">): Promise<Launch> {
  const { orgId, workflow, gateway = null, roleBindings = {} } = launch;
  if (judge.place === undefined) return launch;
  await judge.prepare?.(new Set([orgId]));
  const placement = judge.place(orgId, { workflow, plan, gateway, roleBindings });
  return {
    ...launch,
    placement,
    gateway: placement.gateway ?? null,
    roleBindings: placement.roleBindings ?? {},
  };
}

export function startOf(
  launch: Launch,
  carried: readonly Carried[] | undefined,
  labels: NewRun["labels"] = {},
): UnstampedInput {
  return {
    type: "start",
    workflow: launch.workflow,
    version: launch.version,
    hash: launch.definitionHash,
    args: launch.args,
    trigger: launch.trigger,
    recursionDepth: launch.parent?.recursionDepth ?? 0,
    ...(launch.parent === undefined ? {} : { parentRunId: launch.parent.runId }),
    ...(launch.parent?.handoffs === undefined ? {} : { handoffs: launch.parent.handoffs }),
    ...(launch.inputsFrom === undefined ? {} : { inputsFrom: launch.inputsFrom }),
    ...(launch.placement === undefined ? {} : { placement: launch.placement }),
    ...(launch.source === undefined ? {} : { sourceRunId: launch.source.runId }),
    ...(launch.root === undefined ? {} : { root: launch.root }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(launch.hops === undefined ? {} : { hops: launch.hops }),
    ...(launch.priority === undefined ? {} : { priority: launch.priority }),
    ...(launch.paused === undefined ? {} : { paused: launch.paused }),
    ...(launch.limit === undefined ? {} : { limit: launch.limit }),
    ...(launch.heldKeys === undefined ? {} : { heldKeys: launch.heldKeys }),
    ...takenBefore(launch, carried),
    ...(launch.by === undefined ? {} : { startedBy: launch.by }),
    ...(launch.block === undefined ? {} : { block: launch.block }),
    ...(launch.owner === undefined ? {} : { owner: launch.owner }),
    ...(carried === undefined ? {} : { carried }),
  };
}

/** Merges what the block took before with what its carried steps took, without duplicates. */
function takenBefore(
  { taken = [], block }: Launch,
  carried: readonly Carried[] = [],
): { readonly taken?: readonly string[] } {
  const kept = block === undefined ? [] : carried.flatMap((one) => ("taken" in one ? (one.taken ?? []) : []));
  return taken.length + kept.length === 0 ? {} : { taken: [...new Set([...taken, ...kept])] };
}

/** Creates a run that exists only in memory until its first commit. */
export function createLive(launch: Launch, plan: Plan, now: number): DrivenRun {
  const runId = launch.runId ?? newRunId(now);
  const { workflow, args, block } = launch;
  // Runs of blocks are not listed.
  const labels = block === undefined ? labelsOf(plan, { runId, workflow, args }, launch.labels) : {};
  const pinned = { labels, ...pinnedOf(launch, now) };
  return {
    run: {
      runId,
      orgId: launch.orgId,
      rowVersion: 0,
      status: "queued",
      epoch: 0,
      lastEventId: 0,
      costMicros: 0,
      startedAt: null,
      endedAt: null,
      waitingFor: null,
      errorCode: null,
      errorMessage: null,
      paused: null,
      ...pinned,
    },
    ...undecided(plan, runId),
    lastAt: now,
    creating: { idempotency: launch.idempotency ?? null, ...pinned },
  };
}

/** Returns the run as it was before its first input was processed. */
export function withoutDecisions({ run, state, creating }: DrivenRun): DrivenRun {
  const { plan, runId } = state;
  return {
    run,
    ...undecided(plan, runId),
    lastAt: run.createdAt,
    creating,
  };
}

function undecided(plan: Plan, runId: string): Omit<DrivenRun, "run" | "lastAt" | "creating"> {
  return {
    state: createRunState(plan, runId),
    openAttempts: new Map(),
    timers: new HeldTimers(),
    waiters: new Set(),
    hasBegun: false,
    contentBytes: 0,
  };
}

/** The fields of a run that are set when it is created and never change. */
function pinnedOf(launch: Launch, createdAt: number): Omit<NewRun, "idempotency" | "labels"> {
  return {
    workflow: launch.workflow,
    version: launch.version,
    definitionHash: launch.definitionHash,
    args: launch.args,
    trigger: launch.trigger,
    pinnedHash: launch.pinnedHash ?? null,
    traceId: launch.parent?.traceId ?? launch.traceId ?? randomBytes(16).toString("hex"),
    rootSpanId: randomBytes(8).toString("hex"),
    parentSpanId: launch.parentSpanId ?? null,
    parentRunId: launch.parent?.runId ?? null,
    parentNode: launch.parent?.nodeId ?? null,
    parentAttempt: launch.parent?.attempt ?? null,
    block: launch.block ?? null,
    sourceRunId: launch.source?.runId ?? null,
    recursionDepth: launch.parent?.recursionDepth ?? 0,
    gateway: launch.gateway ?? null,
    model: launch.model ?? null,
    roleBindings: launch.roleBindings ?? {},
    team: launch.team ?? null,
    recoveryMax: launch.recoveryMax ?? null,
    priority: launch.priority ?? "normal",
    startedBy: launch.startedBy,
    requestedBy: launch.requestedBy ?? null,
    createdAt,
  };
}

/** Returns the run that the same idempotency key and body started before. Refuses a key that was used with another body. */
export async function resolveDuplicateLaunch(
  store: Pick<RunStore, "getRun">,
  launch: Launch,
  { runId, bodyHash }: DuplicateRun,
): Promise<LaunchOutcome> {
  const message = "the idempotency key was used before with another body";
  if (bodyHash !== launch.idempotency?.bodyHash) return refused("idempotency_conflict", message);
  const run = await store.getRun(launch.orgId, runId);
  return run === undefined ? refused("idempotency_conflict", message) : { kind: "repeated", run };
}

export function refused(code: string, message: string): LaunchOutcome {
  return { kind: "refused", refusal: { code, message } };
}

import type { JsonObject } from "../../../src/core/base/index.ts";
import type { Carried, Input, RunState, StartInput } from "../../../src/core/engine/index.ts";
import type { PlaceStanding, RunEvent } from "../../../src/core/event/index.ts";
import type { PlanNode } from "../../../src/core/plan/index.ts";
import type { Workflow } from "../plans/bundle.ts";
import { createFacts, type RunFacts } from "./facts.ts";

/** A run in the world: the log is all that survives a crash, `state` is what a process has in memory. */
export interface SimRun {
  readonly facts: RunFacts;
  readonly log: RunEvent[];
  readonly start: StartInput;
  readonly parent: { readonly run: SimRun; readonly nodeId: string; readonly attempt: number } | null;
  /** Names the run by where it stands, not by its id: equal under every order of things. */
  readonly path: string;
  /** When it was launched. */
  readonly createdAt: number;
  state: RunState | null;
  /** What the driver keeps of its place. */
  place: { readonly key: string; readonly standing: PlaceStanding | "full" } | null;
  /** Its parent has taken its result. */
  isConsumed: boolean;
  /** The newest of its deadlines of each key. */
  readonly armed: Map<string, symbol>;
  /** How often an operator has reopened it. */
  reopened: number;
}

export interface Launch {
  readonly createdAt?: number;
  readonly runId: string;
  readonly workflow: Workflow;
  readonly args: JsonObject;
  readonly path: string;
  readonly parent: SimRun["parent"];
  readonly recursionDepth: number;
  readonly sourceRunId?: string;
  readonly carried?: readonly Carried[];
  readonly block?: string;
  readonly taken?: readonly string[];
  readonly heldKeys?: readonly string[];
  readonly paused?: NonNullable<StartInput["paused"]>;
  readonly owner?: NonNullable<StartInput["owner"]>;
}

export function createRun(launch: Launch): SimRun {
  const { workflow, parent, sourceRunId, carried, taken = [], heldKeys = [] } = launch;
  return {
    facts: createFacts(launch.runId, workflow),
    log: [],
    start: {
      type: "start",
      workflow: workflow.name,
      version: null,
      hash: "sha256:0",
      args: { ...defaultArgs(workflow), ...launch.args },
      trigger: parent === null ? "api" : "parent",
      recursionDepth: launch.recursionDepth,
      ...(parent === null ? {} : { parentRunId: parent.run.facts.runId, root: rootOf(parent.run) }),
      ...(sourceRunId === undefined ? {} : { sourceRunId }),
      ...(carried === undefined ? {} : { carried }),
      ...(launch.block === undefined ? {} : { block: launch.block }),
      ...(taken.length === 0 ? {} : { taken }),
      ...(heldKeys.length === 0 ? {} : { heldKeys }),
      ...(launch.paused === undefined ? {} : { paused: launch.paused }),
      ...(launch.owner === undefined ? {} : { owner: launch.owner }),
    },
    parent,
    path: launch.path,
    createdAt: launch.createdAt ?? 0,
    state: null,
    place: null,
    isConsumed: false,
    armed: new Map(),
    reopened: 0,
  };
}

function rootOf({ facts, createdAt, parent }: SimRun): NonNullable<StartInput["root"]> {
  return parent === null ? { runId: facts.runId, createdAt } : rootOf(parent.run);
}

function defaultArgs(workflow: Workflow): JsonObject {
  const filled = Object.entries(workflow.plan.args).flatMap(([name, field]) =>
    field.default === undefined ? [] : [[name, field.default] as const],
  );
  return Object.fromEntries(filled);
}

/** What a parent node is given: the outputs of the document, else `{leafId: outputs}` of the leaves that completed. */
export function leafOutputs(run: SimRun): JsonObject {
  const end = run.log.findLast((event) => event.type === "run.completed");
  if (end?.payload.outputs !== undefined) return end.payload.outputs;
  const leaves = run.facts.workflow.plan.nodes.filter((node) => node.dependents.length === 0);
  const entries = leaves.flatMap(({ id }) => {
    const node = run.facts.nodes.get(id);
    return node?.status === "completed" && node.outputs !== null ? [[id, node.outputs] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** Whether the execution that reports was under way before. */
export function isUnderWay({ facts }: SimRun, input: Input): boolean {
  if (input.type !== "round") return false;
  const node = facts.nodes.get(input.nodeId);
  return node?.openAttempt === input.attempt && node.segment === (input.segment ?? 0);
}

/** A node that is another run, or a block. */
export function isRun({ child, choose }: PlanNode): boolean {
  return child !== null || choose !== null;
}

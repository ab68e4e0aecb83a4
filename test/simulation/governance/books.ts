import type { EventOf, RunEvent } from "../../../src/core/event/index.ts";
import type { RunCommit } from "../../../src/store/index.ts";
import { believed, periodStart } from "./moments.ts";
import { boundOf } from "./roles.ts";
import type { Scene, SceneAgent, SceneStep } from "./scene.ts";

/** An attempt from its start to its end, by the log alone. */
export interface KnownAttempt {
  readonly runId: string;
  readonly workflow: string;
  readonly nodeId: string;
  readonly attempt: number;
  readonly agent: string;
  readonly role: string | null;
  readonly at: number;
  readonly estimateMicros: number;
  /** What was spent and reserved under each of its ceilings at the moment it was admitted, itself included. */
  readonly admitted: readonly Standing[];
  /** Its place among those who waited; infinite for one that came just now. */
  readonly order: number;
  /** Something of its run had been done before it asked. */
  readonly isBegun: boolean;
}

export interface KnownApproval {
  readonly id: string;
  readonly runId: string;
  readonly nodeId: string;
  readonly epoch: number;
  readonly policies: readonly string[];
  status: string;
  resolutions: number;
}

/** A ceiling in one of its periods, as the scene says it; infinite where only is counted. */
interface Ceiling {
  readonly key: string;
  readonly micros: number;
  /** The binding whose bound it is; null: of no role. */
  readonly boundBy: string | null;
}

interface Standing extends Ceiling {
  readonly sum: number;
}

/** A run that another one has started, and what that one has recorded of its cost. */
export interface KnownChild {
  readonly runId: string;
  readonly parentRunId: string;
  readonly nodeId: string;
  readonly attempt: number;
  recordedMicros: number;
}

export type Waiting = Pick<KnownAttempt, "agent" | "order" | "isBegun">;

/* Written out here and not taken from the core: books must not trust the lists of what they check. */
const ENDS: ReadonlySet<RunEvent["type"]> = new Set([
  "node.completed",
  "node.failed",
  "node.timed_out",
  "node.skipped",
  "node.cancelled",
  "node.retried",
  "node.blocked",
]);

const RUN_ENDS: ReadonlySet<string> = new Set(["run.completed", "run.failed", "run.cancelled", "run.timed_out"]);

/** What is true according to the log alone: kept beside the system, never through it. */
export class Books {
  readonly scene: Scene;
  readonly open = new Map<string, KnownAttempt>();
  readonly attempts = new Map<string, KnownAttempt>();
  /** Open by rows: opened and not closed. */
  readonly rows = new Map<string, string | null>();
  readonly starts: KnownAttempt[] = [];
  /** Spent by ceiling and period. */
  readonly spent = new Map<string, number>();
  /** Held by what is open, by ceiling and period. */
  readonly reserved = new Map<string, number>();
  /** Of each run, with all that its children have reported. */
  readonly costOf = new Map<string, number>();
  /** What all attempts together have reported. */
  reportedMicros = 0;
  readonly children = new Map<string, KnownChild>();
  /** Of runs that have ended, what they had cost by then. */
  readonly costAtEnd = new Map<string, number>();
  readonly approvals = new Map<string, KnownApproval>();
  readonly waiting = new Map<string, Waiting>();
  /** Answers that were taken, by approval. */
  readonly answers = new Map<string, number>();
  /** When an agent got which number of slots. */
  readonly slotHistory = new Map<string, { readonly at: number; readonly slots: number }[]>();
  /** When a role was given which bound, by its binding. */
  readonly boundHistory = new Map<string, { readonly at: number; readonly micros: number }[]>();
  readonly closings: { readonly from: number; until: number }[] = [];
  /** Something was changed or went wrong: orders are not to be relied on. */
  isDisturbed = false;
  waits = 0;
  /** Reports of children that came after their end. */
  lateReports = 0;
  /** What was spent when the present commit began, and what its run had reported in it by now. */
  #spentBefore: ReadonlyMap<string, number> = new Map();
  #spentMeanwhile = new Map<string, number>();
  /** What the rest of the commit gives back: all of it happens at once, and who is admitted may have that. */
  readonly #givenBack = new Map<string, number>();
  readonly #begun = new Set<string>();

  constructor(scene: Scene) {
    this.scene = scene;
    for (const { id, maxConcurrent } of scene.agents) this.slotHistory.set(id, [{ at: 0, slots: maxConcurrent }]);
    for (const { id, boundMicros } of scene.bindings)
      this.boundHistory.set(id, [{ at: 0, micros: boundMicros ?? Number.POSITIVE_INFINITY }]);
  }

  /** What a commit of several runs made true; the attempts that began in it. */
  foldAll(commits: readonly RunCommit[]): readonly KnownAttempt[] {
    this.#spentBefore = new Map(this.spent);
    for (const commit of commits) this.#expect(commit, 1);
    return commits.flatMap((commit) => {
      this.#expect(commit, -1);
      return this.#fold(commit);
    });
  }

  #expect({ runId, closed }: RunCommit, sign: 1 | -1): void {
    for (const { nodeId, attempt } of closed) {
      const known = this.open.get(keyOf(runId, nodeId, attempt));
      for (const { key } of known?.admitted ?? []) add(this.#givenBack, key, sign * (known?.estimateMicros ?? 0));
    }
  }

  #fold(commit: RunCommit): readonly KnownAttempt[] {
    const begun: KnownAttempt[] = [];
    this.#spentMeanwhile = new Map();
    for (const event of commit.events) {
      if (event.type === "node.started") begun.push(...this.#start(commit, event));
      if (event.type === "child.started") this.#bear(commit.runId, event);
      if (RUN_ENDS.has(event.type)) this.costAtEnd.set(commit.runId, this.costOf.get(commit.runId) ?? 0);
      if (ENDS.has(event.type)) this.#end(commit.runId, event);
      if (event.type === "cost.recorded") this.#spend(commit.runId, event);
      if (event.type === "node.waiting") this.#wait(commit, event);
      // Its run has no place for it: from now on it waits for that.
      if (event.type === "node.queued") this.waiting.delete(`${commit.runId}/${event.payload.nodeId}`);
      if (event.type === "approval.requested") this.#ask(commit.runId, event);
      if (event.type === "approval.resolved") this.#resolve(event);
      if (event.type === "node.started" || ENDS.has(event.type)) this.#begun.add(commit.runId);
    }
    for (const { nodeId, attempt } of commit.closed) this.rows.delete(keyOf(commit.runId, nodeId, attempt));
    for (const { nodeId, attempt, agentId } of commit.opened)
      this.rows.set(keyOf(commit.runId, nodeId, attempt), agentId);
    return begun;
  }

  agent(id: string): SceneAgent {
    const agent = this.scene.agents.find((one) => one.id === id);
    if (agent === undefined) throw new Error(`the scene has no agent ${id}`);
    return agent;
  }

  /** The most slots any replica could still believe the agent to have. */
  slotsOf(agentId: string, at: number): number {
    return Math.max(...believed(this.slotHistory.get(agentId) ?? [], at).map(({ slots }) => slots));
  }

  openOf(agentId: string): number {
    let open = 0;
    for (const { agent } of this.open.values()) if (agent === agentId) open += 1;
    return open;
  }

  /** Whether a node is a run of its own, which no agent does and no gate is asked about. */
  isChild(workflow: string, nodeId: string): boolean {
    return this.#step(workflow, nodeId).agent === null;
  }

  /** Everything an attempt is charged to, in the period in which it began. */
  #ceilingsOf({ agent, role, workflow, at }: Charged): readonly Ceiling[] {
    const budgets = this.scene.budgets.filter(
      ({ scope, scopeId }) => scope === "global" || scopeId === (scope === "agent" ? agent : workflow),
    );
    return [
      ...this.#ownCeilings({ agent, role, workflow, at }),
      ...budgets.map(({ id, period, micros }) => ({ key: `${id} ${periodStart(period, at)}`, micros, boundBy: null })),
    ];
  }

  /** One counter for all an agent does, as soon as it has a ceiling anywhere; the ceiling is that of its role, if any. */
  #ownCeilings({ agent, role, workflow, at }: Charged): readonly Ceiling[] {
    const { bindings } = this.scene;
    const { monthlyMicros } = this.agent(agent);
    const isCounted = monthlyMicros !== null || bindings.some((one) => one.agent === agent && one.boundMicros !== null);
    if (!isCounted) return [];
    const key = `agent/${agent}/monthly ${periodStart("monthly", at)}`;
    const bound = boundOf(bindings, { role, agent, workflow });
    if (bound === null) return [{ key, micros: monthlyMicros ?? Number.POSITIVE_INFINITY, boundBy: null }];
    const bounds = believed(this.boundHistory.get(bound.id) ?? [], at).map(({ micros }) => micros);
    return [{ key, micros: Math.max(...bounds), boundBy: bound.id }];
  }

  #start({ runId, workflow }: RunCommit, { payload, at }: EventOf<"node.started">): readonly KnownAttempt[] {
    const { nodeId, attempt = 0, agentId } = payload;
    const { estimateMicros, agent: doer, role } = this.#step(workflow, nodeId);
    if (doer === null) return [];
    const agent = agentId ?? "";
    const came = { order: Number.POSITIVE_INFINITY, isBegun: this.#begun.has(runId) };
    const { order, isBegun } = this.waiting.get(`${runId}/${nodeId}`) ?? came;
    const admitted = this.#ceilingsOf({ agent, role, workflow, at }).map((ceiling) => {
      const spent = (this.#spentBefore.get(ceiling.key) ?? 0) + (this.#spentMeanwhile.get(ceiling.key) ?? 0);
      const reserved = add(this.reserved, ceiling.key, estimateMicros) - (this.#givenBack.get(ceiling.key) ?? 0);
      return { ...ceiling, sum: spent + reserved };
    });
    const known = { runId, workflow, nodeId, attempt, agent, role, at, estimateMicros, order, isBegun, admitted };
    this.open.set(keyOf(runId, nodeId, attempt), known);
    this.attempts.set(keyOf(runId, nodeId, attempt), known);
    this.starts.push(known);
    this.waiting.delete(`${runId}/${nodeId}`);
    return [known];
  }

  #bear(parentRunId: string, { payload }: EventOf<"child.started">): void {
    const { childRunId: runId, nodeId, attempt = 0 } = payload;
    this.#begun.add(runId);
    this.children.set(runId, { runId, parentRunId, nodeId, attempt, recordedMicros: 0 });
  }

  #end(runId: string, { payload }: RunEvent): void {
    if (!("nodeId" in payload)) return;
    const { nodeId, attempt } = payload;
    this.waiting.delete(`${runId}/${nodeId}`);
    if (attempt === undefined) return;
    const key = keyOf(runId, nodeId, attempt);
    const known = this.open.get(key);
    if (known === undefined) return;
    this.open.delete(key);
    for (const ceiling of known.admitted) add(this.reserved, ceiling.key, -known.estimateMicros);
  }

  #spend(runId: string, { payload }: EventOf<"cost.recorded">): void {
    const { nodeId, attempt = 0, costMicros, childRunId } = payload;
    add(this.costOf, runId, costMicros);
    if (childRunId !== undefined) return this.#hearOf(childRunId, costMicros);
    this.reportedMicros += costMicros;
    const known = this.attempts.get(keyOf(runId, nodeId, attempt));
    if (known === undefined) throw new Error(`${runId}/${nodeId}/${attempt} cost something and never began`);
    for (const { key } of known.admitted) {
      add(this.spent, key, costMicros);
      add(this.#spentMeanwhile, key, costMicros);
    }
  }

  /** Booked where it was spent: here it only adds to what the runs above have cost. */
  #hearOf(childRunId: string, costMicros: number): void {
    const child = this.children.get(childRunId);
    if (child === undefined) throw new Error(`${childRunId} cost something and was never started`);
    if (child.recordedMicros > 0) this.lateReports += 1;
    child.recordedMicros += costMicros;
  }

  #wait({ runId, workflow }: RunCommit, { payload }: EventOf<"node.waiting">): void {
    const key = `${runId}/${payload.nodeId}`;
    if (payload.waitingReason === "dependency" || this.waiting.has(key)) return;
    this.waits += 1;
    const agent = this.#step(workflow, payload.nodeId).agent ?? "";
    this.waiting.set(key, { agent, order: this.waits, isBegun: this.#begun.has(runId) });
  }

  #ask(runId: string, { payload }: EventOf<"approval.requested">): void {
    const { approvalId: id, nodeId, epoch, policies } = payload;
    this.approvals.set(id, { id, runId, nodeId, epoch, policies, status: "pending", resolutions: 0 });
  }

  #resolve({ payload }: EventOf<"approval.resolved">): void {
    const approval = this.approvals.get(payload.approvalId);
    if (approval === undefined) throw new Error(`${payload.approvalId} was answered and never asked`);
    approval.status = payload.status;
    approval.resolutions += 1;
  }

  #step(workflow: string, nodeId: string): SceneStep {
    const step = this.scene.workflows.find(({ name }) => name === workflow)?.steps.get(nodeId);
    if (step === undefined) throw new Error(`the scene has no ${workflow}/${nodeId}`);
    return step;
  }
}

type Charged = Pick<KnownAttempt, "agent" | "role" | "workflow" | "at">;

function add(sums: Map<string, number>, key: string, micros: number): number {
  const sum = (sums.get(key) ?? 0) + micros;
  sums.set(key, sum);
  return sum;
}

export function keyOf(runId: string, nodeId: string, attempt: number): string {
  return `${runId}/${nodeId}/${attempt}`;
}

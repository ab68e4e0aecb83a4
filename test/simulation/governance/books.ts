import type { EventOf, RunEvent } from "../../../src/core/event/index.ts";
import type { RunCommit } from "../../../src/store/index.ts";
import type { Scene, SceneAgent, SceneStep } from "./scene.ts";

/** An attempt from its start to its end, by the log alone. */
export interface KnownAttempt {
  readonly runId: string;
  readonly workflow: string;
  readonly nodeId: string;
  readonly attempt: number;
  readonly agent: string;
  readonly at: number;
  readonly estimateMicros: number;
  /** Its place among those who waited; infinite for one that came just now. */
  readonly order: number;
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

/** A ceiling in one of its periods, as the scene says it. */
export interface Ceiling {
  readonly key: string;
  readonly micros: number;
}

export interface Waiting {
  readonly agent: string;
  readonly order: number;
}

/** How long a replica may go by what was registered before. */
export const NEWS_MS = 2_000;

const ENDS: ReadonlySet<RunEvent["type"]> = new Set([
  "node.completed",
  "node.failed",
  "node.timed_out",
  "node.skipped",
  "node.cancelled",
  "node.retried",
  "node.blocked",
]);

/** What is true, told by nobody but the log: kept beside the system, never through it. */
export class Books {
  readonly scene: Scene;
  readonly open = new Map<string, KnownAttempt>();
  readonly attempts = new Map<string, KnownAttempt>();
  /** Open by rows: opened and not closed. */
  readonly rows = new Map<string, string | null>();
  readonly starts: KnownAttempt[] = [];
  /** Spent by ceiling and period. */
  readonly spent = new Map<string, number>();
  readonly costOf = new Map<string, number>();
  readonly approvals = new Map<string, KnownApproval>();
  readonly waiting = new Map<string, Waiting>();
  /** Answers that were taken, by approval. */
  readonly answers = new Map<string, number>();
  /** When an agent got which number of slots. */
  readonly slotHistory = new Map<string, { readonly at: number; readonly slots: number }[]>();
  readonly closings: { readonly from: number; until: number }[] = [];
  /** Something was changed or went wrong: orders are not to be relied on. */
  isDisturbed = false;
  waits = 0;
  #order = 0;

  constructor(scene: Scene) {
    this.scene = scene;
    for (const { id, maxConcurrent } of scene.agents) this.slotHistory.set(id, [{ at: 0, slots: maxConcurrent }]);
  }

  /** What one run's share of a commit made true; the starts in it. */
  fold(commit: RunCommit): readonly KnownAttempt[] {
    const begun: KnownAttempt[] = [];
    for (const event of commit.events) {
      if (event.type === "node.started") begun.push(this.#start(commit, event));
      if (ENDS.has(event.type)) this.#end(commit.runId, event);
      if (event.type === "cost.recorded") this.#spend(commit.runId, event);
      if (event.type === "node.waiting") this.#wait(commit, event);
      // Its run has no place for it: from now on it waits for that.
      if (event.type === "node.queued") this.waiting.delete(`${commit.runId}/${event.payload.nodeId}`);
      if (event.type === "approval.requested") this.#ask(commit.runId, event);
      if (event.type === "approval.resolved") this.#resolve(event);
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

  /** The most slots anybody could still believe the agent to have. */
  slotsOf(agentId: string, at: number): number {
    const history = this.slotHistory.get(agentId) ?? [];
    const last = history.findLastIndex((entry) => entry.at <= at - NEWS_MS);
    return Math.max(...history.slice(Math.max(0, last)).map(({ slots }) => slots));
  }

  openOf(agentId: string): number {
    let open = 0;
    for (const { agent } of this.open.values()) if (agent === agentId) open += 1;
    return open;
  }

  /** Everything an attempt is charged to, in the period in which it began. */
  ceilingsOf({ agent, workflow, at }: KnownAttempt): readonly Ceiling[] {
    const { monthlyMicros } = this.agent(agent);
    const own = { key: `agent/${agent}/monthly ${periodStart("monthly", at)}`, micros: monthlyMicros ?? 0 };
    const budgets = this.scene.budgets.filter(
      ({ scope, scopeId }) => scope === "global" || scopeId === (scope === "agent" ? agent : workflow),
    );
    return [
      ...(monthlyMicros === null ? [] : [own]),
      ...budgets.map(({ id, period, micros }) => ({ key: `${id} ${periodStart(period, at)}`, micros })),
    ];
  }

  reserved(): ReadonlyMap<string, number> {
    const sums = new Map<string, number>();
    for (const attempt of this.open.values()) {
      for (const { key } of this.ceilingsOf(attempt)) sums.set(key, (sums.get(key) ?? 0) + attempt.estimateMicros);
    }
    return sums;
  }

  #start({ runId, workflow }: RunCommit, { payload, at }: EventOf<"node.started">): KnownAttempt {
    const { nodeId, attempt = 0, agentId } = payload;
    const step = this.#step(workflow, nodeId);
    const estimateMicros = step.estimateMicros;
    const order = this.waiting.get(`${runId}/${nodeId}`)?.order ?? Number.POSITIVE_INFINITY;
    const known = { runId, workflow, nodeId, attempt, agent: agentId ?? "", at, estimateMicros, order };
    this.open.set(keyOf(runId, nodeId, attempt), known);
    this.attempts.set(keyOf(runId, nodeId, attempt), known);
    this.starts.push(known);
    this.waiting.delete(`${runId}/${nodeId}`);
    return known;
  }

  #end(runId: string, { payload }: RunEvent): void {
    if (!("nodeId" in payload)) return;
    const { nodeId, attempt } = payload;
    this.waiting.delete(`${runId}/${nodeId}`);
    if (attempt !== undefined) this.open.delete(keyOf(runId, nodeId, attempt));
  }

  #spend(runId: string, { payload }: EventOf<"cost.recorded">): void {
    const { nodeId, attempt = 0, costMicros } = payload;
    this.costOf.set(runId, (this.costOf.get(runId) ?? 0) + costMicros);
    const known = this.attempts.get(keyOf(runId, nodeId, attempt));
    if (known === undefined) throw new Error(`${runId}/${nodeId}/${attempt} cost something and never began`);
    for (const { key } of this.ceilingsOf(known)) this.spent.set(key, (this.spent.get(key) ?? 0) + costMicros);
  }

  #wait({ runId, workflow }: RunCommit, { payload }: EventOf<"node.waiting">): void {
    const key = `${runId}/${payload.nodeId}`;
    if (payload.waitingReason === "dependency" || this.waiting.has(key)) return;
    this.#order += 1;
    this.waits += 1;
    this.waiting.set(key, { agent: this.#step(workflow, payload.nodeId).agent, order: this.#order });
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

export function keyOf(runId: string, nodeId: string, attempt: number): string {
  return `${runId}/${nodeId}/${attempt}`;
}

const DAY_MS = 86_400_000;

export function periodStart(period: "daily" | "weekly" | "monthly", at: number): number {
  const midnight = at - (at % DAY_MS);
  const date = new Date(midnight);
  if (period === "weekly") return midnight - date.getUTCDay() * DAY_MS;
  return period === "daily" ? midnight : Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
}

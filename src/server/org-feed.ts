/**
 * Reports changed runs to the streams of their organisation. The source is the heads of runs: one query for all
 * organisations with streams. Runs of this process are read soon after their commit; all open runs are read within a
 * second after another replica has reported a commit. A message is serialised once for all streams.
 *
 * Approvals of launches have no run. They are queried every two seconds and reported without one.
 *
 * L1 After `watch` has resolved, every later change of a head is reported at least once, in its state at that time.
 * L2 An organisation without streams costs nothing.
 */
import type { LiveApprovals, LiveNote, LiveRun } from "../contract/index.ts";
import { isTerminal, type WaitingFor } from "../core/event/index.ts";
import { isoFromEpochMs } from "../core/view/index.ts";
import type { Runtime } from "../driver/index.ts";
import { familyWaiting, type LiveHead, type LiveStore, type NotedApproval, type OpenLaunch } from "../store/index.ts";
import type { CommitReports } from "./commit-reports.ts";
import { sseMessage } from "./frame-text.ts";

export interface OrgFeedOptions {
  readonly store: LiveStore;
  readonly runtime: Pick<Runtime, "onCommitted">;
  readonly reports: Pick<CommitReports, "ofOthers">;
  readonly now: () => number;
  /** Interval at which commits of other replicas are queried. */
  readonly everyMs: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export interface LiveWatcher {
  readonly orgId: string;
  onRun(runId: string, message: Uint8Array): void;
  /** `runId` is null for approvals of launches, which have no run yet. */
  onApprovals(runId: string | null, message: Uint8Array): void;
  onNote(approvalId: string, message: Uint8Array): void;
}

interface Known {
  readonly head: LiveHead;
  /** Includes the waiting of child runs. */
  readonly waitingFor: WaitingFor | null;
  readonly readAt: number;
}

/** Runs this young are read whether they are open or not, because clocks of replicas differ. */
const YOUNG_MS = 60_000;
/** Notes this young are read: longer than a transaction takes to become visible, or a read to be repeated. */
const NOTES_MS = 15_000;
const RUNS_MAX = 2_000;
/** Runs beyond this number are reported again when they change. */
const KNOWN_MAX = 2 * RUNS_MAX;
/** A replica that died between a commit and its report has its runs read within this time. */
const UNREPORTED_MS = 30_000;
/** Delay after a commit of this process, so that several commits are reported together. */
const SOON_MS = 100;

export class OrgFeed {
  readonly #options: OrgFeedOptions;
  readonly #watchers = new Map<string, Set<LiveWatcher>>();
  /** Organisations whose runs are loaded; differences from the loaded state are reported. */
  readonly #ready = new Set<string>();
  readonly #known = new Map<string, Known>();
  /** The waiting approvals of launches, by organisation. */
  readonly #launches = new Map<string, string>();
  /** Whether the next read must include all open runs, because an organisation is new or the last such read failed. */
  #isWideReadDue = false;
  /** Whether the next read must check for commits of other replicas, for approvals of launches and for notes. */
  #isTickDue = false;
  #ticks = 0;
  /** The reports of other replicas, and the time, at the last read of all open runs. */
  #wideRead: { readonly reports: number; readonly at: number } | null = null;
  /** Time of the last reported note of each approval. */
  readonly #noted = new Map<string, number>();
  #changed = new Set<string>();
  #stopListening: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #soon: NodeJS.Timeout | null = null;
  #looking: Promise<void> | null = null;

  constructor(options: OrgFeedOptions) {
    this.#options = options;
  }

  /** Resolves when no later change can be missed. */
  async watch(watcher: LiveWatcher): Promise<void> {
    const watchers = this.#watchers.get(watcher.orgId) ?? new Set();
    this.#watchers.set(watcher.orgId, watchers.add(watcher));
    this.#listen();
    this.#isWideReadDue = true;
    // A read already in progress may not include this organisation.
    while (!this.#ready.has(watcher.orgId) && watchers.has(watcher)) await this.#look();
  }

  unwatch(watcher: LiveWatcher): void {
    const watchers = this.#watchers.get(watcher.orgId);
    watchers?.delete(watcher);
    if (watchers === undefined || watchers.size > 0) return;
    this.#watchers.delete(watcher.orgId);
    this.#ready.delete(watcher.orgId);
    this.#launches.delete(watcher.orgId);
    if (this.#watchers.size > 0) return;
    this.#stopListening?.();
    this.#stopListening = null;
    if (this.#timer !== null) clearInterval(this.#timer);
    if (this.#soon !== null) clearTimeout(this.#soon);
    this.#timer = null;
    this.#soon = null;
    this.#known.clear();
    this.#changed.clear();
  }

  #listen(): void {
    if (this.#stopListening !== null) return;
    const { runtime, everyMs } = this.#options;
    this.#stopListening = runtime.onCommitted((runId) => {
      this.#changed.add(runId);
      this.#soon ??= setTimeout(() => {
        this.#soon = null;
        this.#checkAgain();
      }, SOON_MS).unref();
    });
    this.#timer = setInterval(() => {
      this.#isTickDue = true;
      this.#checkAgain();
    }, everyMs).unref();
  }

  #checkAgain(): void {
    this.#look().catch((error: unknown) => this.#options.onTrouble("the heads of runs could not be read", error));
  }

  /** Runs one read at a time. A call during a read gets the next one. */
  async #look(): Promise<void> {
    const before = this.#looking;
    if (before !== null) await before.catch(() => undefined);
    this.#looking ??= this.#ask().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #ask(): Promise<void> {
    const orgIds = [...this.#watchers.keys()];
    if (orgIds.length === 0) return;
    const changed = this.#changed;
    this.#changed = new Set();
    const isTick = this.#isTickDue || this.#isWideReadDue;
    const isForced = this.#isWideReadDue;
    this.#isTickDue = false;
    this.#isWideReadDue = false;
    const now = this.#options.now();
    this.#forget(now);
    try {
      // Read before the runs: a report that follows belongs to a later read.
      const reports = isTick ? await this.#options.reports.ofOthers() : null;
      const isWide = isForced || (reports !== null && this.#isWideReadNeeded(reports, now));
      // Older runs that other replicas may have changed are queried by id.
      const runIds = [...new Set(isWide ? [...changed, ...this.#known.keys()] : changed)];
      if (isWide || runIds.length > 0) this.#compare(await this.#readHeads(orgIds, runIds, isWide ? now : null), now);
      if (isTick && this.#isApprovalReadDue(orgIds)) {
        this.#compareLaunches(orgIds, await this.#options.store.listOpenLaunches(orgIds));
        this.#compareNotes(await this.#options.store.listNotedApprovals(orgIds, now - NOTES_MS), now);
      }
      if (reports === null || !isWide) return;
      this.#wideRead = { reports, at: now };
      for (const orgId of orgIds) if (this.#watchers.has(orgId)) this.#ready.add(orgId);
    } catch (error) {
      this.#isWideReadDue ||= isForced;
      this.#isTickDue ||= isTick;
      for (const runId of changed) this.#changed.add(runId);
      throw error;
    }
  }

  #readHeads(orgIds: readonly string[], runIds: readonly string[], wideAt: number | null) {
    const createdSince = wideAt === null ? null : wideAt - YOUNG_MS;
    return this.#options.store.listLiveRuns({
      orgIds,
      createdSince,
      runIds,
      known: this.#versionsOf(runIds),
      limit: RUNS_MAX,
    });
  }

  #isWideReadNeeded(reports: number, now: number): boolean {
    const last = this.#wideRead;
    return last === null || last.reports !== reports || now - last.at >= UNREPORTED_MS;
  }

  /** True every second time, and whenever an organisation is new. */
  #isApprovalReadDue(orgIds: readonly string[]): boolean {
    this.#ticks += 1;
    return this.#ticks % 2 === 0 || orgIds.some((orgId) => !this.#ready.has(orgId));
  }

  #versionsOf(runIds: readonly string[]): ReadonlyMap<string, number> {
    return new Map(
      runIds.flatMap((runId) => {
        const known = this.#known.get(runId);
        return known === undefined ? [] : [[runId, known.head.rowVersion] as const];
      }),
    );
  }

  /** Removes runs that ended long ago. When too many runs are open, those known longest are removed. */
  #forget(now: number): void {
    for (const [runId, { head, readAt }] of this.#known) {
      const isOver = isTerminal(head.status) && readAt < now - 2 * YOUNG_MS;
      if (isOver || this.#known.size > KNOWN_MAX || !this.#watchers.has(head.orgId)) this.#known.delete(runId);
    }
  }

  #compareNotes(notes: readonly NotedApproval[], now: number): void {
    for (const [id, at] of this.#noted) if (at < now - 2 * NOTES_MS) this.#noted.delete(id);
    for (const { orgId, id, notedAt } of notes) {
      const isKnown = this.#noted.get(id) === notedAt;
      this.#noted.set(id, notedAt);
      if (isKnown || !this.#ready.has(orgId)) continue;
      const message = sseMessage("note", { approvalId: id } satisfies LiveNote);
      for (const watcher of this.#watchers.get(orgId) ?? []) watcher.onNote(id, message);
    }
  }

  #compareLaunches(orgIds: readonly string[], open: readonly OpenLaunch[]): void {
    for (const orgId of orgIds) {
      const watchers = this.#watchers.get(orgId);
      if (watchers === undefined) continue;
      const pending = open.filter((launch) => launch.orgId === orgId).map(({ approvalId }) => approvalId);
      const before = this.#launches.get(orgId) ?? "";
      this.#launches.set(orgId, pending.join(" "));
      if (!this.#ready.has(orgId) || before === pending.join(" ")) continue;
      const message = approvalsMessage({ runId: null, pending });
      for (const watcher of watchers) watcher.onApprovals(null, message);
    }
  }

  #compare(heads: readonly LiveHead[], now: number): void {
    if (heads.length === 0) return;
    const before = new Map(heads.map(({ runId }) => [runId, this.#known.get(runId)]));
    for (const head of heads.toReversed()) {
      const waitingFor = before.get(head.runId)?.waitingFor ?? null;
      this.#known.delete(head.runId);
      this.#known.set(head.runId, { head, waitingFor, readAt: now });
    }
    // A run waits with its child runs, but has no commit of its own when they begin to wait.
    const waiting = familyWaiting([...this.#known.values()].map(({ head }) => head));
    for (const [runId, known] of this.#known) {
      const waitingFor = waiting.get(runId) ?? null;
      const isRead = before.has(runId);
      if (!isRead && waitingFor === known.waitingFor) continue;
      this.#known.set(runId, { ...known, waitingFor });
      this.#report(known.head, waitingFor, isRead ? before.get(runId) : known);
    }
  }

  #report(head: LiveHead, waitingFor: WaitingFor | null, before: Known | undefined): void {
    if (!this.#ready.has(head.orgId)) return;
    const watchers = this.#watchers.get(head.orgId) ?? [];
    const { runId, pendingApprovals } = head;
    const message = sseMessage("run", liveRunOf(head, waitingFor));
    for (const watcher of watchers) watcher.onRun(runId, message);
    if ((before?.head.pendingApprovals ?? []).join(" ") === pendingApprovals.join(" ")) return;
    const approvals = approvalsMessage({ runId, pending: pendingApprovals });
    for (const watcher of watchers) watcher.onApprovals(runId, approvals);
  }
}

function approvalsMessage(approvals: LiveApprovals): Uint8Array {
  return sseMessage("approval", approvals);
}

function liveRunOf(head: LiveHead, waitingFor: WaitingFor | null): LiveRun {
  const { runId, workflow, status, lastEventId, costMicros, startedAt, endedAt } = head;
  return {
    id: runId,
    workflow,
    status,
    lastEventId,
    costMicros,
    startedAt: startedAt === null ? null : isoFromEpochMs(startedAt),
    completedAt: endedAt === null ? null : isoFromEpochMs(endedAt),
    waitingFor,
  };
}

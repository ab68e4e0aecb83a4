/** A fault in the source of the driver: `right` is replaced by `wrong`, and the test file has to fail. */
export interface Fault {
  readonly bug: string;
  /** Under `src/driver/`. */
  readonly file: string;
  readonly right: string;
  readonly wrong: string;
  readonly caughtBy: string;
}

const DRIVER = "src/driver/durable/durable-driver.test.ts";
const GOVERNED = "src/driver/durable/governed.test.ts";
const REMOTE = "src/driver/durable/remote.test.ts";
const CHILDREN = "src/driver/durable/children.test.ts";
const LEASE = "src/driver/durable/lease.test.ts";
const REPLICAS = "src/driver/durable/replicas.test.ts";
const QUEUE = "src/driver/durable/input-queue.test.ts";
const BATCHES = "src/driver/durable/batch-faults.test.ts";
const TAKEOVER = "test/integration/takeover.test.ts";
const QUEUES = "test/integration/governance-queues.test.ts";

export const DRIVER_FAULTS: readonly Fault[] = [
  {
    bug: "a caller is answered, and effects are performed, before the commit is durable",
    file: "durable/committer.ts",
    right: `outcome = await health.untilAvailable(() => store.commit(pairs.map(({ commit }) => commit)));`,
    wrong: `void health.untilAvailable(() => store.commit(pairs.map(({ commit }) => commit))).catch(() => undefined);
      outcome = { isOverLimit: false, conflicts: [], duplicates: [] };`,
    caughtBy: DRIVER,
  },
  {
    bug: "a run that another replica has advanced counts as committed",
    file: "durable/committer.ts",
    right: `} else if (conflicts.has(commit.runId)) this.#retryConflict(work);`,
    wrong: `}`,
    caughtBy: REMOTE,
  },
  {
    bug: "a batch that goes beyond a limit counts as committed",
    file: "durable/committer.ts",
    right: `if (outcome.isOverLimit) return this.#overLimit(pairs);`,
    wrong: ``,
    caughtBy: GOVERNED,
  },
  {
    bug: "what was decided for a start that did not fit is kept when it is decided again",
    file: "durable/committer.ts",
    right: `only.work.live.creating === null ? null : renewed(only.work.live)`,
    wrong: `only.work.live.creating === null ? null : only.work.live`,
    caughtBy: GOVERNED,
  },
  {
    bug: "what was taken for a commit that was not written is not given back",
    file: "durable/committer.ts",
    right: `this.#options.judge.dropped?.(about.orgId, { taken: [...admissions.values()], takenInTurns: inTurns });`,
    wrong: `void [about, admissions, inTurns];`,
    caughtBy: GOVERNED,
  },
  {
    bug: "a batch that fails leaves its runs busy",
    file: "durable/committer.ts",
    right: `await this.#oneByOne(taken);`,
    wrong: ``,
    caughtBy: BATCHES,
  },
  {
    bug: "one run that cannot be written takes its batch with it",
    file: "durable/committer.ts",
    right: `if (pairs.length > 1 || only === undefined) return this.#halves(pairs);
    this.#drop(only.work);
    this.#park(only.work.taken, error);`,
    wrong: `for (const { work } of pairs) this.#park(work.taken, error);
    void only;`,
    caughtBy: DRIVER,
  },
  {
    bug: "a state that was not committed stays in memory",
    file: "durable/committer.ts",
    right: `#fail(taken: Taken, error: Error): void {
    this.#options.cache.drop(taken.runId);`,
    wrong: `#fail(taken: Taken, error: Error): void {`,
    caughtBy: DRIVER,
  },
  {
    bug: "what followed from a commit and failed is not done again",
    file: "durable/committer.ts",
    right: `this.#options.queue.enqueue(runId, null);`,
    wrong: ``,
    caughtBy: BATCHES,
  },
  {
    bug: "an input is given up when the database is away",
    file: "durable/store-health.ts",
    right: `if (!isUnavailable(error)) {`,
    wrong: `if (isUnavailable(error) || !isUnavailable(error)) {`,
    caughtBy: DRIVER,
  },
  {
    bug: "an attempt is sent without a lease",
    file: "durable/attempts.ts",
    right: `if (this.#options.lease.isHeld) this.#moderate(live, dispatch);`,
    wrong: `if (this.#options.lease.isHeld || dispatch.nodeId !== "") this.#moderate(live, dispatch);`,
    caughtBy: REPLICAS,
  },
  {
    bug: "a lease counts from the answer of the database, not from the question",
    file: "durable/lease.ts",
    right: `this.#heldUntil = since + TTL_MS;`,
    wrong: `this.#heldUntil = Math.max(since, this.#monotonic()) + TTL_MS;`,
    caughtBy: LEASE,
  },
  {
    bug: "what was held back is sent although the lease was lost",
    file: "durable/attempts.ts",
    right: `leaseLost(): void {
    this.#heldBack.length = 0;`,
    wrong: `leaseLost(): void {`,
    caughtBy: REPLICAS,
  },
  {
    bug: "an attempt is begun while the replica stops",
    file: "durable/attempts.ts",
    right: `if (this.#isStopping) return;`,
    wrong: ``,
    caughtBy: REPLICAS,
  },
  {
    bug: "the attempts of a replica that died are not sent again",
    file: "durable/sweeper.ts",
    right: `for (const { runId, nodeId, attempt } of orphans) dueTimers.found(runId, { kind: "lost", nodeId, attempt });`,
    wrong: `void dueTimers;`,
    caughtBy: DRIVER,
  },
  {
    bug: "nodes that wait in the queue of a replica that died are not claimed again",
    file: "durable/sweeper.ts",
    right: `while ((await store.releaseWaiting(RELEASED_PAGE)) === RELEASED_PAGE);`,
    wrong: ``,
    caughtBy: QUEUES,
  },
  {
    bug: "an attempt that was answered and not committed is sent again",
    file: "durable/attempts.ts",
    right: `|| this.#answered.has(dispatchId)`,
    wrong: ``,
    caughtBy: "src/driver/durable/moderator.test.ts",
  },
  {
    bug: "an attempt of a commit whose answer was lost is never sent",
    file: "durable/after-commit.ts",
    right: `queue.enqueue(runId, attempts.lost({ kind: "lost", nodeId, attempt }));`,
    wrong: `void queue;`,
    caughtBy: REMOTE,
  },
  {
    bug: "an attempt that may run only once is sent again",
    file: "durable/remote-attempts.ts",
    right: `return (isOnce || hasTurn) && adopt(live) ? { input: null }`,
    wrong: `return (isOnce || hasTurn) && adopt(live) && false ? { input: null }`,
    caughtBy: REMOTE,
  },
  {
    bug: "deferred work is sent again",
    file: "durable/remote-attempts.ts",
    right: `if ("isDeferred" in node.now && node.now.isDeferred) return { input: null };`,
    wrong: ``,
    caughtBy: REMOTE,
  },
  {
    bug: "a slot is released twice",
    file: "durable/commit-facts.ts",
    right: `if (this.ended.has(id)) return;`,
    wrong: ``,
    caughtBy: GOVERNED,
  },
  {
    bug: "the slots of a run that hit a bug are not released",
    file: "durable/parking.ts",
    right: `...releasesOf(openAttempts),`,
    wrong: ``,
    caughtBy: "src/driver/durable/parking.test.ts",
  },
  {
    bug: "a callback that arrives again counts as late",
    file: "durable/attempt-report.ts",
    right: `return node.reported.has(execution.attempt) || !isFinal ? "deduplicated" : "discarded";`,
    wrong: `return isFinal ? "discarded" : "deduplicated";`,
    caughtBy: REMOTE,
  },
  {
    bug: "a callback is judged by a memory that another replica has outdated",
    file: "durable/attempt-report.ts",
    right: `const isCertain = last === "received" || isFresh`,
    wrong: `const isCertain = last !== "received" || isFresh`,
    caughtBy: REMOTE,
  },
  {
    bug: "a gateway reports on the attempts of another",
    file: "durable/attempt-report.ts",
    right: `|| route.gatewayId === reporter.gatewayId ? node`,
    wrong: `|| route.gatewayId !== null ? node`,
    caughtBy: REMOTE,
  },
  {
    bug: "what an attempt cost that had ended before is dropped",
    file: "durable/attempt-report.ts",
    right: `judged(outcome);
    if (`,
    wrong: `judged(outcome);
    if (outcome === "discarded") return { input: null };
    if (`,
    caughtBy: REMOTE,
  },
  {
    bug: "what a child run spends after its end leaves no timer with its parent",
    file: "durable/derive-commit.ts",
    right: `if (!isTerminal(state.status) || events.length === 0) return null;`,
    wrong: `if (!isTerminal(state.status) || !hasEndedIn(events)) return null;`,
    caughtBy: CHILDREN,
  },
  {
    bug: "the end of a child run leaves no timer with its parent",
    file: "durable/derive-commit.ts",
    right: `parentTimer: parentTimer(decided),`,
    wrong: `parentTimer: decided.at < 0 ? parentTimer(decided) : null,`,
    caughtBy: CHILDREN,
  },
  {
    bug: "a child run that was called off while it was started runs on",
    file: "durable/children.ts",
    right: `if (!isWanted) await this.#submit(wanted.childRunId, CALL_OFF);`,
    wrong: `void isWanted;`,
    caughtBy: CHILDREN,
  },
  {
    bug: "the timers of a settled node are not cleared",
    file: "durable/derive-commit.ts",
    right: `if (!isEnded) timersCleared.push(...staleTimers(live, events));`,
    wrong: `if (isEnded) timersCleared.push(...staleTimers(live, events));`,
    caughtBy: REPLICAS,
  },
  {
    bug: "the timers of a run that ended are not cleared",
    file: "durable/derive-commit.ts",
    right: `if (isEnded) for (const timer of timers.all()) if (timer.kind !== "child-cost") timersCleared.push(timer);`,
    wrong: ``,
    caughtBy: REPLICAS,
  },
  {
    bug: "a deadline that was met fires from memory",
    file: "durable/after-commit.ts",
    right: `for (const timer of gone) deadlines.clear(runId, timer);`,
    wrong: `void gone;`,
    caughtBy: REPLICAS,
  },
  {
    bug: "a timer that no replica has in memory is not fired",
    file: "durable/sweeper.ts",
    right: `if (dueAt <= clock.now() - LATE_MS && !deadlines.has(runId, timer)) dueTimers.found(runId, timer);`,
    wrong: `if (dueAt <= clock.now() - LATE_MS && deadlines.has(runId, timer)) dueTimers.found(runId, timer);`,
    caughtBy: REPLICAS,
  },
  {
    bug: "a run that is loaded misses the last event of its log",
    file: "durable/run-cache.ts",
    right: `const state = replay(plan, run.runId, events);`,
    wrong: `const state = replay(plan, run.runId, events.slice(0, -1));`,
    caughtBy: DRIVER,
  },
  {
    bug: "a run that is loaded does not know its open attempts",
    file: "durable/run-cache.ts",
    right: `openAttempts: new Map(openAttempts.map(({ nodeId, replicaId: _holder, ...open }) => [nodeId, open])),`,
    wrong: `openAttempts: new Map(),`,
    caughtBy: GOVERNED,
  },
  {
    bug: "a run that is loaded does not know its timers",
    file: "durable/run-cache.ts",
    right: `timers: new HeldTimers(timers),`,
    wrong: `timers: new HeldTimers([]),`,
    caughtBy: REPLICAS,
  },
  {
    bug: "time goes back within a run when a clock does",
    file: "durable/decide-run.ts",
    right: `const at = Math.max(live.lastAt, clock.now());`,
    wrong: `const at = clock.now();`,
    caughtBy: "src/driver/durable/time.test.ts",
  },
  {
    bug: "a verdict is asked for a node that an earlier verdict has ended",
    file: "durable/decide-run.ts",
    right: `if (!isAsked(live, effect)) return null;`,
    wrong: `isAsked(live, effect);`,
    caughtBy: GOVERNED,
  },
  {
    bug: "runs that begin overtake work in flight",
    file: "durable/input-queue.ts",
    right: `return this.#busy === 0 ? Infinity : Math.floor(this.#startsAllowed);`,
    wrong: `return Infinity;`,
    caughtBy: QUEUE,
  },
  {
    bug: "two batches have the same run at once",
    file: "durable/input-queue.ts",
    right: `if (!lane.isBusy && lane.waiting.length === 1) this.#readyOf(lane).push(runId);`,
    wrong: `if (lane.waiting.length === 1) { lane.isBusy = false; this.#readyOf(lane).push(runId); }`,
    caughtBy: QUEUE,
  },
  {
    bug: "what is tried again comes after what arrived later",
    file: "durable/input-queue.ts",
    right: `lane.waiting.unshift(...again);`,
    wrong: `lane.waiting.push(...again);`,
    caughtBy: QUEUE,
  },
  {
    bug: "a run that two replicas know is loaded and sent twice after a takeover",
    file: "durable/attempts.ts",
    right: `return this.isOpen(openDispatchId(live.state, { nodeId, attempt })) ? { input: null } : resolve(live);`,
    wrong: `return resolve(live);`,
    caughtBy: TAKEOVER,
  },
  {
    bug: "a server that stops does not wait for what is queued",
    file: "durable/durable-driver.ts",
    right: `while (isBusy() && clock.now() < until)`,
    wrong: `while (isBusy() && clock.now() > until)`,
    caughtBy: REPLICAS,
  },
];

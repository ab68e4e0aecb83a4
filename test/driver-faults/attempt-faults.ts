import { CAUGHT_BY, type Fault } from "./fault.ts";

/** Faults in what runs outside: attempts, here and at Bridges, their reports, leases and children. */
export const ATTEMPT_FAULTS: readonly Fault[] = [
  {
    bug: "an attempt is sent without a lease",
    file: "durable/attempts.ts",
    right: `if (this.#options.lease.isHeld) this.#moderate(live, dispatch);`,
    wrong: `if (this.#options.lease.isHeld || dispatch.nodeId !== "") this.#moderate(live, dispatch);`,
    caughtBy: CAUGHT_BY.replicas,
  },
  {
    bug: "a lease counts from the answer of the database, not from the question",
    file: "durable/lease.ts",
    right: `this.#heldUntil = since + TTL_MS;`,
    wrong: `this.#heldUntil = Math.max(since, this.#monotonic()) + TTL_MS;`,
    caughtBy: CAUGHT_BY.lease,
  },
  {
    bug: "what was held back is sent although the lease was lost",
    file: "durable/attempts.ts",
    right: `leaseLost(): void {
    this.#heldBack.length = 0;`,
    wrong: `leaseLost(): void {`,
    caughtBy: CAUGHT_BY.replicas,
  },
  {
    bug: "an attempt is begun while the replica stops",
    file: "durable/attempts.ts",
    right: `if (this.#isStopping) return;`,
    wrong: ``,
    caughtBy: CAUGHT_BY.replicas,
  },
  {
    bug: "the attempts of a replica that died are not sent again",
    file: "durable/sweeper.ts",
    right: `for (const { runId, nodeId, attempt } of orphans) dueTimers.found(runId, { kind: "lost", nodeId, attempt });`,
    wrong: `void dueTimers;`,
    caughtBy: CAUGHT_BY.driver,
  },
  {
    bug: "nodes that wait in the queue of a replica that died are not claimed again",
    file: "durable/sweeper.ts",
    right: `while ((await store.releaseWaiting(RELEASED_PAGE)) === RELEASED_PAGE);`,
    wrong: ``,
    caughtBy: CAUGHT_BY.queues,
  },
  {
    bug: "an attempt that was answered and not committed is sent again",
    file: "durable/attempts.ts",
    right: `|| this.#answered.has(dispatchId)`,
    wrong: ``,
    caughtBy: "src/driver/durable/moderator.test.ts",
  },
  {
    bug: "an attempt that may run only once is sent again",
    file: "durable/remote-attempts.ts",
    right: `return (isOnce || hasBegunTurn(node)) && adopt(live) ? { input: null }`,
    wrong: `return (isOnce || hasBegunTurn(node)) && adopt(live) && false ? { input: null }`,
    caughtBy: CAUGHT_BY.remote,
  },
  {
    bug: "an agent that has begun is begun again",
    file: "durable/remote-attempts.ts",
    right: `found = node !== undefined && hasBegunTurn(node);`,
    wrong: `found = node === undefined;`,
    caughtBy: CAUGHT_BY.remote,
  },
  {
    bug: "deferred work is sent again",
    file: "durable/remote-attempts.ts",
    right: `if ("isDeferred" in node.now && node.now.isDeferred) return { input: null };`,
    wrong: ``,
    caughtBy: CAUGHT_BY.remote,
  },
  {
    bug: "a callback that arrives again counts as late",
    file: "durable/attempt-report.ts",
    right: `return hasReported(node, execution) || !isFinal ? "deduplicated" : "discarded";`,
    wrong: `return isFinal ? "discarded" : "deduplicated";`,
    caughtBy: CAUGHT_BY.remote,
  },
  {
    bug: "a callback is judged by a memory that another replica has outdated",
    file: "durable/attempt-report.ts",
    right: `const isCertain = last === "received" || isFresh`,
    wrong: `const isCertain = last !== "received" || isFresh`,
    caughtBy: CAUGHT_BY.remote,
  },
  {
    bug: "a gateway reports on the attempts of another",
    file: "durable/attempt-report.ts",
    right: `|| route.gatewayId === reporter.gatewayId ? node`,
    wrong: `|| route.gatewayId !== null ? node`,
    caughtBy: CAUGHT_BY.remote,
  },
  {
    bug: "what an attempt cost that had ended before is dropped",
    file: "durable/attempt-report.ts",
    right: `judged(outcome);
    if (`,
    wrong: `judged(outcome);
    if (outcome === "discarded") return { input: null };
    if (`,
    caughtBy: CAUGHT_BY.remote,
  },
  {
    bug: "a child run that was called off while it was started runs on",
    file: "durable/children.ts",
    right: `if (!isWanted) await this.#submit(wanted.childRunId, CANCEL_CHILD);`,
    wrong: `void isWanted;`,
    caughtBy: CAUGHT_BY.children,
  },
  {
    bug: "a timer that no replica has in memory is not fired",
    file: "durable/sweeper.ts",
    right: `if (dueAt <= clock.now() - LATE_MS && !deadlines.has(runId, timer)) dueTimers.found(runId, timer);`,
    wrong: `if (dueAt <= clock.now() - LATE_MS && deadlines.has(runId, timer)) dueTimers.found(runId, timer);`,
    caughtBy: CAUGHT_BY.replicas,
  },
  {
    bug: "a run that two replicas know is loaded and sent twice after a takeover",
    file: "durable/attempts.ts",
    right: `return this.isOpen(openDispatchId(live.state, { nodeId, attempt })) ? { input: null } : resolve(live);`,
    wrong: `return resolve(live);`,
    caughtBy: CAUGHT_BY.takeover,
  },
];

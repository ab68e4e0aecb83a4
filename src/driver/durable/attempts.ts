import type { Adapter, HandedSecret } from "../../adapter/index.ts";
import type { Clock } from "../../clock/index.ts";
import {
  type Dispatch,
  type Effect,
  findNode,
  isAttemptOpen,
  NO_TOKENS,
  openDispatchId,
  type Timer,
} from "../../core/engine/index.ts";
import { type AttemptKey, dispatchIdOf, readDispatchId } from "../../core/event/index.ts";
import type { Redactor } from "../../core/redaction/index.ts";
import { LOCAL_GATEWAY } from "../../gateway/index.ts";
import { AdapterPool } from "../adapter-pool.ts";
import { dispatchRequest } from "../dispatch-request.ts";
import type { ChildPreparer } from "./children.ts";
import type { DrivenRun } from "./driven-run.ts";
import type { HandSecrets, OpenRunFiles } from "./driver-options.ts";
import { type FunctionWork, isHeldByWorkers, isOfWorkers } from "./function-attempts.ts";
import type { Moderator } from "./moderator.ts";
import { isElsewhere, resolveLost, RemoteAttempts, type RemoteOptions, traceparentOf } from "./remote-attempts.ts";
import { reportOfOutcome } from "./attempt-report.ts";
import type { InputQueue, ResolvedInput } from "./input-queue.ts";
import type { Lease } from "./lease.ts";
import type { ReportIntake } from "./report-intake.ts";
import { workflowDescriptions } from "./step-tools.ts";
import type { StoreHealth } from "./store-health.ts";
import type { TurnIntake } from "./turn-intake.ts";
import type { TurnSeal } from "./turn-seal.ts";
import type { RunCache } from "./run-cache.ts";

export interface AttemptsOptions {
  readonly preparer: ChildPreparer;
  readonly queue: InputQueue;
  readonly intake: ReportIntake;
  readonly turns: TurnIntake;
  readonly seal: TurnSeal;
  readonly lease: Pick<Lease, "isHeld">;
  readonly health: Pick<StoreHealth, "untilAvailable">;
  readonly cache: Pick<RunCache, "peek" | "dropIfStale">;
  readonly adapters: readonly Adapter[];
  readonly clock: Clock;
  readonly redactor: Redactor | undefined;
  readonly moderator: Moderator;
  readonly remote: RemoteOptions | undefined;
  readonly files: OpenRunFiles | undefined;
  readonly secrets: HandSecrets | undefined;
  readonly functions: FunctionWork | undefined;
  readonly isOpenElsewhere: ((dispatchId: string) => boolean) | undefined;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * Every attempt that this replica has started and whose end it has not seen, in this process or at a Bridge.
 *
 * Attempts are sent only while the replica holds its lease. Without the lease another replica may send them too, which would be
 * a second execution. So they are held back until it is known which replica owns them.
 */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #pool: AdapterPool;
  readonly #remote: RemoteAttempts | null;
  readonly #heldBack: { readonly live: DrivenRun; readonly dispatch: Dispatch }[] = [];
  /** Dispatch ids that are not sent yet: their moderation, tool descriptions or secrets are pending. */
  readonly #asking = new Set<string>();
  /** Dispatch ids answered here and not committed yet. Sending one of them again would execute it twice. */
  readonly #answered = new Set<string>();
  /** Providers whose answers may arrive later from an external service. */
  readonly #deferring: ReadonlySet<string>;
  #isStopping = false;

  constructor(options: AttemptsOptions) {
    const { adapters, clock, redactor, remote } = options;
    this.#options = options;
    const deferring = adapters.filter((adapter) => adapter.capabilities().deferred);
    this.#deferring = new Set(deferring.map(({ provider }) => provider));
    this.#pool = new AdapterPool(adapters, clock, redactor);
    this.#remote = remote === undefined ? null : new RemoteAttempts({ ...options, ...remote });
  }

  /** Number of attempts that end with this process. */
  get hereCount(): number {
    return this.#pool.openCount;
  }

  get openCount(): number {
    return this.#pool.openCount + (this.#remote?.openCount ?? 0);
  }

  isOpen(dispatchId: string): boolean {
    return this.holds(dispatchId) || this.#options.isOpenElsewhere?.(dispatchId) === true;
  }

  /** Returns whether this driver has started the dispatch and not seen its end. */
  holds(dispatchId: string): boolean {
    if (this.#pool.isOpen(dispatchId) || this.#answered.has(dispatchId) || this.#asking.has(dispatchId)) return true;
    return this.#remote?.isOpen(dispatchId) === true;
  }

  send(live: DrivenRun, dispatch: Dispatch): void {
    // Nothing is sent while stopping: the replica that takes over finds the attempt open.
    if (this.#isStopping) return;
    // Workers find the attempt through its row.
    if (isOfWorkers(dispatch.route)) return this.#options.functions?.offered(live.run.orgId, dispatch.request.message);
    if (this.#options.lease.isHeld) this.#moderate(live, dispatch);
    else this.#heldBack.push({ live, dispatch });
  }

  /**
   * Called when the lease was renewed in time according to the database: no replica has taken over any attempt, and this
   * process was only too busy to know it. Attempts that are still open are sent now.
   */
  leaseRenewed(): void {
    for (const { live, dispatch } of this.#heldBack.splice(0)) {
      const now = this.#options.cache.peek(live.state.runId) ?? live;
      const node = findNode(now.state, dispatch.nodeId);
      const isWanted = node !== undefined && isAttemptOpen(now.state, node, dispatch.attempt);
      if (isWanted && !this.isOpen(dispatch.dispatchId)) this.send(now, dispatch);
    }
  }

  /** Called when the lease was lost. Attempts held back belong to the replica that claims them, which may be this one. */
  leaseLost(): void {
    this.#heldBack.length = 0;
  }

  /** Stops sending. No attempt is sent after this call. */
  stopSending(): void {
    this.#isStopping = true;
    this.leaseLost();
  }

  #moderate(live: DrivenRun, sealed: Dispatch): void {
    const dispatch = this.#options.seal.opened(sealed, live);
    const asked = this.#options.moderator.beforeSend(live, dispatch);
    if (asked === undefined) return this.#describeTools(live, dispatch);
    const { nodeId, attempt, segment, dispatchId } = dispatch;
    this.#asking.add(dispatchId);
    void asked.then((refused) => {
      // The attempt was cancelled meanwhile.
      if (!this.#asking.delete(dispatchId)) return;
      if (refused === null) this.#describeTools(live, dispatch);
      else
        this.#options.queue.enqueue(live.state.runId, { type: "callback", nodeId, attempt, segment, result: refused });
    });
  }

  /** Adds the args schemas of workflows that the model may call. If they cannot be looked up, the model may send any args. */
  #describeTools(live: DrivenRun, dispatch: Dispatch): void {
    const { dispatchId } = dispatch;
    const { preparer, health, onTrouble } = this.#options;
    const describe = workflowDescriptions(live.run, dispatch, preparer);
    if (describe === undefined) return this.#handSecrets(live, dispatch);
    this.#asking.add(dispatchId);
    const next = (toolSpecs: NonNullable<Dispatch["toolSpecs"]>): void => {
      // The attempt was cancelled meanwhile.
      if (this.#asking.delete(dispatchId)) this.#handSecrets(live, { ...dispatch, toolSpecs });
    };
    // An accepted attempt must not fail because the database is unavailable.
    void health.untilAvailable(describe).then(next, (error: unknown) => {
      onTrouble(`the tools of ${dispatchId} could not be looked up`, error);
      next([]);
    });
  }

  /** Looks up secrets after the commit, right before the dispatch is sent, so that no stored data ever contains them. */
  #handSecrets(live: DrivenRun, dispatch: Dispatch): void {
    const { nodeId, attempt, segment, dispatchId, route } = dispatch;
    const { orgId, runId, workflow } = live.run;
    const provider = route.provider ?? "";
    const place = { orgId, gatewayId: route.gatewayId ?? LOCAL_GATEWAY, provider, workflow };
    const { health, queue, onTrouble } = this.#options;
    const findSecrets = this.#options.secrets?.(place, () => dispatchRequest(dispatch, live.state, provider));
    if (findSecrets === undefined) return this.#sendNow(live, dispatch);
    this.#asking.add(dispatchId);
    void health.untilAvailable(findSecrets).then(
      (secrets) => {
        // The attempt was cancelled meanwhile.
        if (this.#asking.delete(dispatchId)) this.#sendNow(live, dispatch, secrets);
      },
      (error: unknown) => {
        if (!this.#asking.delete(dispatchId)) return;
        onTrouble(`the secrets for ${dispatchId} could not be looked up`, error);
        const why = { errorCode: "dispatch_failed", error: "its secrets could not be looked up" } as const;
        const result = { status: "failed", ...why, retryable: true, tokens: NO_TOKENS, costMicros: 0 } as const;
        queue.enqueue(runId, { type: "callback", nodeId, attempt, segment, result });
      },
    );
  }

  #sendNow(live: DrivenRun, dispatch: Dispatch, secrets: readonly HandedSecret[] = []): void {
    const { nodeId, attempt, route, dispatchId } = dispatch;
    if (isElsewhere(route.executionPath) && this.#remote !== null) return this.#remote.send(live, dispatch, secrets);
    const { runId } = live.state;
    const isDeferring = this.#deferring.has(route.provider ?? "");
    const traceparent = traceparentOf(live, dispatchId);
    const externalCallbackUrl = isDeferring ? this.#remote?.externalUrl(live, dispatch) : undefined;
    const { queue, moderator, turns } = this.#options;
    const { segment } = dispatch;
    const { orgId } = live.run;
    const callbacks = moderator.around(live, nodeId, {
      turn: turns.hooksFor({ orgId }, { runId, nodeId, attempt, segment }),
      stream: (deltas) => queue.enqueue(runId, { type: "stream", nodeId, attempt, deltas }),
      // Recorded before moderation, which may take a while.
      answered: () => this.#answered.add(dispatchId),
      callback: (result, outcome) => {
        const input = { type: "callback", nodeId, attempt, segment, result } as const;
        const report = outcome === null ? undefined : reportOfOutcome(outcome, dispatch, route.agentId);
        const done = (): void => void this.#answered.delete(dispatchId);
        queue.enqueue(runId, report === undefined ? input : () => ({ input, report }), done);
      },
    });
    const { files } = this.#options;
    const filesOf = files === undefined ? {} : { filesOf: (signal: AbortSignal) => files(orgId, runId, signal) };
    const given = { traceparent, externalCallbackUrl, ...filesOf, secrets, orgId };
    this.#pool.send(dispatch, live.state, callbacks, given);
  }

  cancel(live: DrivenRun, { nodeId, attempt, dispatchId }: Extract<Effect, { type: "cancel-dispatch" }>): void {
    this.#options.functions?.cancelled(dispatchId);
    if (this.#asking.delete(dispatchId)) return;
    if (this.#pool.isOpen(dispatchId)) this.#pool.abort(dispatchId);
    else this.#remote?.cancel(live, nodeId, attempt, dispatchId);
  }

  /**
   * The run was parked, so the results of its attempts are no longer needed. Its state cannot be trusted and is not read:
   * everything that this replica has of the run is cancelled. `closed` are its attempts, some of which workers may hold.
   */
  abandon(runId: string, closed: readonly AttemptKey[]): void {
    for (const key of closed) this.#options.functions?.cancelled(dispatchIdOf({ runId, ...key }));
    const kept = this.#heldBack.splice(0).filter(({ live }) => live.state.runId !== runId);
    this.#heldBack.push(...kept);
    for (const dispatchId of this.#asking)
      if (readDispatchId(dispatchId)?.runId === runId) this.#asking.delete(dispatchId);
    this.#pool.abortRun(runId);
    this.#remote?.cancelRun(runId);
  }

  /** The attempt has ended, whether by a report or in another way. */
  forget(dispatchId: string): void {
    const { functions } = this.#options;
    // The commit that ends the attempt may also cancel it, and that effect is performed right after this call.
    if (functions !== undefined) queueMicrotask(() => functions.ended(dispatchId));
    this.#remote?.forget(dispatchId);
  }

  /** Returns the input for a run whose attempt no process holds any more, or none if the attempt has been sent again since. */
  lost(timer: Extract<Timer, { kind: "lost" }>): (live: DrivenRun) => ResolvedInput {
    const resolve = resolveLost(timer, (live) => this.#remote?.adopt(live, timer) === true);
    return (live) => {
      const { nodeId, attempt } = timer;
      if (isHeldByWorkers(live, timer)) return { input: null };
      return this.isOpen(openDispatchId(live.state, { nodeId, attempt })) ? { input: null } : resolve(live);
    };
  }

  close(): void {
    this.#asking.clear();
    this.#remote?.close();
    this.#pool.close();
  }
}

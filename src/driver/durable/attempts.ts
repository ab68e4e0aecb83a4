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
import { describeWorkflows } from "./step-tools.ts";
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
  readonly cache: Pick<RunCache, "peek">;
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
 * Every attempt this replica has begun and not seen the end of, in this process or at a Bridge.
 *
 * Attempts are sent only while the replica holds its lease. Without it another replica may send them, and sending too
 * would be a second execution; so they are held back until it is known whose they are.
 */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #pool: AdapterPool;
  readonly #remote: RemoteAttempts | null;
  readonly #heldBack: { readonly live: DrivenRun; readonly dispatch: Dispatch }[] = [];
  /** Not sent yet: moderation is asked whether they may be, or their secrets are looked up. */
  readonly #asking = new Set<string>();
  /** Answered here, and not committed yet: to send one of them again would make it happen twice. */
  readonly #answered = new Set<string>();
  /** Providers whose answers may follow from elsewhere. */
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

  /** Those that end with this process. */
  get hereCount(): number {
    return this.#pool.openCount;
  }

  get openCount(): number {
    return this.#pool.openCount + (this.#remote?.openCount ?? 0);
  }

  isOpen(dispatchId: string): boolean {
    return this.holds(dispatchId) || this.#options.isOpenElsewhere?.(dispatchId) === true;
  }

  /** Begun by this very driver. */
  holds(dispatchId: string): boolean {
    if (this.#pool.isOpen(dispatchId) || this.#answered.has(dispatchId) || this.#asking.has(dispatchId)) return true;
    return this.#remote?.isOpen(dispatchId) === true;
  }

  send(live: DrivenRun, dispatch: Dispatch): void {
    // Nothing is begun while stopping: the replica that takes over finds the attempt open.
    if (this.#isStopping) return;
    // Its row is what workers ask for.
    if (isOfWorkers(dispatch.route)) return this.#options.functions?.offered(live.run.orgId, dispatch.request.message);
    if (this.#options.lease.isHeld) this.#moderate(live, dispatch);
    else this.#heldBack.push({ live, dispatch });
  }

  /**
   * The lease was renewed in time, as far as the database is concerned: no replica has taken anything over, and the
   * process was only too busy to know. What is still wanted is sent now.
   */
  leaseRenewed(): void {
    for (const { live, dispatch } of this.#heldBack.splice(0)) {
      const now = this.#options.cache.peek(live.state.runId) ?? live;
      const node = findNode(now.state, dispatch.nodeId);
      const isWanted = node !== undefined && isAttemptOpen(now.state, node, dispatch.attempt);
      if (isWanted && !this.isOpen(dispatch.dispatchId)) this.send(now, dispatch);
    }
  }

  /** It was lost: what was held back belongs to the replica that claims it, which may be this one. */
  leaseLost(): void {
    this.#heldBack.length = 0;
  }

  /** From now on nothing is sent. */
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
      // It was cancelled meanwhile.
      if (!this.#asking.delete(dispatchId)) return;
      if (refused === null) this.#describeTools(live, dispatch);
      else
        this.#options.queue.enqueue(live.state.runId, { type: "callback", nodeId, attempt, segment, result: refused });
    });
  }

  /** A model gets the args of workflows it may call. Where they cannot be looked up it may try what it likes. */
  #describeTools(live: DrivenRun, dispatch: Dispatch): void {
    const { dispatchId } = dispatch;
    const describe = () => describeWorkflows(live.run, dispatch, this.#options.preparer);
    const described = describe();
    if (described === undefined) return this.#handSecrets(live, dispatch);
    this.#asking.add(dispatchId);
    const next = (toolSpecs: NonNullable<Dispatch["toolSpecs"]>): void => {
      // It was cancelled meanwhile.
      if (this.#asking.delete(dispatchId)) this.#handSecrets(live, { ...dispatch, toolSpecs });
    };
    void this.#untilAvailable(described, () => describe() ?? Promise.resolve([])).then(next, (error: unknown) => {
      this.#options.onTrouble(`the tools of ${dispatchId} could not be looked up`, error);
      next([]);
    });
  }

  /** Looked up after the commit and right before the dispatch leaves, so that nothing that is kept ever has them. */
  #handSecrets(live: DrivenRun, dispatch: Dispatch): void {
    const { nodeId, attempt, dispatchId, route } = dispatch;
    const { orgId, runId, workflow } = live.run;
    const provider = route.provider ?? "";
    const place = { orgId, gatewayId: route.gatewayId ?? LOCAL_GATEWAY, provider, workflow };
    const ask = () => this.#options.secrets?.(place, () => dispatchRequest(dispatch, live.state, provider));
    const asked = ask();
    if (asked === undefined) return this.#sendNow(live, dispatch);
    this.#asking.add(dispatchId);
    void this.#untilAvailable(asked, () => ask() ?? Promise.resolve([])).then(
      (secrets) => {
        // It was cancelled meanwhile.
        if (this.#asking.delete(dispatchId)) this.#sendNow(live, dispatch, secrets);
      },
      (error: unknown) => {
        if (!this.#asking.delete(dispatchId)) return;
        this.#options.onTrouble(`the secrets for ${dispatchId} could not be looked up`, error);
        const why = { errorCode: "dispatch_failed", error: "its secrets could not be looked up" } as const;
        const result = { status: "failed", ...why, retryable: true, tokens: NO_TOKENS, costMicros: 0 } as const;
        this.#options.queue.enqueue(runId, { type: "callback", nodeId, attempt, result });
      },
    );
  }

  /** What was asked and failed for a database that is away is asked again: an attempt that was accepted does not fail for that. */
  #untilAvailable<T>(first: Promise<T>, again: () => Promise<T>): Promise<T> {
    let asked: Promise<T> | null = first;
    return this.#options.health.untilAvailable(() => {
      const now = asked ?? again();
      asked = null;
      return now;
    });
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
      // Before moderation looks at it, which may take a while.
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

  /** Its run was parked: no result is wanted any more. */
  abandon(dispatchId: string): void {
    if (!this.#asking.delete(dispatchId)) this.#pool.abort(dispatchId);
    this.forget(dispatchId);
  }

  /** The attempt has ended, however that became known. */
  forget(dispatchId: string): void {
    const { functions } = this.#options;
    // The commit that ends it may cancel it as well, and that comes right after this.
    if (functions !== undefined) queueMicrotask(() => functions.ended(dispatchId));
    this.#remote?.forget(dispatchId);
  }

  /** The input for a run one of whose attempts no process holds any more; none, if it has been sent again since. */
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

import type { Adapter } from "../../adapter/index.ts";
import type { Clock } from "../../clock/index.ts";
import type { Dispatch, Effect, Timer } from "../../core/engine/index.ts";
import type { Redactor } from "../../core/redaction/index.ts";
import { AdapterPool, type AttemptCallbacks } from "../adapter-pool.ts";
import type { LiveRun } from "./live-run.ts";
import type { Moderating } from "./moderator.ts";
import {
  isElsewhere,
  resolveLost,
  RemoteAttempts,
  type RemoteAttemptsOptions,
  type RemoteOptions,
  traceparentOf,
} from "./remote-attempts.ts";
import { reportOfOutcome } from "./attempt-report.ts";
import type { ResolvedInput, Waiting } from "./run-queue.ts";

export interface AttemptsOptions {
  readonly adapters: readonly Adapter[];
  readonly clock: Clock;
  readonly redactor?: Redactor;
  readonly moderating: Moderating;
  readonly remote?: RemoteOptions;
  /** `done`: it has been heard, whatever came of it. */
  readonly note: (runId: string, input: Waiting["input"], done?: () => void) => void;
  readonly ended: RemoteAttemptsOptions["ended"];
}

/** Every attempt this replica has begun and not seen the end of, here or at a Bridge. */
export class Attempts {
  readonly #note: AttemptsOptions["note"];
  readonly #pool: AdapterPool;
  readonly #remote: RemoteAttempts | null;
  readonly #moderating: Moderating;
  /** Not sent yet: somebody is asked whether they may be. */
  readonly #asking = new Set<string>();
  /** Answered here, and not committed yet: to send one of them again would make it happen twice. */
  readonly #answered = new Set<string>();
  /** Providers whose answers may follow from elsewhere. */
  readonly #deferring: ReadonlySet<string>;

  constructor({ adapters, clock, redactor, moderating, remote, note, ended }: AttemptsOptions) {
    this.#note = note;
    this.#moderating = moderating;
    const deferring = adapters.filter((adapter) => adapter.capabilities().deferred);
    this.#deferring = new Set(deferring.map(({ provider }) => provider));
    this.#pool = new AdapterPool(adapters, clock, redactor);
    this.#remote = remote === undefined ? null : new RemoteAttempts({ ...remote, clock, note, ended });
  }

  /** Those that end with this process. */
  get hereCount(): number {
    return this.#pool.openCount;
  }

  get openCount(): number {
    return this.#pool.openCount + (this.#remote?.openCount ?? 0);
  }

  isOpen(dispatchId: string): boolean {
    if (this.#pool.isOpen(dispatchId) || this.#answered.has(dispatchId) || this.#asking.has(dispatchId)) return true;
    return this.#remote?.isOpen(dispatchId) === true;
  }

  send(live: LiveRun, dispatch: Dispatch): void {
    const asked = this.#moderating.beforeSend(live, dispatch);
    if (asked === undefined) return this.#sendNow(live, dispatch);
    const { nodeId, attempt, dispatchId } = dispatch;
    this.#asking.add(dispatchId);
    void asked.then((refused) => {
      // Whoever called it off meanwhile has taken it out.
      if (!this.#asking.delete(dispatchId)) return;
      if (refused === null) this.#sendNow(live, dispatch);
      else this.#note(live.state.runId, { type: "callback", nodeId, attempt, result: refused });
    });
  }

  #sendNow(live: LiveRun, dispatch: Dispatch): void {
    const { nodeId, attempt, route, dispatchId } = dispatch;
    if (isElsewhere(route.executionPath) && this.#remote !== null) return this.#remote.send(live, dispatch);
    const { runId } = live.state;
    const isDeferring = this.#deferring.has(route.provider ?? "");
    const traceparent = traceparentOf(live, dispatchId);
    const externalCallbackUrl = isDeferring ? this.#remote?.externalUrl(live, dispatch) : undefined;
    const callbacks: AttemptCallbacks = {
      stream: (deltas) => this.#note(runId, { type: "stream", nodeId, attempt, deltas }),
      callback: (result, outcome) => {
        const input = { type: "callback", nodeId, attempt, result } as const;
        const report = outcome === null ? undefined : reportOfOutcome(outcome, dispatch, route.agentId);
        const done = (): void => void this.#answered.delete(dispatchId);
        this.#note(runId, report === undefined ? input : () => ({ input, report }), done);
      },
    };
    const checked = this.#moderating.around(live, nodeId, callbacks);
    const answering: AttemptCallbacks = {
      stream: (deltas) => checked.stream(deltas),
      callback: (result, outcome) => {
        // Before it is looked at, which may take a while.
        this.#answered.add(dispatchId);
        checked.callback(result, outcome);
      },
    };
    this.#pool.send(dispatch, live.state, answering, { traceparent, externalCallbackUrl });
  }

  cancel(live: LiveRun, { nodeId, attempt, dispatchId }: Extract<Effect, { type: "cancel-dispatch" }>): void {
    if (this.#asking.delete(dispatchId)) return;
    if (this.#pool.isOpen(dispatchId)) this.#pool.abort(dispatchId);
    else this.#remote?.cancel(live, nodeId, attempt, dispatchId);
  }

  /** Nobody wants it any more, and there is no run to be told. */
  abandon(dispatchId: string): void {
    if (!this.#asking.delete(dispatchId)) this.#pool.abort(dispatchId);
    this.forget(dispatchId);
  }

  /** The attempt has ended, however that became known. */
  forget(dispatchId: string): void {
    this.#remote?.forget(dispatchId);
  }

  /** What a run is told when nobody holds one of its attempts any more; nothing, if it has been sent again since. */
  lost(timer: Extract<Timer, { kind: "lost" }>): (live: LiveRun) => ResolvedInput {
    const resolve = resolveLost(timer, (live) => this.#remote?.adopt(live, timer) === true);
    return (live) => {
      const { nodeId, attempt } = timer;
      return this.isOpen(`${live.state.runId}/${nodeId}/${attempt}`) ? { input: null } : resolve(live);
    };
  }

  close(): void {
    this.#asking.clear();
    this.#remote?.close();
    this.#pool.close();
  }
}

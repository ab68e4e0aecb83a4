import type { Launcher, LaunchRefusal, LaunchResult, LaunchRequest } from "../../src/launch/index.ts";
import type { RunStatus } from "../../src/core/event/index.ts";
import type { RunRecord, Store } from "../../src/store/index.ts";
import { creation, logFrom, share } from "../contracts/shares.ts";

/** Starts runs that do nothing: rows of a store, under the idempotency of that store. */
export class StoreLauncher implements Launcher {
  readonly requests: LaunchRequest[] = [];
  /** Asked before anything is done; may throw as a process that dies would. */
  before: (request: LaunchRequest) => void = () => undefined;
  /** Asked once a run was started; may throw as a process that dies would. */
  after: (request: LaunchRequest) => void = () => undefined;
  refusal: LaunchRefusal | null = null;
  readonly #store: Store;
  readonly #name: string;

  constructor(store: Store, name: string) {
    this.#store = store;
    this.#name = name;
  }

  async launch(request: LaunchRequest): Promise<LaunchResult> {
    this.requests.push(request);
    this.before(request);
    if (this.refusal !== null) return { kind: "refused", refusal: this.refusal };
    const { orgId, workflow, args = {}, trigger, startedBy, idempotency = null } = request;
    const runId = `run_${this.#name}_${this.requests.length}`;
    const pinned = { workflow, args, trigger, startedBy, idempotency };
    const { duplicates } = await this.#store.commit([creation(runId, pinned, { orgId, workflow })]);
    const [duplicate] = duplicates;
    this.after(request);
    const run = await this.#require(orgId, duplicate?.existingRunId ?? runId);
    return { kind: duplicate === undefined ? "started" : "repeated", run };
  }

  async end(orgId: string, runId: string, status: RunStatus = "completed"): Promise<void> {
    const { rowVersion, lastEventId } = await this.#require(orgId, runId);
    await this.#store.commit([
      share(runId, rowVersion, logFrom(lastEventId, 1), { orgId, head: { status, endedAt: 2_000 } }),
    ]);
  }

  async #require(orgId: string, runId: string): Promise<RunRecord> {
    const run = await this.#store.getRun(orgId, runId);
    if (run === undefined) throw new Error(`there is no run ${runId}`);
    return run;
  }
}

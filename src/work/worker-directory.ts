import { type Clock, Rounds } from "../clock/index.ts";
import type { WorkerRecord, WorkStore } from "../store/index.ts";

export interface WorkerDirectoryOptions {
  readonly store: WorkStore;
  readonly clock: Clock;
  readonly onTrouble: (what: string, error: unknown) => void;
}

const REFRESH_MS = 2_000;
/** A worker that does not poll again within this time counts as gone. A poll lasts 25 s. */
const PRESENT_MS = 45_000;
const WRITE_AGAIN_MS = 10_000;

/** The workers of every organisation that this process serves, read again every two seconds. */
export class WorkerDirectory {
  readonly #options: WorkerDirectoryOptions;
  readonly #functions = new Map<string, ReadonlySet<string>>();
  /** Time at which a worker was last written, by organisation and worker. */
  readonly #written = new Map<string, { readonly at: number; readonly names: string }>();
  readonly #rounds: Rounds;
  #listener: () => void = () => undefined;

  constructor(options: WorkerDirectoryOptions) {
    this.#options = options;
    const { clock, onTrouble } = options;
    this.#rounds = new Rounds({
      clock,
      everyMs: REFRESH_MS,
      round: () => this.#refreshAll(),
      onTrouble: (error) => onTrouble("the workers could not be read", error),
    });
  }

  start(): void {
    this.#rounds.start(REFRESH_MS);
  }

  stop(): void {
    void this.#rounds.stop();
  }

  /** Sets a listener, called when a function that had no worker gets one. */
  onAvailable(listener: () => void): void {
    this.#listener = listener;
  }

  knows(orgId: string): boolean {
    return this.#functions.has(orgId);
  }

  async ensure(orgIds: Iterable<string>): Promise<void> {
    for (const orgId of orgIds) if (!this.knows(orgId)) await this.#refresh(orgId);
  }

  has(orgId: string, functionName: string): boolean {
    return this.#functions.get(orgId)?.has(functionName) === true;
  }

  /** Records that the worker has just polled this process. */
  async seen(orgId: string, worker: WorkerRecord): Promise<void> {
    const { store, clock } = this.#options;
    const key = `${orgId} ${worker.workerId}`;
    const names = worker.functions.join(" ");
    const written = this.#written.get(key);
    const now = clock.now();
    if (written !== undefined && written.names === names && now - written.at < WRITE_AGAIN_MS) return;
    this.#forgetOld(now);
    this.#written.set(key, { at: now, names });
    try {
      await store.putWorker(orgId, worker, PRESENT_MS);
    } catch (error) {
      this.#written.delete(key);
      throw error;
    }
    const known = this.#functions.get(orgId) ?? new Set();
    if (!worker.functions.every((name) => known.has(name))) await this.#refresh(orgId);
  }

  /** Removes a worker that has reported that it leaves. */
  async left(orgId: string, workerId: string): Promise<void> {
    this.#written.delete(`${orgId} ${workerId}`);
    await this.#options.store.removeWorker(orgId, workerId);
    await this.#refresh(orgId);
  }

  #forgetOld(now: number): void {
    for (const [key, { at }] of this.#written) if (now - at > PRESENT_MS) this.#written.delete(key);
  }

  async #refresh(orgId: string): Promise<void> {
    const workers = await this.#options.store.listWorkers(orgId);
    this.#keep(orgId, new Set(workers.flatMap(({ functions }) => functions)));
  }

  /** Reads all organisations with one statement. */
  async #refreshAll(): Promise<void> {
    const orgIds = [...this.#functions.keys()];
    if (orgIds.length === 0) return;
    const found = new Map(orgIds.map((orgId) => [orgId, new Set<string>()]));
    for (const { orgId, name } of await this.#options.store.listOffered(orgIds)) found.get(orgId)?.add(name);
    for (const [orgId, names] of found) this.#keep(orgId, names);
  }

  #keep(orgId: string, now: ReadonlySet<string>): void {
    const before = this.#functions.get(orgId);
    this.#functions.set(orgId, now);
    if ([...now].some((name) => before?.has(name) !== true)) this.#listener();
  }
}

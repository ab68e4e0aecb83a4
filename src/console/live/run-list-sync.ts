import type { LiveRun, Run } from "../../client/index.ts";
import type { FeedMessage } from "./hub.ts";
import { insertRuns, mayMatch, mergeNewest, patchRuns, type RunFilter, type RunList } from "./run-list.ts";

export interface RunListOptions {
  readonly filter: RunFilter;
  /** Number of rows per page. */
  readonly pageSize: number;
  readonly pages: number;
  /** Returns the list on screen. Undefined before the first read. */
  readonly current: () => RunList | undefined;
  readonly show: (list: RunList) => void;
  /** Reads the given number of pages, starting with the newest run. */
  readonly readPages: (pages: number) => Promise<RunList>;
  readonly readRun: (id: string) => Promise<Run>;
  /** Requests a full read, which calls `load`. */
  readonly refresh: () => void;
  /** Calls back later. Returns a function that cancels the call. */
  readonly after: (ms: number, run: () => void) => () => void;
}

/** Time during which unknown runs are collected before they are read. */
const COLLECT_MS = 400;
/** Largest number of runs that are read one by one. For more, reading the first page is cheaper. */
const SINGLE_MAX = 8;
const FOREIGN_MAX = 10_000;

/**
 * Updates a list of runs from live messages without reading its pages again. Known rows are updated, and removed when
 * they no longer match. Unknown runs are read and inserted. All pages are read only at the start, after a gap in the
 * stream, and when half a page of rows was removed.
 */
export class RunListSync {
  readonly #options: RunListOptions;
  /** Number of reads in progress. */
  #reads = 0;
  /** Newest message of each run since a read began, as the answer may be older. Empty while no read is in progress. */
  readonly #sinceRead = new Map<string, LiveRun>();
  readonly #unknown = new Set<string>();
  /** Runs that were read but are not in the list. Without this set, each of their messages would cause another read. */
  readonly #foreign = new Set<string>();
  #cancel: (() => void) | null = null;

  constructor(options: RunListOptions) {
    this.#options = options;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  /** Reads the full list, and applies messages that arrived during the read. */
  async load(): Promise<RunList> {
    return this.#reading(
      () => this.#options.readPages(this.#options.pages),
      (read) => this.#patched(read, [...this.#sinceRead.values()]),
    );
  }

  take(messages: readonly FeedMessage[]): void {
    const changes: LiveRun[] = [];
    for (const message of messages) {
      // After a gap any run may belong to the list. A `hello` also makes the cache read everything again.
      if (message.type === "hello") this.#foreign.clear();
      if (message.type === "run") changes.push(message.run);
    }
    if (changes.length === 0) return;
    if (this.#reads > 0) for (const change of changes) this.#sinceRead.set(change.id, change);
    const list = this.#options.current();
    if (list === undefined) return;
    const patched = this.#patched(list, changes);
    if (patched !== list) this.#options.show(patched);
    this.#refill(patched);
  }

  #patched(list: RunList, changes: readonly LiveRun[]): RunList {
    const { list: patched, unknown } = patchRuns(list, this.#options.filter, changes);
    for (const id of unknown) if (!this.#foreign.has(id)) this.#unknown.add(id);
    // A run that no longer matches may match again later and must then be read again.
    for (const change of changes) if (!mayMatch(change, this.#options.filter)) this.#foreign.delete(change.id);
    if (this.#unknown.size > 0) {
      this.#cancel ??= this.#options.after(COLLECT_MS, () => {
        this.#cancel = null;
        void this.#readUnknown();
      });
    }
    return patched;
  }

  #refill({ runs, hasMore }: RunList): void {
    const { pageSize, pages, refresh } = this.#options;
    if (!hasMore || runs.length > pageSize * pages - pageSize / 2) return;
    this.#foreign.clear();
    refresh();
  }

  async #readUnknown(): Promise<void> {
    const ids = [...this.#unknown];
    this.#unknown.clear();
    try {
      if (ids.length <= SINGLE_MAX) await this.#readEach(ids);
      else await this.#readNewest(ids);
    } catch {
      // The next message of a run causes another read. After a lost connection there is a full read.
    }
  }

  async #readEach(ids: readonly string[]): Promise<void> {
    const { filter, readRun } = this.#options;
    await this.#reading(
      () => Promise.allSettled(ids.map(readRun)),
      (answers) => {
        const read = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
        const readIds = read.map(({ id }) => id);
        this.#change(readIds, (list, limit) => insertRuns(list, filter, read, limit));
      },
    );
  }

  async #readNewest(ids: readonly string[]): Promise<void> {
    await this.#reading(
      () => this.#options.readPages(1),
      (newest) => this.#change(ids, (list, limit) => mergeNewest(list, newest, limit)),
    );
  }

  /** Performs a read, and stores messages until its answer has been used. */
  async #reading<A, T>(read: () => Promise<A>, use: (answer: A) => T): Promise<T> {
    this.#reads += 1;
    try {
      return use(await read());
    } finally {
      this.#reads -= 1;
      if (this.#reads === 0) this.#sinceRead.clear();
    }
  }

  /** Shows the changed list with the messages that arrived during the read. Runs that are not in the list become foreign. */
  #change(ids: readonly string[], change: (list: RunList, limit: number) => RunList | null): void {
    const { current, show, refresh, filter, pageSize, pages } = this.#options;
    const list = current();
    if (list === undefined) return;
    const changed = change(list, pageSize * pages);
    const known = new Set(changed?.runs.map(({ id }) => id));
    const missing = ids.filter((id) => !known.has(id));
    if (this.#foreign.size > FOREIGN_MAX) this.#foreign.clear();
    for (const id of missing) {
      const newest = this.#sinceRead.get(id);
      if (newest === undefined || mayMatch(newest, filter)) this.#foreign.add(id);
    }
    if (changed === null) return refresh();
    const next = patchRuns(changed, filter, [...this.#sinceRead.values()]).list;
    if (next !== list) show(next);
    // Only the first page was read, so missing runs may be on a later page.
    if (missing.length > 0 && ids.length > SINGLE_MAX && pages > 1) refresh();
  }
}

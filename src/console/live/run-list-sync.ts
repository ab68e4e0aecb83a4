import type { LiveRun, Run } from "../../client/index.ts";
import type { FeedMessage } from "./hub.ts";
import { insertRuns, mayMatch, mergeNewest, patchRuns, type RunFilter, type RunList } from "./run-list.ts";

export interface RunListOptions {
  readonly filter: RunFilter;
  /** Rows of one page. */
  readonly pageSize: number;
  readonly pages: number;
  /** The list that is shown; undefined before the first read. */
  readonly current: () => RunList | undefined;
  readonly show: (list: RunList) => void;
  /** Reads so many pages, from the newest run on. */
  readonly readPages: (pages: number) => Promise<RunList>;
  readonly readRun: (id: string) => Promise<Run>;
  /** Asks for a full read; it comes back as `load`. */
  readonly refresh: () => void;
  /** Calls back later; returns how to cancel. */
  readonly after: (ms: number, run: () => void) => () => void;
}

/** Unknown runs are collected for this long before they are read. */
const COLLECT_MS = 400;
/** More than these are not read one by one: the first page is cheaper. */
const SINGLE_MAX = 8;
const FOREIGN_MAX = 10_000;

/**
 * Keeps a list of runs current from live messages, without reading its pages again.
 * Rows it has are patched and leave when they no longer match; runs it does not have are read and put in their place.
 * All pages are read only at the start, after a gap in the stream, and when half a page of rows has left.
 */
export class RunListSync {
  readonly #options: RunListOptions;
  /** Reads under way. */
  #reads = 0;
  /** The newest message of each run since a read began: its answer may be older. Empty while nothing is read. */
  readonly #sinceRead = new Map<string, LiveRun>();
  readonly #unknown = new Set<string>();
  /** Runs that were read and are not part of the list; each of their messages would have them read again. */
  readonly #foreign = new Set<string>();
  #cancel: (() => void) | null = null;

  constructor(options: RunListOptions) {
    this.#options = options;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  /** A full read. Messages that came meanwhile are applied to its answer. */
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
    // A run that stops matching may match again later, and is then read again.
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
      // The next message of a run has it read again; a lost connection ends in a full read.
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

  /** Reads, and keeps messages until the answer has been used. */
  async #reading<A, T>(read: () => Promise<A>, use: (answer: A) => T): Promise<T> {
    this.#reads += 1;
    try {
      return use(await read());
    } finally {
      this.#reads -= 1;
      if (this.#reads === 0) this.#sinceRead.clear();
    }
  }

  /** Shows the changed list, with the messages that came while it was read. Runs that are not in it are foreign. */
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
    // Only the first page was read: what is missing may lie in a later one.
    if (missing.length > 0 && ids.length > SINGLE_MAX && pages > 1) refresh();
  }
}

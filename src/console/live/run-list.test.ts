import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LiveRun, Run } from "../../client/index.ts";
import type { RunStatus } from "../../core/event/index.ts";
import type { FeedMessage } from "./hub.ts";
import type { RunFilter, RunList } from "./run-list.ts";
import { RunListSync } from "./run-list-sync.ts";

interface KeptRun {
  readonly id: string;
  readonly createdAt: number;
  readonly parent?: string;
  workflow: string;
  status: RunStatus;
  lastEventId: number;
}

const onWire = ({ createdAt, parent, ...run }: KeptRun): Run =>
  ({
    ...run,
    createdAt: new Date(createdAt).toISOString(),
    costMicros: run.lastEventId,
    ...(parent === undefined ? {} : { parentRunId: parent }),
  }) as unknown as Run;

const messageOf = ({ id, workflow, status, lastEventId }: KeptRun): FeedMessage => {
  const run: LiveRun = {
    id,
    workflow,
    status,
    lastEventId,
    costMicros: lastEventId,
    startedAt: "2026-11-16T00:00:00.000Z",
    completedAt: status === "completed" ? "2026-11-16T00:00:01.000Z" : null,
    waitingFor: null,
  };
  return { type: "run", run };
};

/** A server with runs, and a page with a list of them. */
function setUp(filter: RunFilter = {}, pages = 1, pageSize = 4) {
  const kept = new Map<string, KeptRun>();
  const requests: string[] = [];
  const timers: (() => void)[] = [];
  let shown: RunList | undefined;
  /** Answers wait for it. */
  let gate = Promise.resolve();
  const all = (): readonly Run[] =>
    [...kept.values()]
      .filter(
        ({ status, workflow, parent }) =>
          (filter.status === undefined || filter.status === status) &&
          (filter.workflow === undefined || filter.workflow === workflow) &&
          (filter.parent === undefined || filter.parent === parent),
      )
      .sort((left, right) => right.createdAt - left.createdAt)
      .map(onWire);
  const readPages = async (count: number): Promise<RunList> => {
    requests.push(`pages ${count}`);
    const found = all();
    await gate;
    return { runs: found.slice(0, count * pageSize), hasMore: found.length > count * pageSize };
  };
  const sync = new RunListSync({
    filter,
    pages,
    pageSize,
    current: () => shown,
    show: (list) => {
      shown = list;
    },
    readPages,
    readRun: async (id) => {
      requests.push(id);
      const run = kept.get(id);
      if (run === undefined) throw new Error("not found");
      const read = onWire(run);
      await gate;
      return read;
    },
    refresh: () => void load(),
    after: (_, run) => {
      timers.push(run);
      return () => timers.splice(timers.indexOf(run), 1);
    },
  });
  const load = async (): Promise<void> => {
    shown = await sync.load();
  };
  const put = (id: string, change: Partial<KeptRun> = {}): FeedMessage => {
    const before = kept.get(id);
    const run: KeptRun = {
      id,
      createdAt: kept.size * 1_000,
      workflow: "w",
      status: "running",
      ...before,
      lastEventId: (before?.lastEventId ?? 0) + 1,
      ...change,
    };
    kept.set(id, run);
    return messageOf(run);
  };
  const settle = async (): Promise<void> => {
    for (const run of timers.splice(0)) run();
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  return {
    sync,
    load,
    put,
    settle,
    requests,
    hold: (): (() => void) => {
      let open: () => void = () => undefined;
      gate = new Promise((resolve) => {
        open = resolve;
      });
      return open;
    },
    rows: () => (shown?.runs ?? []).map(({ id, status }) => `${id} ${status}`),
    list: () => shown,
    /** What a full read would show. */
    expected: () => ({ runs: all().slice(0, pages * pageSize), hasMore: all().length > pages * pageSize }),
  };
}

describe("the list of runs", () => {
  it("patches a row from a message and reads nothing", async () => {
    const { sync, load, put, settle, requests, rows, list } = setUp();
    for (const id of ["a", "b"]) put(id);
    await load();
    const before = list()?.runs[0];
    sync.take([put("a", { status: "completed" })]);
    await settle();
    expect(rows()).toEqual(["b running", "a completed"]);
    expect(list()?.runs[1]).toMatchObject({ costMicros: 2, lastEventId: 2, completedAt: "2026-11-16T00:00:01.000Z" });
    expect(list()?.runs[0]).toBe(before);
    expect(requests).toEqual(["pages 1"]);
  });

  it("ignores a message that is older than its row, and keeps the list itself", async () => {
    const { sync, load, put, rows, list } = setUp();
    const old = put("a");
    put("a", { status: "failed" });
    await load();
    const before = list();
    sync.take([old]);
    expect(rows()).toEqual(["a failed"]);
    expect(list()).toBe(before);
  });

  it("lets a run leave that no longer matches", async () => {
    const { sync, load, put, settle, requests, rows } = setUp({ status: "running" });
    for (const id of ["a", "b"]) put(id);
    await load();
    sync.take([put("b", { status: "failed" })]);
    await settle();
    expect(rows()).toEqual(["a running"]);
    expect(requests).toEqual(["pages 1"]);
  });

  it("reads a new run alone, and puts it at the top", async () => {
    const { sync, load, put, settle, requests, rows } = setUp({ workflow: "w" });
    put("a");
    await load();
    sync.take([put("b"), put("other", { workflow: "x" })]);
    await settle();
    expect(rows()).toEqual(["b running", "a running"]);
    expect(requests).toEqual(["pages 1", "b"]);
  });

  it("puts a run that begins to match into its place", async () => {
    const { sync, load, put, settle, rows } = setUp({ status: "failed" });
    put("a", { status: "failed" });
    put("b");
    put("c", { status: "failed" });
    await load();
    sync.take([put("b", { status: "failed" })]);
    await settle();
    expect(rows()).toEqual(["c failed", "b failed", "a failed"]);
  });

  it("keeps as many rows as were read, and knows that there are more", async () => {
    const { sync, load, put, settle, rows, list, expected } = setUp();
    for (const id of ["a", "b", "c", "d"]) put(id);
    await load();
    expect(list()?.hasMore).toBe(false);
    sync.take([put("e")]);
    await settle();
    expect(rows()).toEqual(["e running", "d running", "c running", "b running"]);
    expect(list()).toEqual(expected());
  });

  it("reads a run of a page that is not shown once, however often it changes", async () => {
    const { sync, load, put, settle, requests } = setUp();
    for (const id of ["a", "b", "c", "d", "e"]) put(id);
    await load();
    for (let times = 0; times < 3; times += 1) {
      sync.take([put("a")]);
      await settle();
    }
    expect(requests).toEqual(["pages 1", "a"]);
  });

  it("finds out by reading whether a run is a child of the one that is asked for", async () => {
    const { sync, load, put, settle, requests, rows } = setUp({ parent: "p" });
    await load();
    sync.take([put("a", { parent: "p" }), put("b", { parent: "q" })]);
    await settle();
    sync.take([put("b")]);
    await settle();
    expect(rows()).toEqual(["a running"]);
    expect(requests).toEqual(["pages 1", "a", "b"]);
  });

  it("reads the first page alone when many runs are new at once", async () => {
    const { sync, load, put, settle, requests, list, expected } = setUp({}, 2, 20);
    for (let count = 0; count < 45; count += 1) put(`old ${count}`);
    await load();
    sync.take(Array.from({ length: 9 }, (_, count) => put(`new ${count}`)));
    await settle();
    expect(requests).toEqual(["pages 2", "pages 1"]);
    expect(list()).toEqual(expected());
  });

  it("reads all pages when the first one no longer reaches the rest", async () => {
    const { sync, load, put, settle, requests, list, expected } = setUp({}, 2, 20);
    for (let count = 0; count < 45; count += 1) put(`old ${count}`);
    await load();
    sync.take(Array.from({ length: 25 }, (_, count) => put(`new ${count}`)));
    await settle();
    expect(requests).toEqual(["pages 2", "pages 1", "pages 2"]);
    expect(list()).toEqual(expected());
  });

  it("applies what comes while a page is being read to its answer", async () => {
    const { sync, load, put, settle, hold, rows } = setUp({ status: "running" });
    for (const id of ["a", "b"]) put(id);
    const open = hold();
    const loading = load();
    sync.take([put("a", { status: "completed" })]);
    open();
    await loading;
    expect(rows()).toEqual(["b running"]);
    const openAgain = hold();
    sync.take([put("c")]);
    await settle();
    sync.take([put("c", { status: "failed" })]);
    openAgain();
    await settle();
    expect(rows()).toEqual(["b running"]);
  });

  it("reads all pages again when half a page has left", async () => {
    const { sync, load, put, settle, requests, list, expected } = setUp({ status: "running" });
    for (const id of ["a", "b", "c", "d", "e", "f"]) put(id);
    await load();
    sync.take([put("f", { status: "completed" })]);
    await settle();
    expect(requests).toEqual(["pages 1"]);
    sync.take([put("e", { status: "completed" })]);
    await settle();
    expect(requests).toEqual(["pages 1", "pages 1"]);
    expect(list()).toEqual(expected());
  });

  it("asks again about a run that could not be read", async () => {
    const { sync, load, put, settle, requests, rows } = setUp();
    const known = put("a");
    await load();
    const gone = known.type === "run" ? { ...known, run: { ...known.run, id: "unknown" } } : known;
    sync.take([gone]);
    await settle();
    sync.take([gone]);
    await settle();
    expect(requests).toEqual(["pages 1", "unknown", "unknown"]);
    expect(rows()).toEqual(["a running"]);
  });

  it("reads a run again that matches for the second time", async () => {
    const { sync, load, put, settle, rows } = setUp({ status: "failed" });
    await load();
    const early = put("a", { status: "failed" });
    const late = put("a", { status: "recovered" });
    sync.take([early]);
    await settle();
    expect(rows()).toEqual([]);
    sync.take([late]);
    sync.take([put("a", { status: "failed" })]);
    await settle();
    expect(rows()).toEqual(["a failed"]);
  });

  it.each([0, 1, 3])("shows what a full read would show, with messages %d steps late", async (lateBy) => {
    const status = fc.constantFrom<RunStatus>("running", "failed", "completed");
    const workflow = fc.constantFrom("w", "x");
    const change = fc.record({ id: fc.nat(30), status, workflow });
    const filters = fc.record({ status, workflow }, { requiredKeys: [] });
    const batches = fc.array(fc.array(change, { minLength: 1, maxLength: 12 }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 1, max: 3 }), batches, async (filter, pages, steps) => {
        const { sync, load, put, settle, list, expected } = setUp(filter, pages);
        const workflows = new Map<number, string>();
        const sent: FeedMessage[][] = [];
        await load();
        for (const changes of [...steps, ...Array.from({ length: lateBy }, () => [])]) {
          const messages = changes.map((each) => {
            // A run keeps its workflow.
            if (!workflows.has(each.id)) workflows.set(each.id, each.workflow);
            return put(`run ${each.id}`, { status: each.status, workflow: workflows.get(each.id) ?? "" });
          });
          sent.push(messages);
          sync.take(sent[sent.length - 1 - lateBy] ?? []);
          await settle();
          await settle();
        }
        const [shown, wanted] = [list()?.runs ?? [], expected().runs];
        expect(shown).toMatchObject(wanted.slice(0, shown.length).map(({ id, lastEventId }) => ({ id, lastEventId })));
        // Rows that left are filled up once half a page is missing.
        expect(shown.length).toBeGreaterThan(Math.min(wanted.length, pages * 4 - 1) - 2);
      }),
      { numRuns: 300 },
    );
  });
});

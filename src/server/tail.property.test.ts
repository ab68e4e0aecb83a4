import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HEAD, NEW_RUN } from "../../test/contracts/shares.ts";
import type { RunEvent } from "../core/event/index.ts";
import type { Runtime } from "../driver/index.ts";
import type { RunRecord } from "../store/index.ts";
import { DEFAULT_CONFIG } from "./config.ts";
import { EventStream } from "./event-stream.ts";
import { RunCursor } from "./run-cursor.ts";
import { Tail } from "./tail.ts";

type Listener = Parameters<Runtime["onCommitted"]>[0];

const RUN: RunRecord = {
  ...NEW_RUN,
  ...HEAD,
  runId: "run_1",
  orgId: "org",
  rowVersion: 1,
};

const logEvent = (eventId: number): RunEvent => ({
  eventId,
  at: 0,
  type: "node.log",
  payload: { nodeId: "n", level: "info", message: `data: ${eventId}\n\nid: 7` },
});
const endEvent = (eventId: number): RunEvent => ({
  eventId,
  at: 0,
  type: "run.completed",
  payload: { counts: { completed: 0, failed: 0, skipped: 0, cancelled: 0, timedOut: 0 }, costMicros: 0 },
});

/** A log that grows by commits of this process, which are announced, and of others, which have to be found. */
class GrowingLog {
  readonly events: RunEvent[] = [];
  readonly listeners = new Set<Listener>();
  reads = 0;
  asks = 0;

  readonly store = {
    headsOf: async () => {
      this.asks += 1;
      await breath();
      return [{ ...RUN, lastEventId: this.events.length }];
    },
    readEvents: async (_org: string, _run: string, after: number, limit: number) => {
      this.reads += 1;
      await breath();
      return this.events.slice(after, after + limit);
    },
  };
  readonly runtime = {
    onCommitted: (listener: Listener) => {
      this.listeners.add(listener);
      return () => this.listeners.delete(listener);
    },
  };

  commit(events: readonly RunEvent[], isLocal: boolean): void {
    this.events.push(...events);
    if (isLocal) for (const listener of this.listeners) listener(RUN.runId, events, RUN);
  }

  get record(): RunRecord {
    const isOver = this.events.at(-1)?.type === "run.completed";
    return { ...RUN, lastEventId: this.events.length, status: isOver ? "completed" : "running" };
  }
}

const portsOf = ({ store, runtime }: GrowingLog) => ({ store, runtime });
const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function watch(
  log: GrowingLog,
  tail: Tail,
  afterEventId: number,
): { readonly ids: Promise<readonly number[]>; closed: number } {
  const watching = { ids: Promise.resolve<readonly number[]>([]), closed: 0 };
  const stream = new EventStream({
    run: log.record,
    afterEventId,
    tail,
    config: DEFAULT_CONFIG,
    closeConnection: null,
    isStillAllowed: () => Promise.resolve(true),
    onClosed: () => {
      watching.closed += 1;
    },
  });
  watching.ids = new Response(stream.body)
    .text()
    .then((text) => [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1])));
  return watching;
}

const commits = fc.array(
  fc.record({
    size: fc.integer({ min: 1, max: 600 }),
    isLocal: fc.boolean(),
    watchers: fc.array(fc.nat(), { maxLength: 2 }),
    pause: fc.integer({ min: 0, max: 3 }),
  }),
  { minLength: 1, maxLength: 6 },
);

describe("the tail", () => {
  it("gives every watcher the log after its cursor, once and in order, whichever replica commits", async () => {
    await fc.assert(
      fc.asyncProperty(commits, async (steps) => {
        const log = new GrowingLog();
        const tail = new Tail({
          ...portsOf(log),
          everyMs: 1,
          onTrouble: (what, error) => expect([what, error]).toBeNull(),
        });
        const watchers: { readonly after: number; readonly watching: ReturnType<typeof watch> }[] = [];
        const join = (cursor: number): void => {
          const after = cursor % (log.events.length + 1);
          watchers.push({ after, watching: watch(log, tail, after) });
        };
        join(0);
        for (const { size, isLocal, watchers: joining, pause } of steps) {
          log.commit(
            Array.from({ length: size }, (_, index) => logEvent(log.events.length + index + 1)),
            isLocal,
          );
          joining.forEach(join);
          for (let turn = 0; turn < pause; turn += 1) await breath();
        }
        log.commit([endEvent(log.events.length + 1)], true);
        const all = log.events.map(({ eventId }) => eventId);
        for (const { after, watching } of watchers) {
          expect(await watching.ids).toEqual(all.slice(after));
          expect(watching.closed).toBe(1);
        }
        expect([tail.watchedCount, log.listeners.size]).toEqual([0, 0]);
      }),
      { numRuns: 30 },
    );
  });

  it("reads commits of others once for all who watch", async () => {
    const log = new GrowingLog();
    const tail = new Tail({ ...portsOf(log), everyMs: 1, onTrouble: () => undefined });
    const watchers = Array.from({ length: 200 }, () => watch(log, tail, 0));
    await breath();
    log.reads = 0;
    log.commit([logEvent(1), logEvent(2), endEvent(3)], false);
    for (const { ids } of watchers) expect(await ids).toEqual([1, 2, 3]);
    expect(log.reads).toBe(1);
    expect(tail.watchedCount).toBe(0);
  });

  it("goes on after a run that was opened again, and ends with its last end", async () => {
    const log = new GrowingLog();
    log.commit([logEvent(1), endEvent(2)], true);
    const reopened: RunEvent = {
      eventId: 3,
      at: 0,
      type: "run.status.changed",
      payload: { from: "completed", to: "running", epoch: 1, reason: "rewind" },
    };
    log.commit([reopened], true);
    const tail = new Tail({ ...portsOf(log), everyMs: 1, onTrouble: () => undefined });
    const { ids } = watch(log, tail, 0);
    await breath();
    log.commit([endEvent(4)], true);
    expect(await ids).toEqual([1, 2, 3, 4]);
  });
});

describe("a client that does not read", () => {
  const big = (eventId: number): RunEvent => ({
    eventId,
    at: 0,
    type: "node.log",
    payload: { nodeId: "n", level: "info", message: "x".repeat(15_000) },
  });

  function stalled(): { log: GrowingLog; stream: EventStream; closed: () => number; pass: (ms: number) => void } {
    const log = new GrowingLog();
    log.commit(
      Array.from({ length: 10 }, (_, index) => big(index + 1)),
      true,
    );
    let now = 0;
    let count = 0;
    const stream = new EventStream({
      run: log.record,
      afterEventId: 0,
      tail: new Tail({ ...portsOf(log), everyMs: 1_000, onTrouble: () => undefined }),
      config: { ...DEFAULT_CONFIG, now: () => now },
      closeConnection: () => {
        count += 1;
      },
      isStillAllowed: () => Promise.resolve(true),
      onClosed: () => undefined,
    });
    return { log, stream, closed: () => count, pass: (ms) => (now += ms) };
  }

  it("is cut once a mebibyte has come that it did not take", async () => {
    const { log, closed } = stalled();
    for (let turn = 0; turn < 10; turn += 1) await breath();
    const size = 15_000 + 260;
    const fitting = Math.floor(DEFAULT_CONFIG.backlogBytesMax / size);
    for (let count = 0; count < fitting; count += 1) log.commit([big(log.events.length + 1)], true);
    expect(closed()).toBe(0);
    for (let count = 0; count < 3; count += 1) log.commit([big(log.events.length + 1)], true);
    expect(closed()).toBe(1);
    expect(log.listeners.size).toBe(0);
  });

  it("is cut once it has left the stream unread for too long", async () => {
    const { log, stream, closed, pass } = stalled();
    for (let turn = 0; turn < 10; turn += 1) await breath();
    await stream.beat();
    pass(DEFAULT_CONFIG.stallMs - 1);
    await stream.beat();
    expect(closed()).toBe(0);
    pass(1);
    await stream.beat();
    await stream.beat();
    expect([closed(), log.listeners.size]).toEqual([1, 0]);
  });
});

describe("an event", () => {
  const cursorsOn = (log: GrowingLog, afterEventId: number): readonly [RunCursor, RunCursor] => {
    const tail = new Tail({ ...portsOf(log), everyMs: 1_000, onTrouble: () => undefined });
    const cursor = (): RunCursor =>
      new RunCursor({ run: log.record, afterEventId, tail }, { onAdded: () => undefined });
    return [cursor(), cursor()];
  };

  it("is serialised once for all streams that follow its run, and once for those of the organisation", async () => {
    const log = new GrowingLog();
    const [one, other] = cursorsOn(log, 0);
    log.commit([logEvent(1), logEvent(2)], true);
    const [mine, theirs] = [await one.take(), await other.take()];
    expect(mine.map(({ eventId }) => eventId)).toEqual([1, 2]);
    mine.forEach((message, index) => {
      expect(theirs[index]).toBe(message);
      expect(theirs[index]?.liveBytes).toBe(message.liveBytes);
    });
    expect(log.reads).toBe(0);
    const [line = ""] = /(?<=^data: ).*$/m.exec(Buffer.from(mine[0]?.bytes ?? []).toString()) ?? [];
    const wrapped = `event: event\ndata: {"runId":"run_1","frame":${line}}\n\n`;
    expect(Buffer.from(mine[0]?.liveBytes ?? []).toString()).toBe(wrapped);
  });

  it("of the past is read and serialised once for streams at the same place", async () => {
    const log = new GrowingLog();
    log.commit(
      Array.from({ length: 150 }, (_, index) => logEvent(index + 1)),
      false,
    );
    const [one, other] = cursorsOn(log, 0);
    const [mine, theirs] = await Promise.all([one.take(), other.take()]);
    expect([mine.length, theirs[0] === mine[0], log.reads]).toEqual([100, true, 1]);
    const [more, same] = await Promise.all([one.take(), other.take()]);
    expect([more.length, same[0] === more[0], log.reads]).toEqual([50, true, 2]);
  });
});

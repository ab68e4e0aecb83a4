import { describe, expect, it } from "vitest";
import type { Frame, LiveMessage } from "../../client/index.ts";
import { LiveHub, type HubMessage } from "./hub.ts";
import { Member, type PeerMessage } from "./member.ts";

const breath = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

/** Pages that receive each other's messages, each with a hub whose connection sends what the test puts into the log. */
function browser() {
  const log: number[] = [];
  const members = new Map<string, Member>();
  const open = new Set<AbortSignal>();
  const gone = new Map<string, (() => void)[]>();
  const openHub = (): LiveHub =>
    new LiveHub({
      now: () => 0,
      // Every delay but the one that takes a silent connection for dead.
      after: (ms, run) => {
        const timer = ms > 1_000 ? undefined : setTimeout(run, 0);
        return () => clearTimeout(timer);
      },
      async *read(runs, signal): AsyncGenerator<LiveMessage, void> {
        open.add(signal);
        signal.addEventListener("abort", () => open.delete(signal));
        yield { type: "hello" };
        let at = runs.get("a") ?? Infinity;
        for (; !signal.aborted; await breath()) {
          for (; log.includes(at + 1); at += 1)
            yield { type: "event", runId: "a", frame: { eventId: at + 1 } as Frame };
        }
      },
    });
  const join = (id: string) => {
    const inbox: HubMessage[] = [];
    const broadcast = (message: PeerMessage): void => {
      for (const [other, member] of members) if (other !== id) queueMicrotask(() => member.receive(message));
    };
    const whenGone = (lock: string, run: () => void): void => {
      gone.set(lock, [...(gone.get(lock) ?? []), run]);
    };
    const member = new Member({ id, openHub, broadcast, deliver: (each) => inbox.push(each), whenGone });
    members.set(id, member);
    member.request({ type: "lock", name: `lock ${id}` });
    member.request({ type: "watch", id: 1, runId: "a", after: 0 });
    const ids = (): number[] =>
      inbox.flatMap((each) => (each.type === "frames" ? each.frames.map(({ eventId }) => eventId) : []));
    return { member, inbox, ids };
  };
  /** As when a tab is closed: it sends nothing any more, and its locks are free. */
  const close = (id: string): void => {
    members.delete(id);
    for (const run of gone.get(`lock ${id}`) ?? []) run();
  };
  return { join, close, open, record: (...ids: readonly number[]) => log.push(...ids) };
}

const soon = <T>(look: () => T) => expect.poll(look, { interval: 5 });

describe("pages that share a connection without a shared script", () => {
  it("receive from the one that leads, each its own events once and in order", async () => {
    const { join, open, record } = browser();
    const [one, two] = [join("one"), join("two")];
    void one.member.lead();
    record(1, 2, 3);
    await soon(two.ids).toEqual([1, 2, 3]);
    await soon(one.ids).toEqual([1, 2, 3]);
    const late = join("late");
    await soon(late.ids).toEqual([1, 2, 3]);
    await soon(() => open.size).toBe(1);
    expect(two.inbox.some((each) => each.type === "state" && each.state.phase === "live")).toBe(true);
    one.member.request({ type: "bye" });
  });

  it("continue where they were when another one leads", async () => {
    const { join, open, record } = browser();
    const [one, two, three] = [join("one"), join("two"), join("three")];
    const led = one.member.lead();
    record(1, 2);
    for (const each of [one, two, three]) await soon(each.ids).toEqual([1, 2]);
    one.member.request({ type: "bye" });
    await led;
    expect(open.size).toBe(0);
    record(3, 4);
    void two.member.lead();
    for (const each of [two, three]) await soon(each.ids).toEqual([1, 2, 3, 4]);
    expect(one.ids()).toEqual([1, 2]);
    two.member.request({ type: "bye" });
  });

  it("forget a page that is gone, and what it wanted", async () => {
    const { join, close, open, record } = browser();
    const [one, two] = [join("one"), join("two")];
    void one.member.lead();
    record(1);
    await soon(two.ids).toEqual([1]);
    two.member.request({ type: "unwatch", id: 1 });
    close("two");
    record(2);
    await soon(one.ids).toEqual([1, 2]);
    expect(two.ids()).toEqual([1]);
    one.member.request({ type: "bye" });
    await soon(() => open.size).toBe(0);
  });
});

import { describe, expect, it } from "vitest";
import { ApiProblem, type Frame, type LiveMessage } from "../../client/index.ts";
import { LiveHub, type HubMessage } from "./hub.ts";

interface Connection {
  readonly runs: Readonly<Record<string, number>>;
  readonly signal: AbortSignal;
  send(...messages: readonly LiveMessage[]): Promise<void>;
  end(error?: Error): Promise<void>;
}

const breath = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
const event = (runId: string, eventId: number): LiveMessage => ({ type: "event", runId, frame: { eventId } as Frame });
const HELLO: LiveMessage = { type: "hello" };

/** A hub whose connections and clock the test controls. */
function setUp() {
  const connections: Connection[] = [];
  const timers = new Set<{ at: number; run: () => void }>();
  let now = 0;
  const hub = new LiveHub({
    now: () => now,
    after: (ms, run) => {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async *read(runs, signal) {
      const queue: LiveMessage[] = [];
      let wake: (() => void) | null = null;
      let ended: { readonly error?: Error } | null = null;
      const stir = async (): Promise<void> => {
        wake?.();
        await breath();
      };
      signal.addEventListener("abort", () => {
        ended ??= { error: new Error("aborted") };
        wake?.();
      });
      connections.push({
        runs: Object.fromEntries(runs),
        signal,
        send: (...messages) => (queue.push(...messages), stir()),
        end: (error) => ((ended = error === undefined ? {} : { error }), stir()),
      });
      for (;;) {
        const next = queue.shift();
        if (next !== undefined) yield next;
        else if (ended !== null) {
          const { error } = ended as { readonly error?: Error };
          if (error !== undefined) throw error;
          return;
        } else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  });
  const pass = async (ms: number): Promise<void> => {
    now += ms;
    for (const timer of Array.from(timers)) {
      if (timer.at > now) continue;
      timers.delete(timer);
      timer.run();
    }
    await breath();
  };
  const join = () => {
    const inbox: HubMessage[] = [];
    const client = hub.join((each) => inbox.push(each));
    const ids = (id: number): number[] =>
      inbox.flatMap((each) =>
        each.type === "frames" && each.id === id ? each.frames.map(({ eventId }) => eventId) : [],
      );
    const phase = (): string => inbox.findLast((each) => each.type === "state")?.state.phase ?? "";
    const received = (): string[] =>
      inbox.flatMap((each) => (each.type === "messages" ? each.messages.map(({ type }) => type) : []));
    return { client, inbox, ids, phase, received };
  };
  return { hub, connections, pass, join };
}

describe("the hub", () => {
  it("has one connection for all pages, and gives each its own events once and in order", async () => {
    const { hub, connections, pass, join } = setUp();
    const [one, two] = [join(), join()];
    hub.take(one.client, { type: "watch", id: 1, runId: "a", after: 0 });
    hub.take(two.client, { type: "watch", id: 1, runId: "a", after: 2 });
    hub.take(two.client, { type: "watch", id: 2, runId: "b", after: 7 });
    await pass(10);
    expect(connections.map(({ runs }) => runs)).toEqual([{ a: 0, b: 7 }]);
    await connections[0]?.send(HELLO, event("a", 1), event("a", 2), event("a", 3), event("a", 3), event("b", 8));
    await pass(40);
    expect([one.phase(), one.ids(1), two.ids(1), two.ids(2)]).toEqual(["live", [1, 2, 3], [3], [8]]);
    expect(one.received()).toEqual(["hello"]);
  });

  it("waits for a new connection before it closes the old one, and then sends no hello", async () => {
    const { hub, connections, pass, join } = setUp();
    const page = join();
    await pass(0);
    await connections[0]?.send(HELLO);
    await pass(40);
    hub.take(page.client, { type: "watch", id: 1, runId: "a", after: 4 });
    await pass(10);
    expect(connections[0]?.signal.aborted).toBe(false);
    await connections[1]?.send(HELLO, event("a", 5));
    expect(connections[0]?.signal.aborted).toBe(true);
    await pass(40);
    expect([page.received(), page.ids(1), page.phase()]).toEqual([["hello"], [5], "live"]);
  });

  it("lets a page that follows a run later skip nothing, whatever the old connection still sends", async () => {
    const { hub, connections, pass, join } = setUp();
    const [early, late] = [join(), join()];
    hub.take(early.client, { type: "watch", id: 1, runId: "a", after: 0 });
    await pass(10);
    await connections[0]?.send(HELLO, event("a", 1), event("a", 2));
    hub.take(late.client, { type: "watch", id: 1, runId: "a", after: 0 });
    await connections[0]?.send(event("a", 3));
    await pass(10);
    expect(connections[1]?.runs).toEqual({ a: 0 });
    await connections[1]?.send(HELLO, event("a", 1), event("a", 2), event("a", 3), event("a", 4));
    await pass(40);
    expect([early.ids(1), late.ids(1)]).toEqual([
      [1, 2, 3, 4],
      [1, 2, 3, 4],
    ]);
  });

  it("leaves every older connection, however fast what is followed changes", async () => {
    const { hub, connections, pass, join } = setUp();
    const one = join();
    await pass(0);
    await connections[0]?.send(HELLO);
    hub.take(one.client, { type: "watch", id: 1, runId: "run_1", after: 0 });
    await pass(10);
    hub.take(one.client, { type: "watch", id: 2, runId: "run_2", after: 0 });
    await pass(10);
    expect(connections.map(({ signal }) => signal.aborted)).toEqual([false, false, false]);
    await connections[2]?.send(HELLO);
    expect(connections.map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
  });

  it("comes back after a loss where each page was, later and later, and reports it", async () => {
    const { hub, connections, pass, join } = setUp();
    const page = join();
    hub.take(page.client, { type: "watch", id: 1, runId: "a", after: 0 });
    await pass(10);
    await connections[0]?.send(HELLO, event("a", 1));
    await connections[0]?.end(new Error("lost"));
    expect(page.phase()).toBe("reconnecting");
    for (const waitMs of [500, 1_000, 2_000]) {
      const before = connections.length;
      await pass(waitMs - 1);
      expect(connections).toHaveLength(before);
      await pass(1);
      expect(connections.at(-1)?.runs).toEqual({ a: 1 });
      await connections.at(-1)?.end();
    }
    expect(page.phase()).toBe("offline");
    hub.take(page.client, { type: "retry" });
    await pass(0);
    await connections.at(-1)?.send(HELLO, event("a", 2));
    await pass(40);
    expect([page.phase(), page.ids(1), page.received()]).toEqual(["live", [1, 2], ["hello", "hello"]]);
  });

  it("takes long silence for a loss", async () => {
    const { connections, pass, join } = setUp();
    const page = join();
    await pass(0);
    await connections[0]?.send(HELLO);
    await pass(44_999);
    await connections[0]?.send({ type: "heartbeat" });
    await pass(44_999);
    expect(page.phase()).toBe("live");
    await pass(1);
    expect(page.phase()).toBe("reconnecting");
  });

  it("stops when the session has ended, until the next sign-in", async () => {
    const { hub, connections, pass, join } = setUp();
    const page = join();
    await pass(0);
    await connections[0]?.end(new ApiProblem({ code: "unauthenticated" }, new Response(null, { status: 401 })));
    await pass(60_000);
    expect([page.phase(), connections.length]).toEqual(["signed-out", 1]);
    hub.take(page.client, { type: "retry" });
    await pass(0);
    await connections[1]?.send(HELLO);
    expect(page.phase()).toBe("live");
  });

  it("disconnects when the last page is gone, and connects again with the next", async () => {
    const { hub, connections, pass, join } = setUp();
    const [one, two] = [join(), join()];
    await pass(0);
    await connections[0]?.send(HELLO);
    hub.take(one.client, { type: "bye" });
    expect(connections[0]?.signal.aborted).toBe(false);
    hub.leave(two.client);
    expect(connections[0]?.signal.aborted).toBe(true);
    join();
    await pass(0);
    expect(connections).toHaveLength(2);
  });
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Call, type Rank, rankFor, type Waiter } from "./agent-queue.ts";
import { HELD_MAX, WaitingRoom } from "./waiting-room.ts";

const BEGUN_RANK = rankFor(1, true);
const NEW_RANK = rankFor(1, false);
const A = "org/analyst";
const B = "org/writer";
const node = (nodeId: string, runId = "run_1"): Waiter => ({ runId, nodeId });
const names = (calls: readonly Call[]): readonly string[] => calls.map(({ waiter }) => waiter.nodeId);

function roomWith(...nodeIds: readonly string[]): WaitingRoom {
  const room = new WaitingRoom();
  for (const nodeId of nodeIds) room.enter(A, node(nodeId), BEGUN_RANK);
  return room;
}

describe("nodes of different priorities", () => {
  const enter = (room: WaitingRoom, level: number, ...nodeIds: readonly string[]): void => {
    for (const nodeId of nodeIds) room.enter(A, node(nodeId), rankFor(level, true));
  };

  it("are called by priority, also before runs in flight of a lower one", () => {
    const room = new WaitingRoom();
    enter(room, 2, "low");
    enter(room, 1, "normal");
    room.enter(A, node("high"), rankFor(0, false));
    expect(room.ahead(A, node("another"), rankFor(1, true))).toBe(2);
    expect(room.ahead(A, node("another"), rankFor(2, true))).toBe(3);
    expect(names(room.wake(A, 3))).toEqual(["high", "normal", "low"]);
  });

  it("of a low one have their turn after eight others, however many come", () => {
    const room = new WaitingRoom();
    enter(room, 2, "low");
    for (let index = 0; index < 20; index += 1) enter(room, 0, `high${index}`);
    const called = names(room.wake(A, 12));
    expect(called.indexOf("low")).toBe(8);
    expect(called.filter((name) => name !== "low")).toEqual(Array.from({ length: 11 }, (_, index) => `high${index}`));
  });

  it("that are admitted without waiting count as overtaking as well", () => {
    const room = new WaitingRoom();
    enter(room, 2, "low");
    for (let index = 0; index < 8; index += 1) {
      expect(room.ahead(A, node(`high${index}`), rankFor(0, true))).toBe(0);
      room.serve(A, node(`high${index}`), rankFor(0, true));
    }
    expect(room.ahead(A, node("high8"), rankFor(0, true))).toBe(1);
    enter(room, 0, "high8");
    expect(names(room.wake(A, 1))).toEqual(["low"]);
  });

  it("are held apart: those of a low one leave room for others", () => {
    const room = new WaitingRoom();
    for (let index = 0; index < HELD_MAX; index += 1) enter(room, 2, `low${index}`);
    expect(room.enter(A, node("low"), rankFor(2, false))).toBe(false);
    expect(room.enter(A, node("high"), rankFor(0, false))).toBe(true);
    expect(names(room.wake(A, 1))).toEqual(["high"]);
  });
});

describe("a waiting room", () => {
  it("wakes as many as there are slots, the oldest first, and none twice", () => {
    const room = roomWith("a", "b", "c");
    expect(names(room.wake(A, 2))).toEqual(["a", "b"]);
    expect(names(room.wake(A, 2))).toEqual([]);
    expect(names(room.wake(A, 3))).toEqual(["c"]);
    expect(names(room.wake(B, 3))).toEqual([]);
  });

  it("keeps the place of one that is asked again and has to wait on", () => {
    const room = roomWith("a", "b");
    room.wake(A, 1);
    room.enter(A, node("a"), BEGUN_RANK);
    expect(names(room.wake(A, 1))).toEqual(["a"]);
  });

  it("counts who was there before: those ahead of one in the queue, all for one who comes", () => {
    const room = roomWith("a", "b", "c");
    expect(["a", "b", "c", "new"].map((nodeId) => room.ahead(A, node(nodeId), BEGUN_RANK))).toEqual([0, 1, 2, 3]);
    expect(room.ahead(A, node("a", "run_2"), BEGUN_RANK)).toBe(3);
    expect(room.ahead(B, node("a"), BEGUN_RANK)).toBe(0);
  });

  it("forgets a waiter that was woken and asked for nothing, so that the next is served", () => {
    const room = roomWith("a", "b");
    const [call] = room.wake(A, 1);
    if (call === undefined) throw new Error("no waiter was woken");
    expect(room.answered(call)).toBe(true);
    expect(room.isAnywhere(node("a"))).toBe(false);
    expect(names(room.wake(A, 1))).toEqual(["b"]);
  });

  it("knows the organisations of all that wait", () => {
    const room = roomWith("a", "b");
    room.enter(B, node("c"), BEGUN_RANK);
    room.enter("other/analyst", node("d"), BEGUN_RANK);
    expect([...room.organisations()]).toEqual(["org", "other"]);
    for (const nodeId of ["a", "b", "d"]) room.leave(node(nodeId));
    expect([room.isUsedBy("org"), room.isUsedBy("other")]).toEqual([true, false]);
    room.leave(node("c"));
    expect([...room.organisations()]).toEqual([]);
  });

  it("does not take the answer to one call for the answer to the next", () => {
    const room = roomWith("a");
    const [first] = room.wake(A, 1);
    room.enter(A, node("a"), BEGUN_RANK);
    room.wake(A, 1);
    if (first === undefined) throw new Error("no waiter was woken");
    expect(room.answered(first)).toBe(false);
    expect(room.has(A, node("a"))).toBe(true);
  });

  it("holds the place of one that was let in until that is committed", () => {
    const room = roomWith("a", "b");
    room.serve(A, node("a"), BEGUN_RANK);
    expect(room.has(A, node("a"))).toBe(false);
    expect(room.ahead(A, node("b"), BEGUN_RANK)).toBe(0);
    expect(room.size).toBe(1);
    room.restore(node("a"));
    expect(room.ahead(A, node("b"), BEGUN_RANK)).toBe(1);
    expect(names(room.wake(A, 1))).toEqual(["a"]);
    room.serve(A, node("a"), BEGUN_RANK);
    room.leave(node("a"));
    expect(names(room.wake(A, 1))).toEqual(["b"]);
  });

  it("lets a node wait for one agent at a time", () => {
    const room = roomWith("a", "b");
    room.enter(B, node("a"), BEGUN_RANK);
    expect([room.has(A, node("a")), room.has(B, node("a"))]).toEqual([false, true]);
    expect(names(room.wake(A, 1))).toEqual(["b"]);
    // Admitted for another: it has its place again if that does not stand, and leaves it once it does.
    room.serve(A, node("a"), BEGUN_RANK);
    expect(room.has(B, node("a"))).toBe(false);
    room.restore(node("a"));
    expect(room.has(B, node("a"))).toBe(true);
    room.serve(A, node("a"), BEGUN_RANK);
    room.leave(node("a"));
    expect(room.agents()).toEqual([A]);
  });

  it("is empty when all have left", () => {
    const room = roomWith("a");
    room.serve(A, node("a"), BEGUN_RANK);
    room.leave(node("a"));
    room.leave(node("never"));
    room.restore(node("never"));
    expect([room.size, room.agents(), room.heldOf(A)]).toEqual([0, [], 0]);
  });
});

describe("runs in flight and new runs that wait for the same agent", () => {
  const enter = (room: WaitingRoom, rank: Rank, ...nodeIds: readonly string[]): void => {
    for (const nodeId of nodeIds) room.enter(A, node(nodeId), rank);
  };

  it("are served in this order, each in the order of arrival", () => {
    const room = new WaitingRoom();
    enter(room, NEW_RANK, "new1", "new2");
    enter(room, BEGUN_RANK, "begun1", "begun2");
    expect(room.ahead(A, node("begun3"), BEGUN_RANK)).toBe(2);
    expect(room.ahead(A, node("new3"), NEW_RANK)).toBe(4);
    expect(names(room.wake(A, 3))).toEqual(["begun1", "begun2", "new1"]);
  });

  it("take turns: a run in flight goes before new ones a bounded number of times, and yields once", () => {
    const room = new WaitingRoom();
    enter(room, NEW_RANK, "new1", "new2");
    for (let turn = 0; turn < 8; turn += 1) {
      expect(room.ahead(A, node(`step${turn}`), BEGUN_RANK)).toBe(0);
      room.serve(A, node(`step${turn}`), BEGUN_RANK);
    }
    expect(room.ahead(A, node("step8"), BEGUN_RANK)).toBe(1);
    enter(room, BEGUN_RANK, "step8");
    expect(names(room.wake(A, 1))).toEqual(["new1"]);
    // One that is called is behind only those called before it, whatever its rank.
    expect(room.ahead(A, node("new1"), NEW_RANK)).toBe(0);
    expect(room.ahead(A, node("step8"), BEGUN_RANK)).toBe(1);
    expect(names(room.wake(A, 2))).toEqual(["step8"]);
  });

  it("yield more seldom while many runs in flight wait, so that these do not pile up", () => {
    const room = new WaitingRoom();
    enter(room, NEW_RANK, "new");
    enter(room, BEGUN_RANK, ...Array.from({ length: 300 }, (_, index) => `begun${index}`));
    const order: string[] = [];
    for (let slots = 0; slots < 70; slots += 1) {
      const [call] = room.wake(A, 1);
      if (call === undefined) throw new Error("no node was called");
      order.push(call.waiter.nodeId);
      room.serve(A, call.waiter, call.waiter.nodeId === "new" ? NEW_RANK : BEGUN_RANK);
      room.leave(call.waiter);
    }
    expect(order.slice(0, 44).filter((name) => name === "new")).toEqual([]);
    expect(order).toContain("new");
  });
});

describe("a queue that is longer than a process holds", () => {
  it("takes no more, reports that, and lets no newcomer go before those that stand elsewhere", () => {
    const room = new WaitingRoom();
    for (let index = 0; index < HELD_MAX; index += 1) expect(room.enter(A, node(`n${index}`), NEW_RANK)).toBe(true);
    expect(room.enter(A, node("more"), NEW_RANK)).toBe(false);
    expect(room.isAnywhere(node("more"))).toBe(false);
    // One that was claimed for this process is served by no other: it is held all the same.
    room.hold(A, node("claimed"), NEW_RANK);
    expect(room.has(A, node("claimed"))).toBe(true);
    room.leave(node("claimed"));
    // One that has its place keeps it.
    expect(room.enter(A, node("n0"), NEW_RANK)).toBe(true);
    for (let index = 0; index < HELD_MAX; index += 1) room.leave(node(`n${index}`));
    expect(room.agents()).toEqual([A]);
    expect(room.ahead(A, node("late"), NEW_RANK)).toBe(1);
    room.setBacklog(A, false);
    expect([room.agents(), room.ahead(A, node("late"), NEW_RANK)]).toEqual([[], 0]);
  });
});

type Step = { readonly kind: "enter" | "serve" | "restore" | "leave" | "wake" | "gone"; readonly who: number };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    kind: fc.constantFrom("enter", "serve", "restore", "leave", "wake", "gone"),
    who: fc.nat(7),
  }),
  { maxLength: 60 },
);

describe("a waiting room, whatever happens in it", () => {
  it("serves in the order of arrival and never loses or doubles a waiter", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const room = new WaitingRoom();
        /** The plain list it has to behave like. */
        let line: { id: string; isServed: boolean; call: Call | null }[] = [];
        for (const { kind, who } of all) {
          const id = `n${who}`;
          const own = line.find((place) => place.id === id);
          if (kind === "enter") {
            room.enter(A, node(id), BEGUN_RANK);
            if (own === undefined) line.push({ id, isServed: false, call: null });
            else Object.assign(own, { isServed: false, call: null });
          } else if (kind === "serve") {
            room.serve(A, node(id), BEGUN_RANK);
            if (own !== undefined) Object.assign(own, { isServed: true, call: null });
          } else if (kind === "restore") {
            room.restore(node(id));
            if (own !== undefined) Object.assign(own, { isServed: false, call: null });
          } else if (kind === "leave") {
            room.leave(node(id));
            line = line.filter((place) => place !== own);
          } else if (kind === "wake") {
            const waiting = line.filter(({ isServed }) => !isServed);
            const uncalled = waiting.filter(({ call }) => call === null);
            const called = waiting.length - uncalled.length;
            const calls = room.wake(A, who);
            expect(names(calls)).toEqual(uncalled.slice(0, Math.max(0, who - called)).map((place) => place.id));
            for (const call of calls)
              Object.assign(line.find((place) => place.id === call.waiter.nodeId) ?? {}, { call });
          } else if (own?.call !== null && own?.call !== undefined) {
            expect(room.answered(own.call)).toBe(true);
            line = line.filter((place) => place !== own);
          }
          const waiting = line.filter(({ isServed }) => !isServed);
          expect(room.size).toBe(waiting.length);
          expect(room.ahead(A, node("new"), BEGUN_RANK)).toBe(waiting.length);
          // Those on their way in the order they were called, then the others in the order they came.
          const called = waiting
            .filter(({ call }) => call !== null)
            .sort((l, r) => (l.call?.number ?? 0) - (r.call?.number ?? 0));
          const inOrder = [...called, ...waiting.filter(({ call }) => call === null)];
          inOrder.forEach((place, index) => expect(room.ahead(A, node(place.id), BEGUN_RANK)).toBe(index));
          for (const place of line) expect(room.isAnywhere(node(place.id))).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });
});

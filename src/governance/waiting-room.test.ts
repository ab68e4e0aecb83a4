import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Call, type Waiter, WaitingRoom } from "./waiting-room.ts";

const A = "org/analyst";
const B = "org/writer";
const node = (nodeId: string, runId = "run_1"): Waiter => ({ runId, nodeId });
const names = (calls: readonly Call[]): readonly string[] => calls.map(({ waiter }) => waiter.nodeId);

function roomWith(...nodeIds: readonly string[]): WaitingRoom {
  const room = new WaitingRoom();
  for (const nodeId of nodeIds) room.enter(A, node(nodeId));
  return room;
}

describe("a waiting room", () => {
  it("wakes as many as there are slots, the oldest first, and nobody twice", () => {
    const room = roomWith("a", "b", "c");
    expect(names(room.wake(A, 2, 0))).toEqual(["a", "b"]);
    expect(names(room.wake(A, 2, 1))).toEqual([]);
    expect(names(room.wake(A, 3, 1))).toEqual(["c"]);
    expect(names(room.wake(B, 3, 1))).toEqual([]);
  });

  it("keeps the place of one that is asked again and has to wait on", () => {
    const room = roomWith("a", "b");
    room.wake(A, 1, 0);
    room.enter(A, node("a"));
    expect(names(room.wake(A, 1, 1))).toEqual(["a"]);
  });

  it("counts who was there before: those ahead of one in the queue, everybody for one who comes", () => {
    const room = roomWith("a", "b", "c");
    expect(["a", "b", "c", "new"].map((nodeId) => room.ahead(A, node(nodeId)))).toEqual([0, 1, 2, 3]);
    expect(room.ahead(A, node("a", "run_2"))).toBe(3);
    expect(room.ahead(B, node("a"))).toBe(0);
  });

  it("forgets whoever was woken and asked for nothing, so that the next is served", () => {
    const room = roomWith("a", "b");
    const [call] = room.wake(A, 1, 0);
    if (call === undefined) throw new Error("nobody was woken");
    expect(room.answered(call)).toBe(true);
    expect(room.isAnywhere(node("a"))).toBe(false);
    expect(names(room.wake(A, 1, 0))).toEqual(["b"]);
  });

  it("does not take the answer to one call for the answer to the next", () => {
    const room = roomWith("a");
    const [first] = room.wake(A, 1, 0);
    room.enter(A, node("a"));
    room.wake(A, 1, 0);
    if (first === undefined) throw new Error("nobody was woken");
    expect(room.answered(first)).toBe(false);
    expect(room.has(A, node("a"))).toBe(true);
  });

  it.each([
    [4_999, ["b"], true],
    [5_000, ["b", "c"], false],
    [5_001, ["b", "c"], false],
  ])("after %i ms has woken %j more, as one whose answer never comes still counts: %s", (at, woken, isThere) => {
    const room = roomWith("a", "b", "c");
    room.wake(A, 1, 0);
    expect(names(room.wake(A, 2, at))).toEqual(woken);
    expect(room.isAnywhere(node("a"))).toBe(isThere);
  });

  it("holds the place of one that was let in until that is committed", () => {
    const room = roomWith("a", "b");
    room.serve(A, node("a"));
    expect(room.has(A, node("a"))).toBe(false);
    expect(room.ahead(A, node("b"))).toBe(0);
    expect(room.size).toBe(1);
    room.restore(node("a"));
    expect(room.ahead(A, node("b"))).toBe(1);
    expect(names(room.wake(A, 1, 0))).toEqual(["a"]);
    room.serve(A, node("a"));
    room.leave(node("a"));
    expect(names(room.wake(A, 1, 0))).toEqual(["b"]);
  });

  it("lets a node wait for one agent at a time", () => {
    const room = roomWith("a", "b");
    room.enter(B, node("a"));
    expect([room.has(A, node("a")), room.has(B, node("a"))]).toEqual([false, true]);
    expect(names(room.wake(A, 1, 0))).toEqual(["b"]);
    room.serve(A, node("a"));
    expect(room.agents()).toEqual([A]);
  });

  it("is empty when everybody has left", () => {
    const room = roomWith("a");
    room.serve(A, node("a"));
    room.leave(node("a"));
    room.leave(node("never"));
    room.restore(node("never"));
    expect([room.size, room.agents(), room.hasAny(A)]).toEqual([0, [], false]);
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
  it("serves in the order of arrival and never loses or doubles anybody", () => {
    fc.assert(
      fc.property(steps, (all) => {
        const room = new WaitingRoom();
        /** The plain list it has to behave like. */
        let line: { id: string; isServed: boolean; call: Call | null }[] = [];
        for (const { kind, who } of all) {
          const id = `n${who}`;
          const own = line.find((place) => place.id === id);
          if (kind === "enter") {
            room.enter(A, node(id));
            if (own === undefined) line.push({ id, isServed: false, call: null });
            else Object.assign(own, { isServed: false, call: null });
          } else if (kind === "serve") {
            room.serve(A, node(id));
            if (own !== undefined) Object.assign(own, { isServed: true, call: null });
          } else if (kind === "restore") {
            room.restore(node(id));
            if (own !== undefined) Object.assign(own, { isServed: false, call: null });
          } else if (kind === "leave") {
            room.leave(node(id));
            line = line.filter((place) => place !== own);
          } else if (kind === "wake") {
            const due = line.filter(({ isServed }) => !isServed).slice(0, who);
            const calls = room.wake(A, who, 0);
            expect(names(calls)).toEqual(due.filter(({ call }) => call === null).map((place) => place.id));
            for (const call of calls)
              Object.assign(line.find((place) => place.id === call.waiter.nodeId) ?? {}, { call });
          } else if (own?.call !== null && own?.call !== undefined) {
            expect(room.answered(own.call)).toBe(true);
            line = line.filter((place) => place !== own);
          }
          const waiting = line.filter(({ isServed }) => !isServed);
          expect(room.size).toBe(waiting.length);
          expect(room.ahead(A, node("new"))).toBe(waiting.length);
          waiting.forEach((place, index) => expect(room.ahead(A, node(place.id))).toBe(index));
          for (const place of line) expect(room.isAnywhere(node(place.id))).toBe(true);
        }
      }),
      { numRuns: 400 },
    );
  });
});

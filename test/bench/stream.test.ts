import { describe, expect, it } from "vitest";
import { readIds } from "../../bench/stream-clients.ts";
import { rateOf, deliveriesOf } from "../../bench/stream-delivery.ts";

const frame = (id: number): string => `id: ${id}\nevent: node.started\ndata: {"eventId":${id},"text":"id: 7"}\n\n`;

describe("what a client of a stream reads", () => {
  it("is whole frames only, however the bytes are cut", () => {
    const text = `retry: 2000\n\n${frame(1)}: heartbeat\n\n${frame(2)}${frame(13)}`;
    for (let cut = 0; cut <= text.length; cut += 1) {
      const first = readIds(text.slice(0, cut));
      const second = readIds(first.rest + text.slice(cut));
      expect([...first.ids, ...second.ids]).toEqual([1, 2, 13]);
      expect(second.rest).toBe("");
    }
  });
});

describe("events that reached all clients", () => {
  const committed = new Map([
    [2, 100],
    [3, 110],
  ]);

  it("leaves out events committed before all clients were connected", () => {
    const arrivals = [1, 2, 3].map((eventId) => ({ eventId, clients: 5, atMs: 100 + eventId * 10 }));
    const deliveries = deliveriesOf(arrivals, committed, 5);
    expect(deliveries).toEqual([
      { committedMs: 100, arrivedMs: 120 },
      { committedMs: 110, arrivedMs: 130 },
    ]);
    expect(rateOf(deliveries)).toBeCloseTo(2_000 / 30);
  });

  it("is an error when a client missed one", () => {
    expect(() => deliveriesOf([{ eventId: 2, clients: 4, atMs: 120 }], committed, 5)).toThrow(
      "event 2 reached 4 of 5 clients",
    );
  });
});

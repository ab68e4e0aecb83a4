import { describe, expect, it } from "vitest";
import { NOWHERE } from "../../../test/conformance/nowhere.ts";
import type { RunEvent } from "../event/index.ts";
import { eventOfFrame, frameEvent } from "./frame.ts";

const context = { runId: "run_1", workflowId: "hello", traceId: "4bf92f3577b34da6a3ce929d0e0e4736" };
const event: RunEvent = {
  eventId: 3,
  at: 1_700_000_000_123,
  type: "node.queued",
  payload: { nodeId: "a", waitingReason: "queued" },
};

describe("frameEvent", () => {
  it("wraps an event, sequence equal to its id", () => {
    expect(frameEvent(event, context)).toEqual({
      eventId: 3,
      sequence: 3,
      type: "node.queued",
      runId: "run_1",
      workflowId: "hello",
      timestamp: "2023-11-14T22:13:20.123Z",
      correlation: { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", phase: "engine" },
      payload: { nodeId: "a", waitingReason: "queued" },
    });
  });

  it("takes the wave from the caller, or from an event that carries it", () => {
    expect(frameEvent(event, { ...context, wave: 2, parentEventId: 1 }).correlation).toEqual({
      traceId: context.traceId,
      parentEventId: 1,
      wave: 2,
      phase: "engine",
    });
    const started: RunEvent = {
      eventId: 4,
      at: 0,
      type: "node.started",
      payload: {
        nodeId: "a",
        attempt: 1,
        wave: 5,
        ...NOWHERE,
      },
    };
    expect(frameEvent(started, context).correlation.wave).toBe(5);
  });

  it("is undone by eventOfFrame", () => {
    expect(eventOfFrame(frameEvent(event, context))).toEqual(event);
    expect(eventOfFrame({ ...frameEvent(event, context), timestamp: "yesterday" })).toBeNull();
  });
});

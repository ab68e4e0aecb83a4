import { describe, expect, it } from "vitest";
import { lookOf, nodeLook } from "./status.tsx";

const held = (waitingReason: "human_input" | "timer" | "event") =>
  lookOf(nodeLook({ status: "blocked", errorCode: null, waitingReason }));

describe("a node that is held", () => {
  it("waits for a person only where one has to act", () => {
    expect(held("human_input")).toMatchObject({ label: "Waiting for a person", tone: "hold" });
    expect(held("timer")).toMatchObject({ label: "Waiting for a time", tone: "idle" });
    expect(held("event")).toMatchObject({ label: "Waiting for an event", tone: "idle" });
  });
});

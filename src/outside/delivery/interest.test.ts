import { describe, expect, it } from "vitest";
import { AUDIT_TYPES } from "../../core/audit/index.ts";
import { EVENT_TYPES } from "../../core/event/index.ts";
import { isCoveredByEvents, isWanted } from "./interest.ts";

describe("what a webhook asked for", () => {
  it("is a type, a family, or everything", () => {
    expect(isWanted(["run.completed"], "run.completed")).toBe(true);
    expect(isWanted(["run.completed"], "run.failed")).toBe(false);
    expect(isWanted(["run.*"], "run.status.changed")).toBe(true);
    expect(isWanted(["run.*"], "runs.x")).toBe(false);
    expect(isWanted(["gate.*"], "gate.held")).toBe(true);
    expect(isWanted(["*"], "policy.changed")).toBe(true);
    expect(isWanted([], "run.started")).toBe(false);
  });

  it("holds pieces of a stream only when they are named", () => {
    for (const type of ["node.stream.delta", "heartbeat"]) {
      expect(isWanted(["*", "node.*", "heartbeat.*"], type)).toBe(false);
      expect(isWanted([type], type)).toBe(true);
    }
    const all = EVENT_TYPES.filter((type) => isWanted(["*"], type));
    expect(EVENT_TYPES.filter((type) => !all.includes(type)).sort()).toEqual(
      EVENT_TYPES.filter((type) => type === "node.stream.delta" || type === ("heartbeat" as string)).sort(),
    );
  });

  it("comes from the log of runs where both have it", () => {
    expect(AUDIT_TYPES.filter(isCoveredByEvents).sort()).toEqual([
      "approval.answered",
      "approval.escalated",
      "approval.requested",
      "approval.resolved",
      "approval.revised",
      "node.completed",
      "node.failed",
      "node.skipped",
      "run.paused",
      "run.resumed",
      "run.started",
      "tool.decided",
    ]);
  });
});

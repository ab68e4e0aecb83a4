import { describe, expect, it } from "vitest";
import type { RunView } from "../../../client/index.ts";
import { stopReason } from "./stop-reason.ts";

const FAILED = {
  id: "revise",
  title: "revise",
  status: "failed",
  errorCode: "repeat_exhausted",
  errorMessage: "It is not good after 3 rounds.",
  isHandled: false,
  instance: null,
  completedAt: 5,
  failedInstances: 0,
  missing: [],
};

function viewOf(more: object): RunView {
  const nodes = new Map([["revise", FAILED]]);
  const view = { status: "running", ending: null, nodes, approvals: new Map(), upstreamFailures: 1, lastEventId: 9 };
  return { ...view, errorCode: null, ...more } as unknown as RunView;
}

describe("why a run does not continue", () => {
  it.each([
    [{ status: "failed", ending: "failed" }, "The run failed because revise failed with repeat exhausted"],
    [{ status: "timed_out" }, "The run timed out because revise failed with repeat exhausted"],
    [{ ending: "failed" }, "The run is ending because revise failed with repeat exhausted"],
  ])("of %j is %s", (more, title) => {
    expect(stopReason(viewOf(more), [])).toMatchObject({
      tone: "bad",
      title,
      detail: "It is not good after 3 rounds.",
      nodeIds: ["revise"],
      followers: 1,
    });
  });

  it("is nothing while it runs", () => {
    expect(stopReason(viewOf({ nodes: new Map() }), [])).toBeNull();
  });
});

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { advance, apply, createRunState, replay } from "../../src/core/engine/index.ts";
import { EVENT_PAYLOADS, type RunEvent } from "../../src/core/event/index.ts";
import { checkSource } from "../../src/core/plan/index.ts";
import { EMPTY_CATALOG } from "../../src/core/definition/index.ts";
import { outlineOf, projectRun, projectView, reduceRun } from "../../src/core/view/index.ts";

/** A run that halted, was recovered, rewound while it ran, and cancelled: written before `run.ending` existed. */
const { source, events } = JSON.parse(readFileSync(new URL("old-log.json", import.meta.url), "utf8")) as {
  readonly source: string;
  readonly events: readonly RunEvent[];
};

const { plan } = checkSource(source, EMPTY_CATALOG);
if (plan === null) throw new Error("the plan of the old log no longer compiles");

describe("a log written before run.ending existed", () => {
  it("still has payloads that fit", () => {
    const bad = events.filter(({ type, payload }) => !EVENT_PAYLOADS[type].safeParse(payload).success);
    expect(bad).toEqual([]);
  });

  it("folds to what it meant, event by event", () => {
    const state = createRunState(plan, "run_1");
    const seen = events.map((event) => {
      apply(state, event);
      return `${event.eventId} ${state.status} ${state.epoch} ${state.ending?.as ?? "-"}`;
    });
    expect([1, 11, 12, 16, 17, 18, 34, 35, 47, 48, 51].map((id) => seen[id - 1])).toEqual([
      "1 running 0 -",
      "11 running 0 -",
      "12 running 0 failed",
      "16 running 0 failed",
      "17 failed 0 -",
      "18 running 1 -",
      "34 running 1 -",
      "35 running 2 -",
      "47 running 2 -",
      "48 running 2 cancelled",
      "51 cancelled 2 -",
    ]);
  });

  it("looks the same to a client at every event", () => {
    const about = { runId: "run_1", workflowId: "w" };
    for (let length = 1; length <= events.length; length += 1) {
      const prefix = events.slice(0, length);
      const view = projectView(reduceRun(prefix, outlineOf(plan)), about);
      expect(projectRun(replay(plan, "run_1", prefix), about)).toEqual(view);
    }
  });

  it("continues as any other: a run found winding down ends, and records it with current events", () => {
    const state = replay(plan, "run_1", events.slice(0, 14));
    const result = { status: "cancelled", tokens: noTokens(), costMicros: 0 } as const;
    const input = { type: "callback", nodeId: "b", attempt: 1, result, at: 1, jitter: 0 } as const;
    expect(advance(state, input).events.slice(-2)).toMatchObject([
      { type: "run.status.changed", payload: { from: "running", to: "failed", epoch: 0 } },
      { type: "run.failed", payload: { errorCode: "provider_auth", reason: "a failed" } },
    ]);
  });
});

function noTokens() {
  return { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, cachedTokens: 0 };
}

import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../store/index.ts";
import { createNodeModeration } from "../moderation/index.ts";
import type { DrivenRun } from "./driven-run.ts";
import { InputQueue } from "./input-queue.ts";
import { Moderator } from "./moderator.ts";
import { PlanCache } from "./plan-cache.ts";
import { ReportIntake } from "./report-intake.ts";
import { RunCache } from "./run-cache.ts";

/** An intake over a queue that answers at once, and the runs whose versions it asks the store for. */
function intakeOver() {
  const store = createMemoryStore();
  const asked: string[] = [];
  const runs = {
    loadRuns: (runIds: readonly string[]) => store.loadRuns(runIds),
    headsOf: (runIds: readonly string[]) => {
      asked.push(...runIds);
      return store.headsOf(runIds);
    },
  };
  const cache = new RunCache(runs, new PlanCache(store));
  const queue = new InputQueue();
  queue.onReady = () => {
    for (const { runId, waiting } of queue.take(1, 1)) {
      for (const { done } of waiting) done({ kind: "unknown" });
      queue.release(runId);
    }
  };
  const moderator = new Moderator(createNodeModeration());
  return { cache, asked, intake: new ReportIntake({ queue, cache, moderator, clock: { now: () => 0 } }) };
}

describe("the newest state of a run", () => {
  it("is compared with the stored version only if there is one in memory that may be older", async () => {
    const { cache, asked, intake } = intakeOver();
    await intake.newest("run_1");
    expect(asked).toEqual([]);
    cache.keep({ state: { runId: "run_1", nodes: [] }, contentBytes: 0 } as unknown as DrivenRun);
    await intake.newest("run_1");
    expect(asked).toEqual(["run_1"]);
  });
});

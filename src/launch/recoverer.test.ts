import { expect, it } from "vitest";
import { createVirtualClock } from "../clock/index.ts";
import type { Recoverable } from "../store/index.ts";
import { Recoverer, type RecovererOptions } from "./recoverer.ts";

it("reaches every run, whatever is delayed, blocked or fails before it, and begins again with the oldest", async () => {
  const ids = Array.from({ length: 250 }, (_, index) => `run_${String(index).padStart(3, "0")}`);
  const runs: readonly Recoverable[] = ids.map((runId) => ({ orgId: "default", runId, epoch: 0, endedAt: 0 }));
  const submitted: string[] = [];
  const troubles: string[] = [];
  const listRecoverable = async (limit: number, after: Recoverable | null): Promise<readonly Recoverable[]> =>
    runs.filter(({ runId }) => after === null || runId > after.runId).slice(0, limit);
  const getRun = async (_orgId: string, runId: string) => ({ workflow: runId });
  const judge = async (_orgId: string, { workflow }: { readonly workflow: string }) => ({
    disposition: workflow < "run_120" ? "block" : "allow",
  });
  const submit = async (_orgId: string, runId: string) => {
    if (runId === "run_130") throw new Error("a fault");
    submitted.push(runId);
  };
  // Only what the recoverer uses of the parts.
  const recoverer = new Recoverer({
    store: { listRecoverable, getRun, getWorkflow: async () => undefined },
    runtime: { submit },
    governor: { launches: { judge } },
    clock: createVirtualClock(60_000),
    onTrouble: (what: string) => void troubles.push(what),
  } as unknown as RecovererOptions);
  for (let round = 0; round < 3; round += 1) await recoverer.look();
  const allowed = ids.filter((runId) => runId >= "run_120" && runId !== "run_130");
  expect(submitted).toEqual(allowed);
  expect(troubles).toEqual(["run run_130 was not recovered"]);
  for (let round = 0; round < 3; round += 1) await recoverer.look();
  expect(submitted).toEqual([...allowed, ...allowed]);
});

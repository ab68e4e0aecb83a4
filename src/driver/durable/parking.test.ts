import { expect, it } from "vitest";
import type { RunEvent } from "../../core/event/index.ts";
import type { Changes } from "../../governance/index.ts";
import type { LoadedRun, OpenAttempt, RunCommit } from "../../store/index.ts";
import { parkInBackground, type Parked } from "./parking.ts";

const RUN = { runId: "run_1", orgId: "default", workflow: "w", rowVersion: 4, status: "running", lastEventId: 3 };
const EVENTS = [
  { eventId: 1, at: 0, type: "approval.requested", payload: { nodeId: "a", approvalId: "apr_1" } },
  { eventId: 2, at: 0, type: "approval.requested", payload: { nodeId: "b", approvalId: "apr_2" } },
  { eventId: 3, at: 0, type: "approval.resolved", payload: { nodeId: "b", approvalId: "apr_2" } },
] as unknown as readonly RunEvent[];

const attempt = (nodeId: string, agentId: string | null, micros: number): OpenAttempt => ({
  nodeId,
  attempt: 1,
  replicaId: "r",
  deadlineAt: null,
  agentId,
  reserved: [{ envelopeId: "budget:cap", periodStart: 7, micros }],
});

async function park(isLoaded: boolean) {
  const commits: RunCommit[] = [];
  const input: Changes[] = [];
  const openAttempts = [attempt("x", "ada", 10), attempt("y", "ada", 5), attempt("z", "bob", 1), attempt("n", null, 0)];
  // Only what parking reads of a run.
  const loaded = { run: RUN, events: EVENTS, openAttempts, timers: [] } as unknown as LoadedRun;
  const parked = await new Promise<Parked>((onParked, fail) =>
    parkInBackground(
      {
        store: {
          loadRuns: async () => [loaded],
          commit: async (batch) => {
            commits.push(...batch);
            return { isOverLimit: false, conflicts: [], duplicates: [] };
          },
        },
        health: { untilAvailable: (work) => work() },
        judge: {
          prepare: () => (isLoaded ? undefined : Promise.resolve()),
          committed: (_orgId, changes) => input.push(changes),
        },
        clock: { now: () => 99 },
        onBug: () => undefined,
        after: { parked: onParked },
        onTrouble: (_what, error) => fail(error),
      },
      "run_1",
      new Error("a bug"),
    ),
  );
  await Promise.resolve();
  return { commits, input, parked };
}

it("gives back in one commit what the run held, and asks no person any more", async () => {
  const { commits, input } = await park(true);
  expect(commits).toHaveLength(1);
  const [commit] = commits;
  expect(commit?.slots).toMatchObject([
    { agentId: "ada", delta: -2 },
    { agentId: "bob", delta: -1 },
  ]);
  expect(commit?.ledger).toEqual([
    { envelopeId: "budget:cap", periodStart: 7, reserved: -16, spent: 0, ceiling: null },
  ]);
  expect(commit?.approvalsClosed).toMatchObject([{ id: "apr_1", status: "cancelled", resolvedAt: 99 }]);
  expect(input).toMatchObject([{ runId: "run_1", ended: ["x", "y", "z", "n"], slots: commit?.slots }]);
});

it("leaves a judge alone that reads afterwards what counts", async () => {
  expect((await park(false)).input).toEqual([]);
});

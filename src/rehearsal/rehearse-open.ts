import { createScriptedAdapter, SCRIPTED_PROVIDER } from "../adapters/index.ts";
import { createVirtualClock } from "../clock/index.ts";
import type { WorkflowRef } from "../core/definition/index.ts";
import { LocalDriver, type PinnedWorkflow } from "../driver/index.ts";
import { createAllowAllJudge } from "../governance/index.ts";
import { answerFor } from "./answer.ts";
import { type Performance, type Piece, type Rehearsed, RehearsalTooLong } from "./rehearse.ts";

/** Runs it with every gate open, and with every workflow it starts. */
export async function rehearseOpen(
  { plan, version, hash, args, script }: Piece,
  resolve: (ref: WorkflowRef) => PinnedWorkflow | null,
  { approve, at, mayGoOn }: Performance,
): Promise<Rehearsed> {
  const clock = createVirtualClock(at);
  const driver = new LocalDriver({
    adapters: [createScriptedAdapter({ script, clock })],
    clock,
    judge: createAllowAllJudge(new Set([SCRIPTED_PROVIDER]), SCRIPTED_PROVIDER),
    newRunId: () => "run_simulated",
    jitter: () => 0.5,
    resolveWorkflow: resolve,
    answerApproval: ({ choices }, { refusal }) =>
      Promise.resolve(refusal === null ? answerFor(choices, approve) : null),
  });
  try {
    const runId = driver.start({ plan, version, hash }, args, "simulate");
    const settled = driver.whenSettled(runId);
    let isSettled = false;
    void settled.then(() => {
      isSettled = true;
    });
    await clock.run(() => isSettled || !mayGoOn());
    if (!isSettled) throw new RehearsalTooLong("the rehearsal goes on for too long");
    const settlement = await settled;
    if (settlement.kind === "parked") throw new Error(`the rehearsal broke: ${settlement.message}`);
    const isWaiting = settlement.kind === "waiting";
    return { launch: null, state: settlement.state, log: driver.logOf(runId), verdicts: [], isWaiting };
  } finally {
    driver.close();
  }
}

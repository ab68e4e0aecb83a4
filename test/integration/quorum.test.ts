import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Refusal, UnstampedInput } from "../../src/core/engine/index.ts";
import { isTerminal } from "../../src/core/event/index.ts";
import { launch, ORG } from "./support/governed.ts";
import { deafAdapter } from "./support/machine.ts";
import { openUngovernedReplicas, type UngovernedReplicas } from "./support/ungoverned-replicas.ts";

const SOURCE = `name: w
steps:
  - { id: gate, approval: required, quorum: 2, approvers: ["role:finance"], form: { v: { type: integer, default: 1 } } }
  - { id: pay, command: "pay \${gate.v}" }
`;
const PEOPLE = ["ann", "bob", "eve", "dan", "kim", "leo"];

let opened: UngovernedReplicas;
const sent: string[] = [];

beforeAll(async () => {
  opened = await openUngovernedReplicas(
    deafAdapter((request) => {
      sent.push(request.message);
      return Promise.resolve({ status: "completed", stdout: "paid" });
    }),
  );
});
afterAll(async () => {
  await opened.close();
  expect(opened.troubles).toEqual([]);
});

async function start(): Promise<{ readonly runId: string; readonly approvalId: string }> {
  const { replicas, store } = opened;
  const runId = await launch(replicas[0], store, SOURCE);
  const { data } = await store.listApprovals(ORG, "pending", { limit: 100, cursor: null });
  const approval = data.find((one) => one.runId === runId);
  if (approval === undefined) throw new Error("no person is asked");
  return { runId, approvalId: approval.id };
}

const yes = (approvalId: string, by: string, more: object = {}): UnstampedInput => ({
  type: "approval",
  approvalId,
  decision: "approve",
  by,
  personId: `per_${by}`,
  as: ["role:finance"],
  ...more,
});

/** All at once, on both replicas in turn: what each of them was refused with. */
async function answerTogether(runId: string, inputs: readonly UnstampedInput[]): Promise<readonly string[]> {
  const refusals = await Promise.all(
    inputs.map(async (input, index): Promise<Refusal | undefined> => {
      const outcome = await opened.replicas[index % 2]?.submit(ORG, runId, input);
      return outcome?.refusal;
    }),
  );
  return refusals.flatMap((refusal) => (refusal === undefined ? [] : [refusal.code]));
}

async function ended(runId: string): Promise<void> {
  for (;;) {
    const run = await opened.store.getRun(ORG, runId);
    if (run !== undefined && isTerminal(run.status)) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("a quorum on two replicas", () => {
  it("is reached by exactly so many of those who answer at the same moment, and done once", async () => {
    for (let round = 0; round < 8; round += 1) {
      sent.length = 0;
      const { runId, approvalId } = await start();
      const refused = await answerTogether(
        runId,
        PEOPLE.map((by) => yes(approvalId, by)),
      );
      await ended(runId);
      expect(refused).toEqual(Array.from({ length: PEOPLE.length - 2 }, () => "approval_closed"));
      expect(sent).toEqual(["pay 1"]);
      const [loaded] = await opened.store.loadRuns([runId]);
      const types = loaded?.events.map(({ type }) => type) ?? [];
      const count = (type: string): number => types.filter((one) => one === type).length;
      // What the first of them enters is approved by the second.
      expect([count("approval.revised"), count("approval.answered"), count("approval.resolved")]).toEqual([1, 0, 1]);
      expect(count("node.started")).toBe(1);
      const approval = await opened.store.getApproval(ORG, approvalId);
      expect(new Set(approval?.answers.map(({ personId }) => personId)).size).toBe(2);
      expect(loaded?.run).toMatchObject({ status: "completed", waitingFor: null });
    }
  });

  it("counts a person once, on whichever replicas they answer", async () => {
    const { runId, approvalId } = await start();
    expect((await opened.store.getRun(ORG, runId))?.waitingFor).toBe("person");
    const again = Array.from({ length: 6 }, () => yes(approvalId, "ann"));
    const refused = await answerTogether(runId, again);
    expect(refused).toEqual(Array.from({ length: 5 }, () => "already_answered"));
    expect(await opened.store.getApproval(ORG, approvalId)).toMatchObject({
      status: "pending",
      answers: [{ by: "ann" }],
    });
    expect(
      await answerTogether(runId, [yes(approvalId, "bob", { as: [] }), yes(approvalId, "bob", { as: [] })]),
    ).toEqual(["not_an_approver", "not_an_approver"]);
    expect(await answerTogether(runId, [yes(approvalId, "eve")])).toEqual([]);
    await ended(runId);
  });
});

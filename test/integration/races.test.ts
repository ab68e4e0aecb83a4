import { describe, expect, it } from "vitest";
import { NO_TOKENS, type UnstampedInput } from "../../src/core/engine/index.ts";
import type { RunEvent } from "../../src/core/event/index.ts";
import { deafAdapter, Machine } from "./support/machine.ts";

const WORK = "name: w\nsteps: [{ id: work, command: go, timeout: 60 }]\n";
const GATE = "name: w\nsteps: [{ id: gate, approval: required }, { id: after, command: go, depends_on: [gate] }]\n";
const never = deafAdapter(() => new Promise<never>(() => undefined));
const RUN_ENDS: ReadonlySet<string> = new Set(["run.completed", "run.failed", "run.cancelled", "run.timed_out"]);
const NODE_ENDS: ReadonlySet<string> = new Set([
  "node.completed",
  "node.failed",
  "node.cancelled",
  "node.skipped",
  "node.timed_out",
]);

function* orders<T>(items: readonly T[]): Generator<readonly T[]> {
  if (items.length === 0) yield [];
  for (const [index, item] of items.entries()) {
    for (const rest of orders([...items.slice(0, index), ...items.slice(index + 1)])) yield [item, ...rest];
  }
}

const endsOf = (events: readonly RunEvent[], ends: ReadonlySet<string>) =>
  events.map(({ type }) => type).filter((type) => ends.has(type));

interface Contender {
  readonly name: string;
  readonly input: UnstampedInput;
  /** How the node and the run end when it arrives first. */
  readonly wins: readonly [string, string];
}

const CONTENDERS: readonly Contender[] = [
  { name: "cancel", input: { type: "cancel", reason: "enough" }, wins: ["node.cancelled", "run.cancelled"] },
  {
    name: "completion",
    input: {
      type: "callback",
      nodeId: "work",
      attempt: 1,
      result: { status: "completed", stdout: "done", tokens: NO_TOKENS, costMicros: 5 },
    },
    wins: ["node.completed", "run.completed"],
  },
  {
    name: "timeout",
    input: { type: "timer", timer: { kind: "attempt", nodeId: "work", attempt: 1 } },
    wins: ["node.timed_out", "run.failed"],
  },
];

const ORDERS = [...orders(CONTENDERS)].map((order) => ({ title: order.map(({ name }) => name).join(", "), order }));

describe("cancel, completion and timeout of one node", () => {
  it.each(ORDERS)("have one winner, the first of $title", async ({ order }) => {
    const machine = new Machine(never);
    const runId = await machine.start(WORK);
    await machine.submitTogether(
      runId,
      order.map(({ input }) => input),
    );
    const events = await machine.log(runId);
    expect([...endsOf(events, NODE_ENDS), ...endsOf(events, RUN_ENDS)]).toEqual(order[0]?.wins);
    expect(machine.troubles).toEqual([]);
  });

  it.each(ORDERS)("have one winner on three replicas: $title", async ({ order }) => {
    const machine = new Machine(never, 3);
    const runId = await machine.start(WORK);
    await machine.submitTogether(
      runId,
      order.map(({ input }) => input),
    );
    const events = await machine.log(runId);
    const ends = [...endsOf(events, NODE_ENDS), ...endsOf(events, RUN_ENDS)];
    expect(CONTENDERS.map(({ wins }) => wins)).toContainEqual(ends);
    expect(events.map(({ eventId }) => eventId)).toEqual(events.map((_, index) => index + 1));
    // What a late report costs is kept, whichever won.
    const cost = events.filter(({ type }) => type === "cost.recorded");
    expect(cost).toHaveLength(1);
  });
});

type Answer = "cancel" | "approve" | "reject" | "expiry";
const ANSWERS = [...orders<Answer>(["cancel", "approve", "reject", "expiry"])].map((order) => ({
  title: order.join(", "),
  order,
}));

function inputOf(answer: Answer, approvalId: string): UnstampedInput {
  if (answer === "cancel") return { type: "cancel", reason: "enough" };
  if (answer === "expiry") return { type: "timer", timer: { kind: "approval-expiry", approvalId } };
  return { type: "approval", approvalId, decision: answer, by: "ann", reason: "because" };
}

describe("cancel, approval, rejection and expiry of one gate", () => {
  it.each(ANSWERS)("have one winner, on whichever replica: $title", async ({ order }) => {
    for (const replicas of [1, 2]) {
      const machine = new Machine(never, replicas);
      const runId = await machine.start(GATE);
      const approvalId = await machine.openApproval();
      await machine.submitTogether(
        runId,
        order.map((answer) => inputOf(answer, approvalId)),
      );
      const events = await machine.log(runId);
      const resolved = events.filter((event) => event.type === "approval.resolved");
      expect(resolved).toHaveLength(1);
      const status = resolved[0]?.payload.status;
      // Approved, the run continues to a node without an answer, and only the cancel that also came can end it.
      expect(endsOf(events, RUN_ENDS)).toEqual(
        status === "approved" || status === "cancelled" ? ["run.cancelled"] : ["run.failed"],
      );
      if (replicas === 1) {
        expect(status).toBe(
          { cancel: "cancelled", approve: "approved", reject: "rejected", expiry: "expired" }[order[0] ?? "cancel"],
        );
      }
    }
  });
});

describe("a timeout", () => {
  it("fires on time though the adapter ignores it", async () => {
    const machine = new Machine(never);
    const runId = await machine.start(WORK);
    await machine.pass(120_000);
    const events = await machine.log(runId);
    const started = events.find((event) => event.type === "node.started");
    const ended = events.find((event) => event.type === "node.timed_out");
    expect(started?.payload.deadlineAt).toBe((started?.at ?? 0) + 60_000);
    expect(ended?.at).toBe(started?.payload.deadlineAt);
    expect(events.at(-1)?.type).toBe("run.failed");
  });

  it("stands when the adapter answers after all, and only its cost is kept", async () => {
    const late = deafAdapter(
      () =>
        new Promise((resolve) => {
          machine.clock.after(90_000, () => resolve({ status: "completed", stdout: "at last", costUsd: 0.5 }));
        }),
    );
    const machine = new Machine(late);
    const runId = await machine.start(WORK);
    await machine.pass(120_000);
    const events = await machine.log(runId);
    expect(endsOf(events, NODE_ENDS)).toEqual(["node.timed_out"]);
    expect(endsOf(events, RUN_ENDS)).toEqual(["run.failed"]);
    expect(events.at(-1)).toMatchObject({ type: "cost.recorded", payload: { costMicros: 500_000, late: true } });
  });

  it("fires on another replica when the one that sent the attempt is gone", async () => {
    const machine = new Machine(never, 2);
    const runId = await machine.start(WORK);
    // The first replica stops in its tracks: its timers are gone, its lease runs out.
    await machine.wait(machine.driver(0).stop());
    await machine.pass(120_000);
    const events = await machine.log(runId);
    const started = events.find((event) => event.type === "node.started");
    const ended = events.find((event) => event.type === "node.timed_out");
    expect(ended?.at).toBeGreaterThanOrEqual(started?.payload.deadlineAt ?? 0);
    expect(ended?.at).toBeLessThanOrEqual((started?.payload.deadlineAt ?? 0) + 5_000);
  });
});

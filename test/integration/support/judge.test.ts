import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../src/core/event/index.ts";
import { frameEvent } from "../../../src/core/view/index.ts";
import { judgeRun, type Witnessed } from "./judge.ts";
import type { Call } from "./ledger.ts";
import { deafAdapter, Machine } from "./machine.ts";
import { SAMPLES } from "./workload.ts";

const STRICT = { overlapMs: 0 };

/** A run that went well, as it is seen from outside. */
async function witness(): Promise<Witnessed & { readonly events: readonly RunEvent[] }> {
  const sample = SAMPLES.find(({ name }) => name === "once");
  if (sample === undefined) throw new Error("the sample is gone");
  const calls: Call[] = [];
  const machine = new Machine(
    deafAdapter(({ dispatchId, idempotencyKey, runId, stepId, attempt }) => {
      calls.push({ dispatchId, idempotencyKey, run: runId, node: stepId, attempt, at: machine.clock.now() });
      return new Promise((resolve) => {
        machine.clock.after(10, () => resolve({ status: "completed", stdout: "done" }));
      });
    }),
  );
  const id = await machine.start(sample.source);
  await machine.end(id);
  const events = await machine.log(id);
  return seen(
    { sample, run: { id, workflow: sample.name, status: "completed", lastEventId: 0 }, calls, frames: [] },
    events,
  );
}

function seen(witnessed: Witnessed, events: readonly RunEvent[]) {
  const { run, sample } = witnessed;
  const frames = events.map((event) => frameEvent(event, { runId: run.id, workflowId: sample.name, traceId: "trace" }));
  return { ...witnessed, frames, events, run: { ...run, lastEventId: events.at(-1)?.eventId ?? 0 } };
}

const numbered = (events: readonly RunEvent[]): readonly RunEvent[] =>
  events.map((event, index) => ({ ...event, eventId: index + 1 }));

const isCompletion = ({ type }: RunEvent) => type === "node.completed";

describe("the judge", () => {
  it("finds nothing wrong with a run that went well", async () => {
    expect(judgeRun(await witness(), STRICT)).toEqual([]);
  });

  it.each<[string, (events: readonly RunEvent[]) => readonly RunEvent[], RegExp]>([
    ["a gap", (events) => events.filter(({ eventId }) => eventId !== 5), /E13/],
    ["an end that is missing", (events) => events.slice(0, -1), /has 0 ends/],
    ["an end that is logged twice", (events) => numbered([...events, ...events.slice(-1)]), /has 2 ends/],
    [
      "a result that is applied twice",
      (events) => numbered(events.flatMap((event) => (isCompletion(event) ? [event, event] : [event]))),
      /E2/,
    ],
    [
      "a node that starts before its parent has ended",
      (events) => {
        const first = events.findIndex(isCompletion);
        const start = events.findLastIndex(({ type }) => type === "node.started");
        return numbered([...events.slice(0, first), ...events.slice(start, start + 1), ...events.slice(first)]);
      },
      /E1 |went from/,
    ],
    [
      "time that runs backwards",
      (events) => events.map((event) => (event.eventId === 6 ? { ...event, at: event.at - 100 } : event)),
      /earlier/,
    ],
  ])("notices %s", async (_what, tamper, complaint) => {
    const { events, ...witnessed } = await witness();
    expect(judgeRun(seen(witnessed, tamper(events)), STRICT).join("\n")).toMatch(complaint);
  });

  it.each<[string, (calls: readonly Call[]) => readonly Call[], RegExp]>([
    ["a result without a call", (calls) => calls.slice(1), /completed without a call/],
    ["a call that was not committed", (calls) => [...calls, ...calls.slice(0, 1)], /called 2 times and sent again 0/],
    [
      "a call after the completion",
      (calls) => calls.flatMap((call) => [call, { ...call, at: call.at + 500 }]),
      /after its completion/,
    ],
    ["a call before the commit", (calls) => calls.map((call) => ({ ...call, at: call.at - 1 })), /before it started/],
    [
      "a second call of what must happen once",
      (calls) => calls.flatMap((call) => (call.node === "pay" ? [call, call] : [call])),
      /may be executed once and was executed 2 times/,
    ],
    [
      "an attempt that was never begun",
      (calls) => calls.map((call) => ({ ...call, attempt: 2, dispatchId: `${call.run}/${call.node}/2` })),
      /never started/,
    ],
    [
      "a key that changes",
      (calls) => calls.map((call) => ({ ...call, idempotencyKey: call.dispatchId })),
      /unstable key/,
    ],
  ])("notices %s", async (_what, tamper, complaint) => {
    const witnessed = await witness();
    expect(judgeRun({ ...witnessed, calls: tamper(witnessed.calls) }, STRICT).join("\n")).toMatch(complaint);
  });

  it("notices a status that is not what the log says", async () => {
    const witnessed = await witness();
    const run = { ...witnessed.run, status: "failed" } as const;
    expect(judgeRun({ ...witnessed, run }, STRICT).join()).toContain("shown as failed");
  });
});

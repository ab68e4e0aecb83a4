import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonToText } from "../core/base/index.ts";
import type { AdapterRequest } from "./adapter.ts";
import { TrialJudge, type TrialRuling } from "./conformance-judge.ts";
import { sampleRequest } from "./conformance-request.ts";
import { runTurn, type TurnEnd } from "./turn-loop.ts";

const REQUEST = sampleRequest("trial", undefined, "crash");

type Kind = "allow" | "deny" | "suspend" | "malformed";

const plan = fc.record({
  rounds: fc.array(fc.array(fc.constantFrom<Kind>("allow", "deny", "suspend", "malformed"), { maxLength: 4 }), {
    maxLength: 5,
  }),
  /** After how many things that are about to be kept or have just been kept each life ends. */
  lives: fc.array(fc.nat({ max: 12 }), { maxLength: 8 }),
  stops: fc.uniqueArray(fc.nat({ max: 5 })),
});

/** Lives through a turn, one process after the other, and counts what each has done. */
async function live({ rounds, lives, stops }: { rounds: Kind[][]; lives: number[]; stops: number[] }) {
  const steps = [...rounds.filter((calls) => calls.length > 0), []];
  const modelCalls = new Map<number, number>();
  const toolCalls = new Map<string, number>();
  const doubled: string[] = [];
  let [left, isDead] = [Infinity, false];
  const judge = new TrialJudge({
    idempotencyKey: REQUEST.idempotencyKey,
    rule: ({ tool }): TrialRuling =>
      tool === "deny" ? { disposition: "deny", reason: "No." } : { disposition: tool as "allow" },
    stops: (round) => stops.includes(round),
    watch: () => {
      left -= 1;
      if (left < 0) isDead = true;
      if (isDead) throw new Error("The process was killed.");
    },
  });
  const run = (request: AdapterRequest): Promise<TurnEnd> =>
    runTurn({
      request,
      hooks: {
        signal: new AbortController().signal,
        onPartial: () => undefined,
        onLog: () => undefined,
        ...judge.hooks,
      },
      model: (past) => {
        const calls = (steps[past.length] ?? []).map((kind) => ({ tool: kind, args: kind === "malformed" ? "{" : {} }));
        modelCalls.set(past.length, (modelCalls.get(past.length) ?? 0) + 1);
        const content = `Round ${past.length}.`;
        return Promise.resolve({ finish: calls.length > 0 ? "tool_calls" : "stop", message: { content }, calls });
      },
      tools: ({ callId, tool }) => {
        if (tool !== "allow" && tool !== "suspend") doubled.push(`${callId} was ${tool}`);
        if (judge.hasResult(callId)) doubled.push(`${callId} had a result`);
        toolCalls.set(callId, (toolCalls.get(callId) ?? 0) + 1);
        return Promise.resolve(callId);
      },
      textOf: ({ content = null }) => jsonToText(content),
    });
  let segment = 0;
  let end: TurnEnd | undefined;
  while (end?.kind !== "answered" && segment < 100) {
    left = lives[segment] ?? Infinity;
    isDead = false;
    end = await run({ ...REQUEST, ...(judge.rounds === 0 ? {} : { resume: judge.resume() }), segment });
    for (const { callId, ruling } of judge.calls) {
      if (end.kind === "suspended" && ruling?.disposition === "suspend") judge.answer(callId, { disposition: "allow" });
    }
    segment += 1;
  }
  return { end, judge, modelCalls, toolCalls, doubled, steps };
}

describe("a turn that is killed anywhere", () => {
  it("makes no completed call twice, none unasked, and repeats at most one model call per kill", async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (given) => {
        const { end, judge, modelCalls, toolCalls, doubled, steps } = await live(given);
        expect(doubled).toEqual([]);
        expect(end).toMatchObject({ kind: "answered", text: `Round ${steps.length - 1}.` });
        expect(end?.rounds).toHaveLength(steps.length);
        const extra = [...modelCalls.values()].reduce((sum, count) => sum + count - 1, 0);
        expect(extra).toBeLessThanOrEqual(given.lives.length);
        const wanted = steps.flat().filter((kind) => kind === "allow" || kind === "suspend");
        expect(toolCalls.size).toBe(wanted.length);
        for (const callId of toolCalls.keys()) expect(judge.hasResult(callId)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

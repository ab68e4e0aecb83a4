import { describe, expect, it } from "vitest";
import { jsonToText, type Json, type JsonObject } from "../core/base/index.ts";
import type { AdapterHooks, AdapterRequest, LogLine } from "./adapter.ts";
import { TrialJudge, type TrialJudgeOptions } from "./conformance-judge.ts";
import { sampleRequest } from "./conformance-request.ts";
import { type AllowedCall, type CallOutcome, type ModelReply, outcomeText, runTurn, type TurnRound } from "./index.ts";
import type { TurnOptions } from "./turn-loop.ts";

const REQUEST = sampleRequest("trial", undefined, "turn");
const KEY = REQUEST.idempotencyKey;

interface Stage {
  /** The model's answers, round by round; the last one repeats. */
  readonly says: readonly (readonly Ask[] | string)[];
  readonly judge?: Omit<TrialJudgeOptions, "idempotencyKey"> | TrialJudge | null;
  readonly request?: Partial<AdapterRequest>;
  readonly options?: Partial<TurnOptions>;
  readonly tools?: (call: AllowedCall, signal: AbortSignal) => Promise<Json>;
}

type Ask = { readonly tool: string; readonly server?: string; readonly args?: unknown };

function say(said: readonly Ask[] | string): ModelReply {
  const calls = typeof said === "string" ? [] : said.map((ask) => ({ args: {}, ...ask }));
  const message = { role: "assistant", content: typeof said === "string" ? said : "" };
  return { finish: calls.length > 0 ? "tool_calls" : "stop", message, calls, usage: { inputTokens: 10 } };
}

function setUp({ says, judge = {}, request = {}, options = {}, tools }: Stage) {
  const trial = judge instanceof TrialJudge ? judge : judge && new TrialJudge({ idempotencyKey: KEY, ...judge });
  const controller = new AbortController();
  const lines: LogLine[] = [];
  const hooks: AdapterHooks = {
    signal: controller.signal,
    onPartial: () => undefined,
    onLog: (line) => void lines.push(line),
    ...trial?.hooks,
  };
  const made: AllowedCall[] = [];
  const asked: (readonly TurnRound[])[] = [];
  const run = (again: Partial<AdapterRequest> = {}) =>
    runTurn({
      request: { ...REQUEST, ...request, ...again },
      hooks,
      model: (rounds) => {
        asked.push([...rounds]);
        return Promise.resolve(say(says[Math.min(rounds.length, says.length - 1)] ?? ""));
      },
      tools: (call, signal) => {
        made.push(call);
        return tools === undefined ? Promise.resolve({ done: call.tool }) : tools(call, signal);
      },
      textOf: ({ content = null }) => jsonToText(content),
      ...options,
    });
  const resume = () => run({ resume: required(trial).resume(), segment: 1 });
  return { run, resume, trial: trial ?? new TrialJudge({ idempotencyKey: KEY }), controller, lines, made, asked };
}

function required<T>(value: T | null): T {
  if (value === null) throw new Error("missing");
  return value;
}

const ids = (calls: readonly AllowedCall[]): readonly string[] => calls.map(({ callId }) => callId.slice(KEY.length));
const outcomesOf = (rounds: readonly TurnRound[]): readonly (readonly CallOutcome[])[] =>
  rounds.map(({ outcomes }) => outcomes);

describe("a turn that nothing interrupts", () => {
  it("reports each round before its calls and each result before the next round", async () => {
    const { run, trial, made } = setUp({ says: [[{ tool: "a" }, { tool: "b" }], [{ tool: "c" }], "Done."] });
    const end = await run();
    expect(end).toMatchObject({ kind: "answered", text: "Done." });
    expect(trial.steps.map((step) => (step.kind === "round" ? step.round : step.callId.slice(KEY.length)))).toEqual([
      0,
      "/0/0",
      "/0/1",
      1,
      "/1/0",
      2,
    ]);
    expect(made.map(({ tool, callId }) => [tool, callId.slice(KEY.length)])).toEqual([
      ["a", "/0/0"],
      ["b", "/0/1"],
      ["c", "/1/0"],
    ]);
  });

  it("makes the calls of a round side by side", async () => {
    let under = 0;
    let most = 0;
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const { run } = setUp({
      says: [[{ tool: "a" }, { tool: "b" }, { tool: "c" }], "Done."],
      tools: async () => {
        under += 1;
        most = Math.max(most, under);
        if (under === 3) open();
        await gate;
        under -= 1;
        return null;
      },
    });
    await run();
    expect(most).toBe(3);
  });

  it("runs without a judge, for as many rounds as it may", async () => {
    const { run, made } = setUp({ judge: null, says: [[{ tool: "a" }], "Done."] });
    expect(await run()).toMatchObject({ kind: "answered", text: "Done." });
    expect(ids(made)).toEqual(["/0/0"]);
    const endless = setUp({ judge: null, says: [[{ tool: "a" }]], options: { roundsMax: 3 } });
    expect(await endless.run()).toMatchObject({ kind: "endless" });
    expect(endless.made).toHaveLength(3);
  });

  it("gives a failed call to the model as an error", async () => {
    const { run, asked } = setUp({
      says: [[{ tool: "a" }], "Done."],
      tools: () => Promise.reject(new Error("No such order.")),
    });
    expect(await run()).toMatchObject({ kind: "answered" });
    expect(outcomesOf(asked[1] ?? [])).toEqual([[{ kind: "error", result: "No such order." }]]);
  });

  it("ends with what a failed call of the model gave, and reports no round for it", async () => {
    const result = { status: "failed", failure: "provider_error", message: "Overloaded." } as const;
    const { run, trial } = setUp({ says: [], options: { model: () => Promise.resolve(result) } });
    expect(await run()).toEqual({ kind: "failed", result, rounds: [] });
    expect(trial.steps).toEqual([]);
  });
});

describe("rulings", () => {
  it("tells the model what was denied, and makes the other calls", async () => {
    const { run, made, asked } = setUp({
      says: [[{ tool: "a" }, { tool: "b" }], "Done."],
      judge: {
        rule: ({ tool }) => (tool === "a" ? { disposition: "deny", reason: "Not today." } : { disposition: "allow" }),
      },
    });
    await run();
    expect(ids(made)).toEqual(["/0/1"]);
    expect(outcomesOf(asked[1] ?? [])).toEqual([
      [
        { kind: "denied", result: "Not today." },
        { kind: "result", result: { done: "b" } },
      ],
    ]);
  });

  it("calls with the args of the ruling, and passes its note on", async () => {
    const { run, made, asked } = setUp({
      says: [[{ tool: "refund", args: { amount: 900 } }], "Done."],
      judge: { rule: () => ({ disposition: "allow", args: { amount: 450 }, note: "A person made it 450." }) },
    });
    await run();
    expect(made.map(({ args }) => args)).toEqual([{ amount: 450 }]);
    expect(outcomesOf(asked[1] ?? [])).toEqual([
      [{ kind: "result", result: { done: "refund" }, note: "A person made it 450." }],
    ]);
  });

  it("suspends once, after the allowed calls have reported, and continues with the answers", async () => {
    const { run, resume, trial, made, asked } = setUp({
      says: [[{ tool: "held" }, { tool: "free" }, { tool: "held" }], "Done."],
      judge: { rule: ({ tool }) => ({ disposition: tool === "held" ? "suspend" : "allow" }) },
    });
    expect(await run()).toMatchObject({ kind: "suspended" });
    expect(ids(made)).toEqual(["/0/1"]);
    expect(trial.hasResult(`${KEY}/0/1`)).toBe(true);
    expect(asked).toHaveLength(1);
    trial.answer(`${KEY}/0/0`, { disposition: "allow", args: { amount: 450 }, note: "Changed." });
    trial.answer(`${KEY}/0/2`, { disposition: "deny", reason: "No." });
    expect(await resume()).toMatchObject({ kind: "answered", text: "Done." });
    expect(ids(made)).toEqual(["/0/1", "/0/0"]);
    expect(outcomesOf(asked[1] ?? [])[0]?.map(outcomeText)).toEqual([
      'Changed.\n{"done":"held"}',
      '{"done":"free"}',
      "The call was denied and not made: No.",
    ]);
  });

  it("stays suspended while an answer is missing", async () => {
    const { run, resume, made } = setUp({
      says: [[{ tool: "held" }], "Done."],
      judge: { rule: () => ({ disposition: "suspend" }) },
    });
    await run();
    expect(await resume()).toMatchObject({ kind: "suspended" });
    expect(made).toEqual([]);
  });

  it("makes no call of a round after which it is stopped, and asks about them when it continues", async () => {
    const { run, resume, trial, made } = setUp({
      says: [[{ tool: "a", server: "s" }], "Done."],
      judge: { stops: (round) => round === 0 },
    });
    expect(await run()).toMatchObject({ kind: "suspended" });
    expect(made).toEqual([]);
    expect(await resume()).toMatchObject({ kind: "answered" });
    expect(made).toEqual([{ callId: `${KEY}/0/0`, round: 0, position: 0, tool: "a", server: "s", args: {} }]);
    expect(trial.steps.map(({ kind }) => kind)).toEqual(["round", "ask", "result", "round"]);
  });
});

describe("calls nothing can be called with", () => {
  const schema = { type: "object", properties: { amount: { type: "number" } }, required: ["amount"] };
  const describeTool = () => ({ schema });

  it.each<[unknown, string]>([
    ["{broken", "The arguments of a tool must be a JSON object."],
    [[1], "The arguments of a tool must be a JSON object."],
    [{ amount: "9" }, 'The arguments do not fit the schema of the tool: "amount" must be number, got "9".'],
    [undefined, 'The arguments do not fit the schema of the tool: "amount" is missing.'],
  ])("%j is an error for the model, and no judge is asked", async (args, reason) => {
    const { run, trial, made, asked } = setUp({
      says: [
        [
          { tool: "a", args },
          { tool: "b", args: { amount: 1 } },
        ],
        "Done.",
      ],
      options: { describe: describeTool },
    });
    expect(await run()).toMatchObject({ kind: "answered" });
    expect(made.map(({ callId, position, tool }) => [callId, position, tool])).toEqual([[`${KEY}/0/0`, 1, "b"]]);
    expect(trial.calls.map(({ call }) => call)).toEqual([{ tool: "b", args: { amount: 1 }, schema }]);
    expect(outcomesOf(asked[1] ?? [])).toEqual([
      [
        { kind: "malformed", result: reason },
        { kind: "result", result: { done: "b" } },
      ],
    ]);
  });

  it("are still known when the turn continues elsewhere", async () => {
    const judge = new TrialJudge({ idempotencyKey: KEY, rule: () => ({ disposition: "suspend" }) });
    const says = [
      [{ tool: "a", args: 7 }, { tool: "b" }, { tool: "c", args: null }, { tool: "d", args: "x" }],
      "Done.",
    ];
    await setUp({ says, judge }).run();
    judge.answer(`${KEY}/0/0`, { disposition: "allow" });
    judge.answer(`${KEY}/0/1`, { disposition: "deny", reason: "No." });
    const { resume, asked, made } = setUp({ says, judge });
    expect(await resume()).toMatchObject({ kind: "answered" });
    expect(made.map(({ position, tool }) => [position, tool])).toEqual([[1, "b"]]);
    expect(outcomesOf(asked[0] ?? [])[0]?.map(({ kind }) => kind)).toEqual([
      "malformed",
      "result",
      "denied",
      "malformed",
    ]);
    expect(asked[0]?.[0]?.message).toEqual({ role: "assistant", content: "" });
  });

  it("end the turn of a model that asks for nothing else", async () => {
    const { run, asked } = setUp({ says: [[{ tool: "a", args: 1 }]] });
    expect(await run()).toMatchObject({ kind: "endless" });
    expect(asked).toHaveLength(4);
    const says = [
      ...Array.from({ length: 3 }, () => [{ tool: "a", args: 1 }]),
      [{ tool: "a" }],
      [{ tool: "a", args: 1 }],
      "Done.",
    ];
    expect(await setUp({ says }).run()).toMatchObject({ kind: "answered" });
  });

  it.each([
    [127, 0],
    [128, 0],
    [129, 1],
  ])("of %i calls in one round, %i are too many", async (count, left) => {
    const { run, made, asked } = setUp({ says: [Array.from({ length: count }, () => ({ tool: "a" })), "Done."] });
    await run();
    expect(made).toHaveLength(count - left);
    expect(outcomesOf(asked[1] ?? [])[0]?.filter(({ kind }) => kind === "malformed")).toHaveLength(left);
  });
});

describe("answers that do not fit", () => {
  const correct = (text: string) => (text === "good" ? null : `Not ${text}.`);

  it("are corrected once in an execution", async () => {
    const fixed = setUp({ says: ["bad", "good"], options: { correct } });
    expect(await fixed.run()).toMatchObject({ kind: "answered", text: "good" });
    expect(fixed.asked[1]).toEqual([
      { message: { role: "assistant", content: "bad" }, outcomes: [], correction: "Not bad." },
    ]);
    const lost = setUp({ says: ["bad", "worse", "good"], options: { correct } });
    expect(await lost.run()).toMatchObject({ kind: "answered", text: "worse" });
    expect(await lost.resume()).toMatchObject({ kind: "answered", text: "good" });
    expect(lost.asked[2]?.map(({ correction }) => correction)).toEqual(["Not bad.", "Not worse."]);
  });

  it("are asked for again by a new attempt, and only by one", async () => {
    const { run, resume, trial, asked } = setUp({ says: ["first", "second"] });
    await run();
    expect(await resume()).toMatchObject({ kind: "answered", text: "first" });
    expect(asked).toHaveLength(1);
    expect(await run({ resume: trial.resume(), attempt: 2 })).toMatchObject({ kind: "answered", text: "second" });
    expect(asked[1]?.[0]?.correction).toBe("Your last answer was not accepted. Answer again, completely.");
  });
});

describe("the end of an attempt", () => {
  it("is that of the turn: a rejected report ends it, and what runs is aborted", async () => {
    const aborted: string[] = [];
    const { run, lines, asked } = setUp({
      says: [[{ tool: "quick" }, { tool: "slow" }], "Done."],
      judge: {
        watch: ({ kind }) => {
          if (kind === "result") throw new Error("The attempt is over.");
        },
      },
      tools: ({ tool }, signal) =>
        tool === "quick"
          ? Promise.resolve(null)
          : new Promise((_, reject) => {
              signal.addEventListener("abort", () => {
                aborted.push(tool);
                reject(new Error("aborted"));
              });
            }),
    });
    expect(await run()).toMatchObject({ kind: "over" });
    expect(aborted).toEqual(["slow"]);
    expect(asked).toHaveLength(1);
    expect(lines.at(-1)).toEqual({ level: "warning", message: "The turn ends here: The attempt is over." });
  });

  it("comes with its signal, even when a tool does not listen to it", async () => {
    const { run, controller, trial } = setUp({
      says: [[{ tool: "deaf" }], "Done."],
      tools: () => {
        controller.abort();
        return new Promise(() => undefined);
      },
    });
    expect(await run()).toMatchObject({ kind: "over" });
    expect(trial.steps).toEqual([{ kind: "round", round: 0 }]);
  });

  it("leaves the result of an aborted call open", async () => {
    const { run, controller, trial } = setUp({
      says: [[{ tool: "a" }], "Done."],
      tools: () => {
        controller.abort();
        return Promise.reject(new Error("broken off"));
      },
    });
    expect(await run()).toMatchObject({ kind: "over" });
    expect(trial.hasResult(`${KEY}/0/0`)).toBe(false);
  });
});

describe("the time a call may take", () => {
  const timeoutMs = 5_000;
  const limited = (says: Stage["says"], tools: Stage["tools"]) => {
    const timers: { readonly ms: number; readonly fire: () => void; isStopped: boolean }[] = [];
    const stage = setUp({
      says,
      ...(tools === undefined ? {} : { tools }),
      judge: { rule: ({ tool }) => ({ disposition: "allow", ...(tool === "free" ? {} : { timeoutMs }) }) },
      options: {
        after: (ms, fire) => {
          const timer = { ms, fire, isStopped: false };
          timers.push(timer);
          return () => void (timer.isStopped = true);
        },
      },
    });
    return { ...stage, timers };
  };

  it("is counted only where the ruling has one, and no longer than the call takes", async () => {
    const { run, timers } = limited([[{ tool: "a" }, { tool: "free" }], "Done."], undefined);
    expect(await run()).toMatchObject({ kind: "answered" });
    expect(timers.map(({ ms, isStopped }) => [ms, isStopped])).toEqual([[timeoutMs, true]]);
  });

  it.each(["deaf", "listening", "obliging"])(
    "ends a %s tool with an error that is reported and given to the model",
    async (kind) => {
      const aborted: string[] = [];
      const { run, resume, timers, trial, asked, made } = limited(
        [[{ tool: "slow", server: "s" }, { tool: "b" }], "Done."],
        (call, signal) => {
          if (call.tool === "b") return Promise.resolve("quick");
          queueMicrotask(() => timers[0]?.fire());
          return new Promise((resolve, reject) => {
            signal.addEventListener("abort", () => {
              aborted.push(call.tool);
              if (kind === "listening") reject(new Error("aborted"));
              if (kind === "obliging") resolve("late");
            });
          });
        },
      );
      expect(await run()).toMatchObject({ kind: "answered", text: "Done." });
      expect(aborted).toEqual(["slow"]);
      const [late, quick] = outcomesOf(asked[1] ?? [])[0] ?? [];
      expect(late).toEqual({
        kind: "error",
        result:
          "tool_timeout: s/slow did not answer within 5000 ms, and the call was ended. It may have taken effect nevertheless.",
      });
      expect(quick).toMatchObject({ kind: "result", result: "quick" });
      expect(trial.hasResult(`${KEY}/0/0`)).toBe(true);
      await resume();
      expect(made).toHaveLength(2);
    },
  );

  it("does not outlast the attempt", async () => {
    const { run, timers, controller } = limited([[{ tool: "slow" }], "Done."], () => {
      queueMicrotask(() => controller.abort());
      return new Promise(() => undefined);
    });
    expect(await run()).toMatchObject({ kind: "over" });
    expect(timers[0]?.isStopped).toBe(true);
  });
});

describe("what a person has made of a message", () => {
  it.each<[Json]>([
    ["just text"],
    [null],
    [{ content: "x", malformed: "odd" }],
    [{ content: "x", malformed: [1, {}] }],
  ])("%j is taken as far as it can be read", async (message) => {
    const { run, asked } = setUp({ says: ["unused", "Done."], request: { attempt: 2 }, judge: null });
    const end = await run({ resume: { rounds: [{ message, calls: [] }], results: {} } });
    expect(end).toMatchObject({ kind: "answered", text: "Done." });
    expect(Object.keys(asked[0]?.[0]?.message as JsonObject)).toEqual(["content"]);
  });
});

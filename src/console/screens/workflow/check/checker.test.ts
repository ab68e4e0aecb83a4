import { describe, expect, it } from "vitest";
import { reduceRun } from "../../../../client/index.ts";
import { answerQuestion } from "./answer-question.ts";
import { Checker, type Port } from "./checker.ts";
import type { CheckReport, Question, Reply } from "./protocol.ts";

const GOOD =
  "name: a\nargs:\n  who: { type: string, required: true }\nsteps:\n  - { id: x, command: 'Hello ${who}' }\n  - { id: y, command: 'Again ${x.stdout}' }\n";

const MADE_UP = { kind: "script", script: "" } as const;

function fake() {
  const asked: Question[] = [];
  const timers = new Set<() => void>();
  let hear: (reply: Reply) => void = () => undefined;
  let isClosed = false;
  const checker = new Checker({
    open: (onReply): Port => {
      hear = onReply;
      return {
        post: (question) => asked.push(question),
        close: () => {
          isClosed = true;
        },
      };
    },
    after: (_, run) => {
      timers.add(run);
      return () => timers.delete(run);
    },
  });
  const tick = (): void => {
    const due = Array.from(timers);
    timers.clear();
    for (const run of due) run();
  };
  return { checker, asked, tick, hear: (reply: Reply) => hear(reply), isClosed: () => isClosed };
}

const report = (message: string): CheckReport => ({
  plan: null,
  warnings: [],
  problems: [{ code: "yaml_empty", message, path: "", line: 1, column: 1 }],
});

describe("checking while somebody types", () => {
  it("asks for the newest text only, and once at a time", () => {
    const { checker, asked, tick, hear } = fake();
    const reports: CheckReport[] = [];
    checker.check("1", (one) => reports.push(one));
    checker.check("2", (one) => reports.push(one));
    tick();
    expect(asked).toMatchObject([{ type: "check", source: "2" }]);
    checker.check("3", (one) => reports.push(one));
    tick();
    expect(asked).toHaveLength(1);
    hear({ type: "checked", id: asked[0]?.id ?? 0, report: report("of 2") });
    expect(reports).toEqual([]);
    expect(asked).toMatchObject([{}, { source: "3" }]);
    hear({ type: "checked", id: asked[0]?.id ?? 0, report: report("of 2 again") });
    hear({ type: "checked", id: asked[1]?.id ?? 0, report: report("of 3") });
    expect(reports).toEqual([report("of 3")]);
  });

  it("gives simulations back to whom they belong, and closes", async () => {
    const { checker, asked, hear, isClosed } = fake();
    const first = checker.simulate("a", {}, MADE_UP);
    const second = checker.simulate("b", {}, MADE_UP);
    hear({ type: "simulated", id: asked[1]?.id ?? 0, simulation: { ok: false, problems: [] } });
    hear({ type: "simulated", id: asked[0]?.id ?? 0, simulation: { ok: true, events: [] } });
    expect(await first).toEqual({ ok: true, events: [] });
    expect(await second).toEqual({ ok: false, problems: [] });
    checker.close();
    expect(isClosed()).toBe(true);
  });
});

describe("the script beside the page", () => {
  it("checks as the server does", async () => {
    expect(
      await answerQuestion({ type: "check", id: 1, source: "name: a\nsteps:\n  - { id: x, comand: y }\n" }),
    ).toMatchObject({
      type: "checked",
      report: {
        plan: null,
        problems: [
          { code: "missing_command", line: 3 },
          { code: "unknown_key", line: 3 },
        ],
      },
    });
    expect(await answerQuestion({ type: "check", id: 2, source: GOOD })).toMatchObject({
      report: {
        problems: [],
        plan: {
          name: "a",
          nodes: [
            { id: "x", dependsOn: [] },
            { id: "y", dependsOn: ["x"] },
          ],
        },
      },
    });
  });

  async function simulated(source: string, script: string, args = { who: "Ada" }) {
    const reply = await answerQuestion({
      type: "simulate",
      id: 1,
      source,
      args,
      answers: { kind: "script", script },
    });
    if (reply.type !== "simulated") throw new Error("another question was answered");
    return reply.simulation;
  }

  it("simulates with scripted answers", async () => {
    const simulation = await simulated(GOOD, "nodes: { x: { stdout: hi, cost_usd: 0.5 } }");
    if (!simulation.ok) throw new Error(JSON.stringify(simulation.problems));
    const view = reduceRun(simulation.events);
    expect(view.status).toBe("completed");
    expect(view.costMicros).toBe(500_000);
  });

  it("makes up what nobody has scripted, within its contract", async () => {
    const source = `name: b
steps:
  - id: x
    command: Classify
    outputs:
      kind: { type: string, enum: [saas, other] }
      score: { type: integer, minimum: 3, maximum: 9 }
      items: { type: array, items: { type: number } }
      note: { type: string, minLength: 40 }
      ok: boolean
`;
    const simulation = await simulated(source, "", {} as never);
    if (!simulation.ok) throw new Error(JSON.stringify(simulation.problems));
    expect(reduceRun(simulation.events).status).toBe("completed");
  });

  it("says what keeps it from beginning", async () => {
    expect(await simulated(GOOD, "- a")).toMatchObject({ ok: false, problems: [{ line: 1 }] });
    expect(await simulated(GOOD, "nodes: { x: text }")).toMatchObject({
      ok: false,
      problems: [{ code: "wrong_type" }],
    });
    expect(await simulated(GOOD, "", {} as never)).toMatchObject({ ok: false });
    expect(await simulated("name: c\nsteps:\n  - { id: x, approval: required }\n", "")).toMatchObject({
      ok: false,
      problems: [{ code: "not_runnable_in_browser", nodeId: "x" }],
    });
    expect(await simulated(GOOD, "nodes: { x: { fail: provider_auth } }")).toMatchObject({ ok: true });
  });
});

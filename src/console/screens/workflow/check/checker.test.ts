import { describe, expect, it } from "vitest";
import { reduceRun } from "../../../../client/index.ts";
import type { RunEvent } from "../../../../core/event/index.ts";
import { Answerer } from "./answerer.ts";
import { Checker, type Port } from "./checker.ts";
import type { CheckReport, Question, Reply } from "./protocol.ts";

const GOOD =
  "name: a\nargs:\n  who: { type: string, required: true }\nsteps:\n  - { id: x, command: 'Hello ${who}' }\n  - { id: y, command: 'Again ${x.stdout}' }\n";

const MADE_UP = { kind: "script", script: "" } as const;

function fake() {
  const asked: Question[] = [];
  const timers = new Set<() => void>();
  let receive: (reply: Reply) => void = () => undefined;
  let isClosed = false;
  const checker = new Checker({
    open: (onReply): Port => {
      receive = onReply;
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
  return { checker, asked, tick, receive: (reply: Reply) => receive(reply), isClosed: () => isClosed };
}

const report = (message: string): CheckReport => ({
  plan: null,
  outline: null,
  warnings: [],
  problems: [{ code: "yaml_empty", message, path: "", line: 1, column: 1 }],
});

describe("checking while a person types", () => {
  it("asks for the newest text only, and once at a time", () => {
    const { checker, asked, tick, receive } = fake();
    const reports: CheckReport[] = [];
    checker.check("1", (one) => reports.push(one));
    checker.check("2", (one) => reports.push(one));
    tick();
    expect(asked).toMatchObject([{ type: "check", source: "2" }]);
    checker.check("3", (one) => reports.push(one));
    tick();
    expect(asked).toHaveLength(1);
    receive({ type: "checked", id: asked[0]?.id ?? 0, report: report("of 2") });
    expect(reports).toEqual([]);
    expect(asked).toMatchObject([{}, { source: "3" }]);
    receive({ type: "checked", id: asked[0]?.id ?? 0, report: report("of 2 again") });
    receive({ type: "checked", id: asked[1]?.id ?? 0, report: report("of 3") });
    expect(reports).toEqual([report("of 3")]);
  });

  it("gives simulations back to whom they belong, and closes", async () => {
    const { checker, asked, receive, isClosed } = fake();
    const received: string[] = [];
    const first = checker.simulate("a", {}, MADE_UP, () => received.push("first"));
    const second = checker.simulate("b", {}, MADE_UP, () => received.push("second"));
    const [one, other] = [asked[0]?.id ?? 0, asked[1]?.id ?? 0];
    receive({ type: "progress", id: other, events: [] });
    receive({ type: "progress", id: one, events: [] });
    first.stop();
    expect(asked.at(-1)).toEqual({ type: "stop", id: one });
    receive({ type: "simulated", id: other, simulation: { ok: false, problems: [] } });
    receive({ type: "simulated", id: one, simulation: { ok: true } });
    receive({ type: "progress", id: one, events: [] });
    expect(await first.done).toEqual({ ok: true });
    expect(await second.done).toEqual({ ok: false, problems: [] });
    expect(received).toEqual(["second", "first"]);
    checker.close();
    expect(isClosed()).toBe(true);
  });
});

describe("a question that fails in the script", () => {
  it("fails alone: what is asked next is answered", async () => {
    const { checker, asked, tick, receive } = fake();
    const idOf = (index: number): number => asked[index]?.id ?? 0;
    const edit = checker.edit("a", { kind: "delete", paths: [] });
    const copy = checker.copy("a", []);
    receive({ type: "failed", id: idOf(0), message: "broken" });
    receive({ type: "failed", id: idOf(1), message: "broken too" });
    await expect(edit).rejects.toThrow("broken");
    await expect(copy).rejects.toThrow("broken too");
    const reports: CheckReport[] = [];
    checker.check("1", (one) => reports.push(one));
    tick();
    receive({ type: "failed", id: idOf(2), message: "broken" });
    checker.check("2", (one) => reports.push(one));
    tick();
    receive({ type: "checked", id: idOf(3), report: report("of 2") });
    expect(reports).toEqual([report("of 2")]);
  });
});

/** What the script replies to one question, in order. */
async function answersTo(question: Question): Promise<readonly Reply[]> {
  const replies: Reply[] = [];
  const answerer = new Answerer({ reply: (reply) => replies.push(reply), soon: (run) => queueMicrotask(run) });
  await answerer.take(question);
  return replies;
}

describe("the script beside the page", () => {
  it("replies to a question that it fails at", async () => {
    const broken = { type: "edit", id: 4, source: "name: a", edit: null } as unknown as Question;
    expect(await answersTo(broken)).toMatchObject([{ type: "failed", id: 4 }]);
  });

  it("checks as the server does", async () => {
    expect(
      (await answersTo({ type: "check", id: 1, source: "name: a\nsteps:\n  - { id: x, comand: y }\n" }))[0],
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
    expect((await answersTo({ type: "check", id: 2, source: GOOD }))[0]).toMatchObject({
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
    const replies = await answersTo({ type: "simulate", id: 1, source, args, answers: { kind: "script", script } });
    const last = replies.at(-1);
    if (last?.type !== "simulated") throw new Error("another question was answered");
    const events = replies.flatMap((reply): readonly RunEvent[] => (reply.type === "progress" ? reply.events : []));
    return { ...last.simulation, events };
  }

  it("simulates with scripted answers", async () => {
    const simulation = await simulated(GOOD, "nodes: { x: { stdout: hi, cost_usd: 0.5 } }");
    if (!simulation.ok) throw new Error(JSON.stringify(simulation.problems));
    const view = reduceRun(simulation.events);
    expect(view.status).toBe("completed");
    expect(view.costMicros).toBe(500_000);
  });

  it("makes up what is not scripted, within its contract", async () => {
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

  it("reports what keeps it from beginning", async () => {
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

  it("sends events as they happen, and stops when asked to", async () => {
    const replies: Reply[] = [];
    const answerer = new Answerer({ reply: (reply) => replies.push(reply), soon: (run) => queueMicrotask(run) });
    // A service that cannot be reached, called again and again after longer and longer pauses.
    const source =
      "name: slow\nsteps:\n  - { id: x, command: Hello, on_failure: retry, retry: { attempts: 5, backoff_ms: 3600000 } }\n";
    const answers = { kind: "model", baseUrl: "http://127.0.0.1:1/v1", model: "m", apiKey: "" } as const;
    const done = answerer.take({ type: "simulate", id: 7, source, args: {}, answers });
    const eventTypes = () =>
      replies.flatMap((reply) => (reply.type === "progress" ? reply.events.map(({ type }) => type) : []));
    await expect.poll(eventTypes).toContain("node.started");
    expect(replies.some(({ type }) => type === "simulated")).toBe(false);
    await answerer.take({ type: "stop", id: 7 });
    await done;
    expect(eventTypes().at(-1)).toBe("run.cancelled");
    expect(replies.at(-1)).toEqual({ type: "simulated", id: 7, simulation: { ok: true } });
    await answerer.take({ type: "stop", id: 7 });
    expect(replies.at(-1)).toMatchObject({ type: "simulated" });
  });
});

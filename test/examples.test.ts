import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EMPTY_SCRIPT, readScript } from "../src/adapters/index.ts";
import { checkSource, type Plan } from "../src/core/plan/index.ts";
import { projectRun, projectView, reduceRun, outlineOf, type RunProjection } from "../src/core/view/index.ts";
import { REPOSITORY } from "./law/source.ts";
import { play } from "./own/play.ts";

const FOLDER = join(REPOSITORY, "examples");
const files = readdirSync(FOLDER);
const workflows = files.filter(
  (file) => file.endsWith(".lobsterX") || /^(?:07-lens-graph|11-moderation|25-lens-blocks)\.yaml$/.test(file),
);
const scripts = files.filter((file) => file.endsWith(".script.yaml"));
const read = (file: string): string => readFileSync(join(FOLDER, file), "utf8");

function planOf(file: string): Plan {
  const { plan, problems } = checkSource(read(file), { library: null, lenses: null, workflows: null });
  if (plan === null) throw new Error(`${file}: ${JSON.stringify(problems)}`);
  return plan;
}

const children = Object.fromEntries(workflows.map((file) => [planOf(file).name, read(file)]));

/** Runs an example in virtual time, and answers every approval the same way. */
async function run(
  file: string,
  given: { script?: string; args?: Record<string, string | number>; decision?: "approve" | "reject" } = {},
): Promise<RunProjection> {
  const script = given.script === undefined ? EMPTY_SCRIPT : readScript(read(given.script)).script;
  const wanted = given.decision ?? "approve";
  const { state, log } = await play(
    read(file),
    {
      children,
      script,
      answer: async ({ choices }) => {
        const decision = choices.includes(wanted) ? wanted : "retry";
        return { decision, by: "user:test", reason: "as the test says" };
      },
    },
    given.args ?? {},
  );
  const { plan, runId } = state;
  const projection = projectRun(state, { workflowId: plan.name });
  const view = reduceRun(log, outlineOf(plan));
  expect(projectView(view, { workflowId: plan.name, runId })).toEqual(projection);
  return projection;
}

const statuses = (projection: RunProjection): Record<string, string> =>
  Object.fromEntries(projection.nodeResults.map(({ nodeId, status }) => [nodeId, status]));
const outputsOf = (projection: RunProjection, nodeId: string): unknown =>
  projection.nodeResults.find((result) => result.nodeId === nodeId)?.outputs;

describe("examples", () => {
  it("are all listed and say what they show and how to run them", () => {
    const readme = read("README.md");
    for (const file of workflows) expect(readme).toContain(`(${file})`);
    for (const file of [...workflows, ...scripts]) {
      const [first = "", ...rest] = read(file).split("\n");
      expect(first, file).toMatch(/^# Shows: \S/);
      const command = rest.find((line) => line.startsWith("# Run:"));
      expect(command, file).toContain("bin/sluice run examples/");
      for (const [path] of command?.matchAll(/examples\/[\w.-]+/g) ?? []) expect(files).toContain(path.slice(9));
    }
  });

  it.each(workflows)("%s has no problem and no warning", (file) => {
    const { problems, warnings } = checkSource(read(file), { library: null, lenses: null, workflows: null });
    expect([...problems, ...warnings]).toEqual([]);
  });

  it.each(scripts)("%s has no problem", (file) => {
    expect(readScript(read(file)).problems).toEqual([]);
  });

  const wanted: Record<string, Record<string, string>> = {
    "02-diamond.lobsterX": { city: "Lisbon" },
    "06-child.lobsterX": { subject: "bees" },
    "07-lens-graph.yaml": { question: "Why is the sky blue?" },
    "25-lens-blocks.yaml": { question: "Why is the sky blue?" },
  };

  it.each(workflows)("%s completes without a script", async (file) => {
    expect(await run(file, { args: wanted[file] ?? {} })).toMatchObject({ status: "completed", failedCount: 0 });
  });
});

describe("examples with their scripts", () => {
  it("01: what is scripted is what comes out", async () => {
    const projection = await run("01-hello.lobsterX", { script: "01-hello.script.yaml" });
    expect(projection).toMatchObject({ status: "completed", costMicros: 400 });
    expect(projection.nodeResults[0]?.output).toBe("Good morning, and welcome aboard!");
  });

  it("03: the approval opens one branch, the rejection the other", async () => {
    const script = "03-approval.script.yaml";
    const approved = await run("03-approval.lobsterX", { script, decision: "approve" });
    expect(approved.status).toBe("completed");
    expect(statuses(approved)).toEqual({
      draft: "completed",
      picture: "skipped",
      release: "completed",
      publish: "completed",
      file_away: "skipped",
    });
    const rejected = await run("03-approval.lobsterX", { script, decision: "reject" });
    expect(rejected.status).toBe("completed");
    expect(statuses(rejected)).toMatchObject({ release: "completed", publish: "skipped", file_away: "completed" });
  });

  it("04: a busy supplier is asked again, a failing check goes to a person", async () => {
    const projection = await run("04-retry-and-escalate.lobsterX", { script: "04-retry-and-escalate.script.yaml" });
    expect(projection.status).toBe("completed");
    const attempts = Object.fromEntries(projection.nodeResults.map(({ nodeId, attempts: count }) => [nodeId, count]));
    expect(attempts).toEqual({ fetch: 2, check: 3, store: 1 });
    expect(outputsOf(projection, "check")).toMatchObject({ verdict: "FINE" });
  });

  it("05: one dish in three may stay untranslated", async () => {
    const projection = await run("05-for-each.lobsterX", { script: "05-for-each.script.yaml" });
    expect(projection.status).toBe("completed");
    expect(statuses(projection)).toMatchObject({
      "translate[0]": "completed",
      "translate[1]": "failed",
      menu: "completed",
    });
    expect(outputsOf(projection, "translate")).toMatchObject({ count: 3, failed: 1 });
  });

  it("16: what is calculated is what the run gives, and an early end is one", async () => {
    const projection = await run("16-totals.lobsterX");
    expect(projection.outputs).toMatchObject({
      total: 400,
      letters: ["Dear ann, thank you for 120.", "Dear cleo, thank you for 250."],
    });
    expect(statuses(projection)).toMatchObject({ nothing_large: "skipped", too_much: "skipped", report: "completed" });
    const early = await run("16-totals.lobsterX", { args: { limit: 1_000 } });
    expect(early).toMatchObject({ status: "completed", outputs: { total: 400, large: [] } });
    expect(statuses(early)).toMatchObject({ nothing_large: "completed" });
  });

  it("20: a payment that failed is handled, and what was reserved is released", async () => {
    const projection = await run("20-refund.lobsterX", { script: "20-refund.script.yaml" });
    expect(projection).toMatchObject({ status: "completed", failedCount: 1, outputs: { problem: "provider_error" } });
    expect(statuses(projection)).toEqual({
      reserve: "completed",
      pay: "failed",
      ship: "skipped",
      apologise: "completed",
      release: "completed",
    });
    expect(projection.nodeResults.filter(({ isHandled }) => isHandled).map(({ nodeId }) => nodeId)).toEqual(["pay"]);
  });

  it("21: the first answers are enough, and the slower way is given up", async () => {
    const projection = await run("21-fastest.lobsterX", { script: "21-fastest.script.yaml" });
    expect(projection.status).toBe("completed");
    expect(statuses(projection)).toEqual({
      north: "failed",
      south: "completed",
      east: "completed",
      record: "completed",
      order: "completed",
      call: "completed",
      write: "skipped",
      confirmed: "completed",
    });
  });

  it("18: a text is improved until it is good, and looked for until it is read", async () => {
    const projection = await run("18-revise.lobsterX", { script: "18-revise.script.yaml" });
    expect(projection.outputs).toEqual({ text: "Corn is ripe in August.", rounds: 3, was_seen: true });
    expect(statuses(projection)).toMatchObject({ "revise[2]": "completed", "look[1]": "completed" });
    expect(outputsOf(projection, "look")).toEqual({ readers: 4, rounds: 2, exhausted: false });
  });

  it("17: steps run per element, and the branch that fits is taken", async () => {
    const projection = await run("17-blocks.lobsterX");
    expect(projection).toMatchObject({
      status: "completed",
      outputs: { decisions: ["small: paid 12 for A1", expect.stringMatching(/^large: /u)] },
    });
  });

  it("15: what two people have agreed on is paid, and what they refuse is not", async () => {
    const script = "15-payment.script.yaml";
    const paid = await run("15-payment.lobsterX", { script });
    expect(paid.status).toBe("completed");
    expect(outputsOf(paid, "agree")).toMatchObject({ approved: true, account: "operations" });
    const refused = await run("15-payment.lobsterX", { script, decision: "reject" });
    expect(statuses(refused)).toMatchObject({ invoice: "completed", agree: "failed" });
    expect(statuses(refused)["pay"]).not.toBe("completed");
  });

  it("23: an agent calls tools round by round, and answers", async () => {
    const projection = await run("23-agent-turn.lobsterX", { script: "23-agent-turn.script.yaml" });
    expect(projection).toMatchObject({ status: "completed", costMicros: 45_000 });
    expect(projection.nodeResults[0]?.output).toBe("I have refunded 900.");
  });

  it("24: an agent calls a script and a workflow of its own step, which really run", async () => {
    const projection = await run("24-own-tools.lobsterX", { script: "24-own-tools.script.yaml" });
    expect(projection).toMatchObject({ status: "completed", costMicros: 32_000 });
    expect(projection.nodeResults[0]?.output).toBe("Done: 600 were paid back.");
  });

  it("07: no doubt, no second look", async () => {
    const script = "07-lens-graph.script.yaml";
    const projection = await run("07-lens-graph.yaml", { script, args: { question: "Why?" } });
    expect(projection.status).toBe("completed");
    expect(statuses(projection)).toMatchObject({ judge: "completed", second_look: "skipped", reply: "completed" });
  });

  it.each([
    [1, "mail"],
    [9, "call"],
  ])("24: steps inside the nodes of a graph, with urgency %s by %s", async (urgency, branch) => {
    const projection = await run("25-lens-blocks.yaml", { args: { question: "Why?", urgency } });
    expect(projection.status).toBe("completed");
    expect(outputsOf(projection, "research")).toMatchObject({ found: expect.stringContaining("Read Why?") });
    expect(outputsOf(projection, "reply")).toMatchObject({ branch });
    expect(projection.nodeResults.find(({ nodeId }) => nodeId === "file")?.output).toContain(`File a ${branch}`);
  });

  it("08: sloppy answers become typed outputs", async () => {
    const projection = await run("08-typed-outputs.lobsterX", { script: "08-typed-outputs.script.yaml" });
    expect(projection.status).toBe("completed");
    expect(outputsOf(projection, "read")).toMatchObject({
      supplier: "Blue Harbour Ltd",
      total: 412.5,
      lines: 3,
      is_signed: true,
      tags: ["travel"],
    });
    expect(outputsOf(projection, "decide")).toMatchObject({ decision: "PAY", total: 412.5, is_signed: true });
    expect(statuses(projection)).toMatchObject({ pay: "completed" });
  });

  it("11: an answer that holds a bank card is not kept, and what it cost is", async () => {
    const projection = await run("11-moderation.yaml", { script: "11-moderation.script.yaml" });
    expect(statuses(projection)).toEqual({ summary: "completed", answer: "failed", note: "skipped" });
    expect(projection.nodeResults[1]).toMatchObject({ errorCode: "moderation_blocked", costMicros: 20_000 });
    expect(JSON.stringify(projection)).not.toContain("4111 1111");
  });
});

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createScriptedAdapter, SCRIPTED_PROVIDER } from "../../adapters/index.ts";
import { createVirtualClock } from "../../clock/index.ts";
import { checkArgs, EMPTY_CATALOG } from "../../core/definition/index.ts";
import { checkSource } from "../../core/plan/index.ts";
import { LocalDriver } from "../../driver/index.ts";
import { createAllowAllJudge } from "../../governance/index.ts";
import { DEMO_SCRIPT } from "./script.ts";
import { DEMO_WORKFLOWS } from "./workflows.ts";

describe.each(DEMO_WORKFLOWS)("the demo workflow $name", ({ name, example, source }) => {
  it("is the example under another name, and needs no args", () => {
    const text = readFileSync(new URL(`../../../examples/${example}`, import.meta.url), "utf8");
    const expected = text
      .split("\n")
      .filter((line) => !line.startsWith("#"))
      .join("\n")
      .replace(/^name: .*$/m, `name: ${name}`)
      .replace("city: { type: string, required: true,", "city: { type: string, default: Lisbon,");
    expect(source).toBe(expected);
  });

  it("runs to its end on the demo script, which knows all its nodes", async () => {
    const { plan, problems } = checkSource(source, EMPTY_CATALOG);
    expect(problems).toEqual([]);
    if (plan === null) return;
    const args = checkArgs(plan.args, {});
    expect(args.ok).toBe(true);
    if (!args.ok) return;
    const clock = createVirtualClock(Date.UTC(2026, 0, 1));
    const driver = new LocalDriver({
      adapters: [createScriptedAdapter({ script: DEMO_SCRIPT, clock })],
      clock,
      judge: createAllowAllJudge(new Set([SCRIPTED_PROVIDER]), SCRIPTED_PROVIDER),
      newRunId: () => "run_demo",
      jitter: () => 0.5,
      resolveWorkflow: () => null,
      answerApproval: () => Promise.resolve({ decision: "approve", by: "user:test" }),
    });
    const runId = driver.start({ plan, version: 1, hash: "h" }, args.value, "test");
    const settled = driver.whenSettled(runId);
    let isSettled = false;
    void settled.then(() => (isSettled = true));
    await clock.run(() => isSettled);
    expect((await settled).state.status).toBe("completed");
    driver.close();
    const keys = [...DEMO_SCRIPT.nodes.keys()].filter((key) => key.startsWith(`${name}/`));
    const scripted = new Set(keys.map((key) => key.slice(name.length + 1).replace(/\[.*$/, "")));
    const answered = plan.nodes.filter(({ kind }) => kind !== "gate").map(({ id }) => id);
    expect(scripted).toEqual(new Set(answered));
  });
});

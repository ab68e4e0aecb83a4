import { describe, expect, it } from "vitest";
import type { NodeVerdict, Run, Usage } from "../../../client/index.ts";
import { agentRuns, agentSpend, verdictsOnAgent } from "./agent-figures.ts";

const run = (status: Run["status"], waitingFor: Run["waitingFor"] = null): Run => ({ status, waitingFor }) as Run;

describe("figures of an agent", () => {
  it("count what it does now, and success without cancelled runs", () => {
    const figures = agentRuns([
      run("running"),
      run("running", "person"),
      run("completed"),
      run("failed"),
      run("cancelled"),
      run("completed"),
      run("completed"),
    ]);
    expect(figures).toMatchObject({ ended: 4, successRate: 0.75, needPerson: 1 });
    expect(figures.now).toHaveLength(2);
    expect(agentRuns([]).successRate).toBeNull();
  });

  it("sum what it spent, and what no other did", () => {
    const row = (group: string) => ({ group, costMicros: 5, inputTokens: 2, outputTokens: 1, count: 1 });
    const usage = { data: [row("clerk"), row("other"), row("clerk")] } as unknown as Usage;
    expect(agentSpend(usage, "clerk")).toEqual({ costMicros: 10, tokens: 6, attempts: 2 });
  });

  it("list the verdicts on it in its runs, and not those on others, newest first", () => {
    const verdict = (verdictId: string, at: string, agentId: string) =>
      ({ verdictId, at, facts: { agentId } }) as unknown as NodeVerdict;
    const [old, young] = [{ run: { id: "run_1", workflow: "a" } }, { run: { id: "run_2", workflow: "b" } }];
    const found = verdictsOnAgent("clerk", [
      { ...young, verdicts: [verdict("v4", "2026-01-03T00:00:00.000Z", "clerk")] },
      {
        ...old,
        verdicts: [
          verdict("v1", "2026-01-01T00:00:00.000Z", "clerk"),
          verdict("v2", "2026-01-01T00:00:01.000Z", "other"),
          verdict("v3", "2026-01-04T00:00:00.000Z", "clerk"),
        ],
      },
    ]);
    expect(found.map(({ verdictId, run }) => [verdictId, run.workflow])).toEqual([
      ["v3", "a"],
      ["v4", "b"],
      ["v1", "a"],
    ]);
  });
});

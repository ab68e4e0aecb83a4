import { describe, expect, it } from "vitest";
import type { Run, Usage } from "../../../client/index.ts";
import { agentRuns, agentSpend } from "./agent-figures.ts";

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
});

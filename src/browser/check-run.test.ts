import { describe, expect, it } from "vitest";
import { EMPTY_CATALOG } from "../core/definition/index.ts";
import { checkSource } from "../core/plan/index.ts";
import { checkBrowserRun } from "./index.ts";

function nodesRefused(steps: string, kind?: "scripted"): string[] {
  const { plan, problems } = checkSource(`name: w\nsteps:\n${steps}`, EMPTY_CATALOG);
  if (plan === null) throw new Error(JSON.stringify(problems));
  return checkBrowserRun(plan, kind).map(({ code, nodeId, message }) => {
    expect(code).toBe("not_runnable_in_browser");
    expect(message).toContain(`${nodeId} cannot run in the browser`);
    return nodeId ?? "";
  });
}

describe("the check before a run in a page", () => {
  it("lets through what needs only a model", () => {
    const steps = ["{ id: a, command: A }", "{ id: b, command: B, provider: ai-sdk, model: openai:gpt-5 }"];
    expect(nodesRefused(steps.map((step) => `  - ${step}\n`).join(""))).toEqual([]);
  });

  it.each([
    ["a process", "{ id: a, command: A, provider: process }"],
    ["an MCP server", "{ id: a, command: A, provider: mcp }"],
    ["another provider", "{ id: a, command: A, provider: http }"],
    ["tools", "{ id: a, command: A, tools: [files/read] }"],
  ])("names the node that needs %s, unless a script answers for it", (_, step) => {
    const steps = `  - { id: fine, command: F }\n  - ${step}\n`;
    expect(nodesRefused(steps)).toEqual(["a"]);
    expect(nodesRefused(steps, "scripted")).toEqual([]);
  });

  it.each([
    ["an approval", "{ id: a, approval: required }"],
    ["an approval before a command", "{ id: a, command: A, approval: required }"],
    ["a child run", "{ id: a, workflow_ref: other }"],
    ["an event", "{ id: a, wait: { event: order.paid } }"],
    ["a signal", "{ id: a, wait: { signal: go_on } }"],
    ["a place to emit to", "{ id: a, emit: { type: order.paid } }"],
    ["a person when it fails", "{ id: a, command: A, on_failure: retry_once_then_escalate }"],
  ])("names the node that needs %s, whichever provider answers", (_, step) => {
    expect(nodesRefused(`  - ${step}\n`)).toEqual(["a"]);
    expect(nodesRefused(`  - ${step}\n`, "scripted")).toEqual(["a"]);
  });

  it("names all of them", () => {
    const steps = "  - { id: a, command: A, provider: mcp, tools: [x] }\n  - { id: b, approval: required }\n";
    expect(nodesRefused(steps)).toEqual(["a", "a", "b"]);
  });
});

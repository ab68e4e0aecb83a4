import type { Plan, PlanNode } from "../core/plan/index.ts";
import type { BrowserProvider } from "./provider.ts";

/** The reason why a plan cannot run in a page, or not with these args. */
export interface BrowserProblem {
  readonly code: string;
  readonly message: string;
  /** The node that the problem concerns. Absent when it concerns the whole run. */
  readonly nodeId?: string;
}

/** Provider ids of models that a page can also call. */
const REACHABLE: ReadonlySet<string> = new Set(["ai-sdk", "openai", "openai-compatible"]);

/** Returns a problem for every requirement of a node that a page cannot meet. A plan with problems must not be started. */
export function checkBrowserRun(
  plan: Plan,
  kind: BrowserProvider["kind"] = "openai-compatible",
): readonly BrowserProblem[] {
  return plan.nodes.flatMap((node) =>
    needsOf(node, kind).map((need) => ({
      code: "not_runnable_in_browser",
      message: `${node.id} cannot run in the browser: ${need}. Run the workflow on a server.`,
      nodeId: node.id,
    })),
  );
}

function needsOf(node: PlanNode, kind: BrowserProvider["kind"]): string[] {
  const needs: string[] = [];
  if (node.child !== null) needs.push("it starts a child run");
  if (node.kind === "script") needs.push("it runs a script, which needs the interpreter of a server");
  if (node.approval !== null || node.kind === "gate")
    needs.push("it waits for an approval, and no other person can see it");
  if (node.kind === "emit") needs.push("it emits an event, which only a server keeps");
  if (node.work?.kind === "wait" && "onTimeout" in node.work.wait)
    needs.push("it waits for an event, which only a server receives");
  if (node.onFailure === "escalate") needs.push("it asks a person when it fails, and no other person can see it");
  // A script replaces all calls, so providers and tools need no check.
  if (kind === "scripted") return needs;
  const { provider, tools } = node.request;
  if (provider !== null && !REACHABLE.has(provider)) {
    needs.push(`its provider "${provider}" needs a Bridge (${reasonFor(provider)})`);
  }
  const named = node.body.kind === "lens" ? [...tools, ...node.body.requiredTools] : tools;
  if (named.length > 0) needs.push(`it uses tools (${[...new Set(named)].join(", ")}), which are reached by MCP`);
  return needs;
}

function reasonFor(provider: string): string {
  if (provider === "process") return "it starts a process";
  if (provider === "mcp") return "it calls an MCP server";
  return "a page cannot call it";
}

import type { RunState } from "../core/engine/index.ts";
import type { RequestHints } from "../core/plan/index.ts";

type ScriptTool = Extract<NonNullable<RequestHints["stepTools"]>[number], { kind: "script" }>;

/** Returns the script tool of a step by name, or undefined. An instance has the tools of its node. */
export function scriptToolOf({ plan }: RunState, nodeId: string, tool: string): ScriptTool | undefined {
  const { indexById, nodes } = plan;
  const index = indexById.get(nodeId) ?? indexById.get(nodeId.split("[", 1)[0] ?? nodeId);
  const { stepTools = [] } = (index === undefined ? undefined : nodes[index]?.request) ?? {};
  return stepTools.find((one): one is ScriptTool => one.kind === "script" && one.name === tool);
}

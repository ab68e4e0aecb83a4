import type { TreePath } from "../base/index.ts";
import { isWritten } from "./record.ts";
import type { Report } from "./report.ts";
import type { Located } from "./shape.ts";
import type { RawStep } from "./step-shape.ts";

const WORK = ["command", "workflow_ref", "wait", "emit"] as const;

/** Fields about an agent and its answer: they say nothing about a step that waits or emits. */
const OF_AGENTS = ["stdin", "timeout", "agent", "role", "model", "provider", "tools", "capabilities", "estimated_cost"];

/** A step does one thing. */
export function checkWork({ raw, path }: Located<RawStep>, report: Report): void {
  const written = WORK.filter((name) => isWritten(raw, name));
  const [first, second] = written;
  if (first !== undefined && second !== undefined) {
    const hint =
      second === "workflow_ref" ? "Put the command into a step of its own." : "Put one into a step of its own.";
    conflict(path, second, `A step has either "${first}" or "${second}".`, hint, report);
  }
  const alone = written.find((name) => name === "wait" || name === "emit");
  if (alone === undefined || written.length > 1) return;
  const others = alone === "emit" ? [...OF_AGENTS, "outputs", "success_criteria"] : OF_AGENTS;
  for (const name of others) {
    if (!isWritten(raw, name)) continue;
    const hint = name === "timeout" && alone === "wait" ? "Write wait: { …, timeout: 1h }." : "Remove it.";
    conflict(path, name, `"${name}" says nothing beside "${alone}".`, hint, report);
  }
}

function conflict(path: TreePath, name: string, message: string, hint: string, report: Report): void {
  report.problem("conflicting_fields", [...path, name], message, { isAtKey: true, hint });
}

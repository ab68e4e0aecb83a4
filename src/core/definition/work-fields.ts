import type { Json, TreePath } from "../base/index.ts";
import { isWritten } from "./record.ts";
import type { Report } from "./report.ts";
import type { Located } from "./shape.ts";
import type { RawStep } from "./step-shape.ts";

/** What a step can do beside asking a person; it does one of them. */
const WORK = ["command", "workflow_ref", "set", "script", "cancel", "fail"] as const;

/** Work that needs neither an agent nor a command. */
const BY_ITSELF = ["set", "script", "cancel", "fail"] as const;

/** Fields about an agent and its request. */
const OF_AGENTS = [
  "stdin",
  "agent",
  "role",
  "model",
  "provider",
  "tools",
  "capabilities",
  "queue_timeout",
  "estimated_cost",
  "context_sources",
  "action",
];

/** Fields about attempts and answers: what is only calculated has neither. */
const OF_ATTEMPTS = ["inputs", "outputs", "success_criteria", "timeout", "retry", "effects"];

/** Also when it is written wrongly. */
export function isWorkWritten(raw: Json): boolean {
  return BY_ITSELF.some((name) => isWritten(raw, name));
}

function isByItself(raw: RawStep): boolean {
  return BY_ITSELF.some((name) => raw[name] !== undefined);
}

/** Whether the step has work of its own, so that an approval on it is no gate by itself. */
export function hasWork(raw: RawStep): boolean {
  const hasCommand = raw.command !== undefined && raw.command.text.trim() !== "";
  return hasCommand || raw.workflow_ref !== undefined || isByItself(raw);
}

/** A step does one thing, and has no fields about another. */
export function checkWork({ raw, path }: Located<RawStep>, report: Report): void {
  const [first, second] = WORK.filter((name) => isWritten(raw, name));
  if (first !== undefined && second !== undefined) {
    const what = first === "command" ? "command" : "other";
    const hint = `Put the ${what} into a step of its own.`;
    return conflict(path, second, `A step has either "${first}" or "${second}".`, hint, report);
  }
  const work = BY_ITSELF.find((name) => name === first);
  if (work === undefined) return;
  for (const name of work === "script" ? OF_AGENTS : [...OF_AGENTS, ...OF_ATTEMPTS]) {
    if (isWritten(raw, name)) conflict(path, name, `"${name}" says nothing beside "${work}".`, hintOf(name), report);
  }
  if (work === "cancel" || work === "fail") checkEnd(work, { raw, path }, report);
}

function hintOf(name: string): string {
  if (name === "inputs") return "Write what it reads as ${…} in its values.";
  return name === "outputs" ? "What it sets is declared by itself." : "Remove it.";
}

function checkEnd(work: string, { raw, path }: Pick<Located<RawStep>, "raw" | "path">, report: Report): void {
  for (const name of ["for_each", "on_failure"]) {
    if (!isWritten(raw, name)) continue;
    conflict(path, name, `"${name}" says nothing beside "${work}", which ends the run.`, "Remove it.", report);
  }
}

function conflict(path: TreePath, name: string, message: string, hint: string, report: Report): void {
  report.problem("conflicting_fields", [...path, name], message, { isAtKey: true, hint });
}

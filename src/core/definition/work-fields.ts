import type { Json, TreePath } from "../base/index.ts";
import { isWritten } from "./record.ts";
import type { Report } from "./report.ts";
import type { Located } from "./shape.ts";
import type { RawStep } from "./step-shape.ts";

/** Kinds of work without a command. */
const WORK_WITHOUT_COMMAND = [
  "set",
  "script",
  "function",
  "cancel",
  "fail",
  "wait",
  "emit",
  "steps",
  "choose",
] as const;

/** The kinds of work of a step, besides asking a person. A step has at most one. */
const WORK = ["command", "workflow_ref", ...WORK_WITHOUT_COMMAND] as const;

type WorkWithoutCommand = (typeof WORK_WITHOUT_COMMAND)[number];

/** Fields for an agent and its request. */
const OF_AGENTS = [
  "stdin",
  "agent",
  "role",
  "model",
  "models",
  "provider",
  "tools",
  "turn",
  "capabilities",
  "queue_timeout",
  "estimated_cost",
  "context_sources",
  "action",
];

/** Fields for a model and its prompt. A function runs under an agent, but no model is called. */
const OF_MODELS = ["stdin", "model", "models", "provider", "tools", "turn", "capabilities"];

/** Fields for attempts and answers. Work that is only calculated has neither. */
const OF_ATTEMPTS = ["inputs", "outputs", "success_criteria", "timeout", "retry", "effects"];

/** Fields that a block cannot have. A block has attempts; these fields belong in its steps. */
const NOT_OF_BLOCKS = ["inputs", "effects"];

const OF_EVENTS: ReadonlySet<string> = new Set(["outputs", "success_criteria"]);

/** Checks whether work without a command is written, even if it is invalid. */
export function isWorkWritten(raw: Json): boolean {
  return WORK_WITHOUT_COMMAND.some((name) => isWritten(raw, name));
}

function hasWorkWithoutCommand(raw: RawStep): boolean {
  return WORK_WITHOUT_COMMAND.some((name) => raw[name] !== undefined);
}

/** Checks whether the step has work. An approval on a step with work is not a gate node. */
export function hasWork(raw: RawStep): boolean {
  const hasCommand = raw.command !== undefined && raw.command.text.trim() !== "";
  return hasCommand || raw.workflow_ref !== undefined || hasWorkWithoutCommand(raw);
}

/** Reports a step with two kinds of work, or with fields that do not apply to its work. */
export function checkWork({ raw, path }: Located<RawStep>, report: Report): void {
  const [first, second] = WORK.filter((name) => isWritten(raw, name));
  if (first !== undefined && second !== undefined) {
    const what = first === "command" ? "command" : "other";
    const hint = `Put the ${what} into a step of its own.`;
    return conflict(path, second, `A step has either "${first}" or "${second}".`, hint, report);
  }
  const work = WORK_WITHOUT_COMMAND.find((name) => name === first);
  if (work === undefined) return;
  for (const name of foreignTo(work)) {
    if (isWritten(raw, name))
      conflict(path, name, `"${name}" says nothing beside "${work}".`, hintOf(name, work), report);
  }
  if (work === "cancel" || work === "fail") checkEnd(work, { raw, path }, report);
}

/** Returns the fields that do not apply to a kind of work. A script has attempts, and a wait for an event has outputs. */
function foreignTo(work: WorkWithoutCommand): readonly string[] {
  if (work === "script") return OF_AGENTS;
  if (work === "function") return OF_MODELS;
  if (work === "steps") return [...OF_AGENTS, ...NOT_OF_BLOCKS];
  if (work === "choose") return [...OF_AGENTS, ...NOT_OF_BLOCKS, "outputs"];
  const ofAttempts = work === "wait" ? OF_ATTEMPTS.filter((name) => !OF_EVENTS.has(name)) : OF_ATTEMPTS;
  return [...OF_AGENTS, ...ofAttempts];
}

function hintOf(name: string, work: WorkWithoutCommand): string {
  if (work === "steps" || work === "choose") return hintOfBlock(name);
  if (name === "inputs") return "Write what it reads as ${…} in its values.";
  if (name === "stdin" && work === "function") return "Write it under inputs.";
  if (name === "timeout" && work === "wait") return "Write wait: { …, timeout: 1h }.";
  return name === "outputs" && work === "set" ? "What it sets is declared by itself." : "Remove it.";
}

function hintOfBlock(name: string): string {
  if (name === "inputs") return "Its steps read what they need by name; for a new name use a step with set.";
  return name === "outputs" ? "Write outputs in the branches." : "Write it in the steps inside.";
}

function checkEnd(work: string, { raw, path }: Pick<Located<RawStep>, "raw" | "path">, report: Report): void {
  for (const name of ["for_each", "repeat", "on_failure"]) {
    if (!isWritten(raw, name)) continue;
    conflict(path, name, `"${name}" says nothing beside "${work}", which ends the run.`, "Remove it.", report);
  }
}

function conflict(path: TreePath, name: string, message: string, hint: string, report: Report): void {
  report.problem("conflicting_fields", [...path, name], message, { isAtKey: true, hint });
}

import type { JsonObject } from "../core/base/index.ts";
import type { Decision } from "../core/event/index.ts";

/** The answer of every person who is asked. */
export const APPROVE_ANSWERS = ["all", "reject"] as const;
export type ApproveMode = (typeof APPROVE_ANSWERS)[number];

const WANTED: Readonly<Record<ApproveMode, readonly Decision[]>> = {
  all: ["approve", "retry"],
  reject: ["reject", "abort"],
};

/** A question to a person. */
export interface Question {
  readonly workflow: string;
  readonly nodeId: string;
  readonly choices: readonly Decision[];
}

export interface Answered {
  readonly decision: Decision;
  readonly by: string;
  readonly reason: string;
  /** What is entered into the form; absent: something that fits. */
  readonly form?: JsonObject;
  /** How long it takes; absent: no time. */
  readonly afterMs?: number;
}

/** Null: it stays unanswered. */
export type AnswerQuestion = (question: Question) => Answered | null;

/** The same answer to everything; what has no such choice stays unanswered. */
export function answerAll(mode: ApproveMode): AnswerQuestion {
  return ({ choices }) => {
    const decision = WANTED[mode].find((choice) => choices.includes(choice));
    return decision === undefined ? null : { decision, by: "simulation", reason: "answered by the simulation" };
  };
}

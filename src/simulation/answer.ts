import type { JsonObject } from "../core/base/index.ts";
import type { Decision } from "../core/event/index.ts";
import type { ScriptedNode } from "../core/script/index.ts";

/** The answers that can be simulated for all approvals. */
export const APPROVE_ANSWERS = ["all", "reject"] as const;
export type ApproveMode = (typeof APPROVE_ANSWERS)[number];

const WANTED: Readonly<Record<ApproveMode, readonly Decision[]>> = {
  all: ["approve", "retry"],
  reject: ["reject", "abort"],
};

/** An approval that waits for the answer of a person. */
export interface Question extends ScriptedNode {
  readonly choices: readonly Decision[];
}

export interface Answered {
  readonly decision: Decision;
  readonly by: string;
  readonly reason: string;
  /** The values entered into the form; absent for generated values that fit. */
  readonly form?: JsonObject;
  /** Time until the answer; absent for none. */
  readonly afterMs?: number;
}

/** Returns null when the question stays unanswered. */
export type AnswerQuestion = (question: Question) => Answered | null;

/** Gives the same answer to every question. A question without that choice stays unanswered. */
export function answerAll(mode: ApproveMode): AnswerQuestion {
  return ({ choices }) => {
    const decision = WANTED[mode].find((choice) => choices.includes(choice));
    return decision === undefined ? null : { decision, by: "simulation", reason: "answered by the simulation" };
  };
}

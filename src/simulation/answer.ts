import type { Decision } from "../core/event/index.ts";

/** The answer of every person who is asked. */
export const APPROVE_ANSWERS = ["all", "reject"] as const;
export type ApproveMode = (typeof APPROVE_ANSWERS)[number];

const WANTED: Readonly<Record<ApproveMode, readonly Decision[]>> = {
  all: ["approve", "retry"],
  reject: ["reject", "abort"],
};

export interface Answered {
  readonly decision: Decision;
  readonly by: string;
  readonly reason: string;
}

/** Null: none of the choices means it. */
export function answerFor(choices: readonly Decision[], mode: ApproveMode): Answered | null {
  const decision = WANTED[mode].find((choice) => choices.includes(choice));
  return decision === undefined ? null : { decision, by: "simulation", reason: "answered by the simulation" };
}

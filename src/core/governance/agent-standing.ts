import { DAY_MS } from "../base/index.ts";
import { instantText } from "./calendar.ts";
import type { Agent, Lifecycle } from "./registered.ts";

/** Maximum duration of a proof of concept, in days. */
export const POC_DAYS = 60;

/** The reason why an agent takes no work, and the field that has to change. */
export interface Impediment {
  readonly field: "status" | "lifecycle" | "phase";
  readonly value: string;
  readonly message: string;
  readonly remedy: string;
  /** True when a person is expected to end it soon, so checking again makes sense. */
  readonly isPause: boolean;
}

/** Returns the time at which a proof of concept ends. Null in any other phase. */
export function pocEndsAt({ phase, phaseSince }: Pick<Agent, "phase" | "phaseSince">): number | null {
  return phase === "poc" ? phaseSince + POC_DAYS * DAY_MS : null;
}

/** Checks a change of lifecycle. Every change is allowed, except that an archived agent stays archived. */
export function mayBecome(from: Lifecycle, to: Lifecycle): boolean {
  return from !== "archived" || to === "archived";
}

/** Returns the reason why an agent cannot work. A pause is checked last, because a lasting reason is more useful to report. */
export function impedimentOf(agent: Agent, at: number): Impediment | null {
  const { id, status, lifecycle, phase } = agent;
  if (lifecycle === "archived") {
    return lastingImpediment(agent, "lifecycle", `${id} is archived, which is final`, "give the work to another agent");
  }
  if (lifecycle !== "active")
    return lastingImpediment(agent, "lifecycle", `${id} is ${lifecycle}`, "set lifecycle to active");
  if (phase === "sunset") {
    return lastingImpediment(
      agent,
      "phase",
      `${id} is in phase sunset`,
      "give the work to another agent, or change its phase",
    );
  }
  const pocEnd = pocEndsAt(agent);
  if (pocEnd !== null && !(at < pocEnd)) {
    const message = `the proof of concept of ${id} ended after ${POC_DAYS} days, at ${instantText(pocEnd)}`;
    return lastingImpediment(
      agent,
      "phase",
      message,
      "move it to phase staging or production, or begin the phase again",
    );
  }
  if (status === "idle") return null;
  if (status !== "paused") {
    const message = status === "error" ? `${id} is in status error` : `${id} is terminated`;
    return lastingImpediment(agent, "status", message, "set status to idle");
  }
  return { field: "status", value: status, message: `${id} is paused`, remedy: "set status to idle", isPause: true };
}

function lastingImpediment(agent: Agent, field: Impediment["field"], message: string, remedy: string): Impediment {
  return { field, value: agent[field], message, remedy, isPause: false };
}

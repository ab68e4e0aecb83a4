import { DAY_MS } from "../base/index.ts";
import { instantText } from "./calendar.ts";
import type { Agent, Lifecycle } from "./registered.ts";

/** How long a proof of concept may last. */
export const POC_DAYS = 60;

/** Why an agent takes no work, and which field would have to change. */
export interface Impediment {
  readonly field: "status" | "lifecycle" | "phase";
  readonly value: string;
  readonly message: string;
  readonly remedy: string;
  /** A person is expected to lift it soon, so asking again makes sense. */
  readonly isPause: boolean;
}

/** The first moment at which a proof of concept is over; null in any other phase. */
export function pocEndsAt({ phase, phaseSince }: Pick<Agent, "phase" | "phaseSince">): number | null {
  return phase === "poc" ? phaseSince + POC_DAYS * DAY_MS : null;
}

/** Whether a lifecycle may become another: everything may, but what is archived stays archived. */
export function mayBecome(from: Lifecycle, to: Lifecycle): boolean {
  return from !== "archived" || to === "archived";
}

/** What keeps an agent from working, a pause last: what will not pass by itself is the better answer. */
export function impedimentOf(agent: Agent, at: number): Impediment | null {
  const { id, status, lifecycle, phase } = agent;
  if (lifecycle === "archived") {
    return lasting(agent, "lifecycle", `${id} is archived, which is final`, "give the work to another agent");
  }
  if (lifecycle !== "active") return lasting(agent, "lifecycle", `${id} is ${lifecycle}`, "set lifecycle to active");
  if (phase === "sunset") {
    return lasting(agent, "phase", `${id} is in phase sunset`, "give the work to another agent, or change its phase");
  }
  const pocEnd = pocEndsAt(agent);
  if (pocEnd !== null && !(at < pocEnd)) {
    const message = `the proof of concept of ${id} ended after ${POC_DAYS} days, at ${instantText(pocEnd)}`;
    return lasting(agent, "phase", message, "move it to phase staging or production, or begin the phase again");
  }
  if (status === "idle") return null;
  if (status !== "paused") {
    const message = status === "error" ? `${id} is in status error` : `${id} is terminated`;
    return lasting(agent, "status", message, "set status to idle");
  }
  return { field: "status", value: status, message: `${id} is paused`, remedy: "set status to idle", isPause: true };
}

function lasting(agent: Agent, field: Impediment["field"], message: string, remedy: string): Impediment {
  return { field, value: agent[field], message, remedy, isPause: false };
}

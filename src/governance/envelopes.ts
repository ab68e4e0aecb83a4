import {
  type Agent,
  agentEnvelopeId,
  agentEnvelopeOf,
  budgetsFor,
  type EnvelopeFact,
  envelopeOf,
  periodOf,
  type RoleBinding,
  roleBoundOf,
  type Spending,
} from "../core/governance/index.ts";
import type { RequestHints } from "../core/plan/index.ts";
import type { Reservation } from "../store/index.ts";
import type { AboutRun } from "./judge.ts";
import type { Registered } from "./registered.ts";
import type { Tally } from "./tally.ts";

/** The counted amounts, and the run that asks for them. */
interface Books {
  readonly about: AboutRun;
  readonly registered: Registered;
  readonly tally: Tally;
}

const NOTHING_HELD: readonly Reservation[] = [];

/**
 * Returns the current ceiling of an agent. Reservations in `held` will be given back: they do not count, and they keep
 * the period in which they were reserved.
 */
export function agentBudgetOf(
  books: Books,
  agent: Agent,
  bound: RoleBinding | null,
  held = NOTHING_HELD,
): EnvelopeFact | null {
  const id = agentEnvelopeId(agent.id);
  const at = heldIn(held, id)?.periodStart ?? books.about.at;
  return agentEnvelopeOf(agent, bound, at, spendingOf(books, id, periodOf("monthly", at).start, held));
}

/** Returns the limit from the agent's role. Null when the step names the agent itself, because it then acts in no role. */
export function roleBound(
  { role, agent: named }: Pick<RequestHints, "role" | "agent">,
  agent: string,
  { about, registered }: Pick<Books, "about" | "registered">,
): RoleBinding | null {
  if (role === null || named !== null) return null;
  return roleBoundOf(registered.bindings, { role, agent, workflow: about.workflow });
}

/** Returns the budgets that apply to a dispatch, with current amounts. `held` as above. */
export function envelopesOf(
  books: Books,
  { gateway, agent }: { readonly gateway: string | null; readonly agent: string },
  held = NOTHING_HELD,
): readonly EnvelopeFact[] {
  const { about, registered } = books;
  if (registered.budgets.length === 0) return [];
  const { workflow, team = null } = about;
  return budgetsFor(registered.budgets, { gateway, agent, workflow, team }).map((budget) => {
    const at = heldIn(held, budget.id)?.periodStart ?? about.at;
    return envelopeOf(budget, at, spendingOf(books, budget.id, periodOf(budget.period, at).start, held));
  });
}

/** Returns the counted spending plus what the run books in this commit, so that a run sees its own overspending. */
function spendingOf(
  { about, tally }: Pick<Books, "about" | "tally">,
  envelopeId: string,
  periodStart: number,
  held: readonly Reservation[],
): Spending {
  const counted = tally.spendingOf(envelopeId, periodStart);
  const own = about.returned?.spendingOf(envelopeId, periodStart);
  const holds = heldIn(held, envelopeId)?.micros ?? 0;
  if (own === undefined && holds === 0) return counted;
  return {
    spentMicros: counted.spentMicros + (own?.spentMicros ?? 0),
    reservedMicros: counted.reservedMicros + (own?.reservedMicros ?? 0) - holds,
  };
}

function heldIn(held: readonly Reservation[], envelopeId: string): Reservation | undefined {
  return held.find((one) => one.envelopeId === envelopeId);
}

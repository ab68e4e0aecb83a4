import { APPROVAL_REMINDERS, reachFrom } from "../core/engine/index.ts";
import type { ApprovalRule, Otherwise } from "../core/definition/index.ts";
import type { LaunchApproval, LaunchChain } from "../store/index.ts";

type Urgency = (typeof APPROVAL_REMINDERS)[number]["urgency"];

/** The next step of an unanswered launch approval. */
export type LaunchMove =
  | { readonly kind: "reminded"; readonly urgency: Urgency }
  | { readonly kind: "escalated"; readonly hop: number; readonly who: string }
  /** The last approvers in the chain had their time, and the approval only waits to expire. */
  | { readonly kind: "waiting" }
  | { readonly kind: "resolved" };

const BY = "sluice";
const UNANSWERED = "no answer in time";

/** Returns the chain of a new approval. */
export function newChain(rule: ApprovalRule, at: number): LaunchChain {
  const { approvers, otherwise, expiresMs } = rule;
  return armed({ approvers, requestedAt: at, expiresAt: at + expiresMs }, otherwise, at);
}

type Asked = Pick<LaunchApproval, "approvers" | "requestedAt" | "expiresAt">;

function armed(asked: Asked, otherwise: Otherwise | null, at: number): LaunchChain {
  const hop = reachFrom(asked.approvers, 0);
  const within = asked.approvers[hop]?.withinMs ?? null;
  const chain = { otherwise, hop, hopAt: within === null ? null : at + within, reminded: 0, steps: 0 };
  return { ...chain, dueAt: nextOf(asked, chain).at };
}

/**
 * Returns the first step that is due now, and the approval after it, by the same rules as for approvals of nodes. Null
 * when nothing is due. Called again with the result, it returns the next due step.
 */
export function moveLaunch(
  approval: LaunchApproval,
  now: number,
): { readonly move: LaunchMove; readonly after: LaunchApproval } | null {
  const chain = approval.chain ?? armed(approval, null, approval.requestedAt);
  const next = nextOf(approval, chain);
  if (next.at > now) return null;
  switch (next.what) {
    case "remind":
      return moved(approval, chain, { reminded: chain.reminded + 1 }, { kind: "reminded", urgency: next.urgency });
    case "hop":
      return hopped(approval, chain, now);
    case "expire":
      return chain.otherwise === null
        ? resolved(approval, chain, {
            status: "expired",
            choice: null,
            resolvedBy: null,
            resolvedAt: approval.expiresAt,
          })
        : defaulted(approval, chain, chain.otherwise, now);
  }
}

type Next =
  | { readonly what: "remind"; readonly at: number; readonly urgency: Urgency }
  | { readonly what: "hop" | "expire"; readonly at: number };

function nextOf({ requestedAt, expiresAt }: Asked, { hopAt, reminded }: Omit<LaunchChain, "dueAt">): Next {
  const end: Next = { what: "expire", at: expiresAt };
  const all: Next[] = hopAt === null ? [] : [{ what: "hop", at: hopAt }];
  const reminder = APPROVAL_REMINDERS[reminded];
  if (reminder !== undefined && requestedAt + reminder.afterMs < expiresAt) {
    all.push({ what: "remind", at: requestedAt + reminder.afterMs, urgency: reminder.urgency });
  }
  // Among steps due at the same time, expiry comes last.
  return [...all, end].sort((left, right) => left.at - right.at)[0] ?? end;
}

function moved(
  approval: LaunchApproval,
  before: LaunchChain,
  changed: Partial<LaunchChain>,
  move: LaunchMove,
): { readonly move: LaunchMove; readonly after: LaunchApproval } {
  const chain = { ...before, ...changed, steps: before.steps + 1 };
  return { move, after: { ...approval, chain: { ...chain, dueAt: nextOf(approval, chain).at } } };
}

function hopped(approval: LaunchApproval, chain: LaunchChain, now: number): ReturnType<typeof moved> {
  const hop = chain.hop + 1;
  const next = approval.approvers[hop];
  if (next !== undefined) {
    // An approver without a time limit of their own is asked together with the next one.
    const isWithNext = reachFrom(approval.approvers, hop) > hop;
    const hopAt = isWithNext ? now : next.withinMs === null ? null : now + next.withinMs;
    return moved({ ...approval, hop }, chain, { hop, hopAt }, { kind: "escalated", hop, who: next.who });
  }
  if (chain.otherwise !== null) return defaulted(approval, chain, chain.otherwise, now);
  return moved(approval, chain, { hopAt: null }, { kind: "waiting" });
}

/** The default answer of the chain. For a launch, skip and abort both mean that it is not started. */
function defaulted(approval: LaunchApproval, chain: LaunchChain, otherwise: Otherwise, now: number) {
  const { requestedAt, expiresAt } = approval;
  const isApproved = otherwise === "approve";
  // Approved at its expiry, the approval would be useless, so it stays valid for the same period again.
  const until = isApproved && expiresAt <= now ? now + (expiresAt - requestedAt) : expiresAt;
  const status = isApproved ? "approved" : "rejected";
  return resolved({ ...approval, expiresAt: until }, chain, {
    status,
    choice: otherwise,
    resolvedBy: BY,
    resolvedAt: now,
  });
}

function resolved(
  approval: LaunchApproval,
  chain: LaunchChain,
  closing: Pick<LaunchApproval, "status" | "choice" | "resolvedBy" | "resolvedAt">,
): ReturnType<typeof moved> {
  return moved({ ...approval, ...closing, reason: UNANSWERED }, chain, {}, { kind: "resolved" });
}

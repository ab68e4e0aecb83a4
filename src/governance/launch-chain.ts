import { APPROVAL_REMINDERS, reachFrom } from "../core/engine/index.ts";
import type { ApprovalRule, Otherwise } from "../core/definition/index.ts";
import type { LaunchApproval, LaunchChain } from "../store/index.ts";

type Urgency = (typeof APPROVAL_REMINDERS)[number]["urgency"];

/** What became of an unanswered approval of a launch. */
export type LaunchMove =
  | { readonly kind: "reminded"; readonly urgency: Urgency }
  | { readonly kind: "escalated"; readonly hop: number; readonly who: string }
  /** The last in the chain had their time, and only the end is waited for. */
  | { readonly kind: "waiting" }
  | { readonly kind: "resolved" };

const BY = "sluice";
const UNANSWERED = "no answer in time";

/** The chain of an approval that is asked for now. */
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
 * What is due first at this moment, and the approval as it is afterwards: by the rules that hold for the approvals of
 * nodes. Null: nothing is due yet. Asked again with what came of it, it returns what is due after that.
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
  // Of what is due at the same moment, the end comes last.
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
    // Who has no time of their own is asked together with the next.
    const isWithNext = reachFrom(approval.approvers, hop) > hop;
    const hopAt = isWithNext ? now : next.withinMs === null ? null : now + next.withinMs;
    return moved({ ...approval, hop }, chain, { hop, hopAt }, { kind: "escalated", hop, who: next.who });
  }
  if (chain.otherwise !== null) return defaulted(approval, chain, chain.otherwise, now);
  return moved(approval, chain, { hopAt: null }, { kind: "waiting" });
}

/** What the chain does without an answer. A launch that is skipped or aborted is one that is not made. */
function defaulted(approval: LaunchApproval, chain: LaunchChain, otherwise: Otherwise, now: number) {
  const { requestedAt, expiresAt } = approval;
  const isApproved = otherwise === "approve";
  // Granted at its very end it would be of no use: it is valid for as long again.
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

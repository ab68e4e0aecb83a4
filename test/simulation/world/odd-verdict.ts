import type { RequestVerdict, Verdict } from "../../../src/core/engine/index.ts";
import type { ApprovalRule } from "../../../src/core/definition/index.ts";
import type { Prng } from "../prng.ts";
import type { Profile } from "../profile.ts";
import type { Sometimes } from "../sometimes.ts";

export const HOLD_RULE: ApprovalRule = {
  approvers: [{ who: "role:r0", withinMs: null }],
  otherwise: null,
  expiresMs: 7_200_000,
  isSeparate: false,
  quorum: 1,
  show: [],
  form: null,
  confirm: null,
};

/** Now and then a verdict that has nothing to do with slots or money; null: an ordinary one. */
export function oddVerdict(
  { profile, sometimes }: { readonly profile: Profile; readonly sometimes: Sometimes },
  asked: RequestVerdict,
  dice: Prng,
): Verdict | null {
  if (!dice.chance(profile.oddVerdict)) return null;
  const isModerated = asked.moderation === "input" || asked.moderation === "both";
  if (isModerated) {
    sometimes.hit("moderated");
    return { disposition: "moderated", decision: { flagged: true } };
  }
  if (asked.assignedTo !== null) return null;
  if (dice.chance(0.8)) {
    sometimes.hit("unassigned");
    return { disposition: "unassigned", message: "no agent may take it" };
  }
  return { disposition: "contradiction", errors: [{ field: "tools", reason: "schema_violation", details: "no" }] };
}

/** A person decides; several of them, now and then. */
export function heldBy(verdictId: string, agentId: string, dice: Prng): Verdict {
  return {
    disposition: "hold",
    verdictId,
    gate: "approval_required",
    message: "a person decides",
    agentId,
    policies: ["careful@1"],
    rule: { ...HOLD_RULE, quorum: dice.fork("quorum").chance(0.4) ? 2 : 1 },
  };
}

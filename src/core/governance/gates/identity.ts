import { instantText } from "../calendar.ts";
import type { DispatchFacts } from "../facts.ts";
import { type Gate, type GateOutcome, PASS } from "../gate.ts";

/** An expired or revoked credential blocks the agent. An agent without a registered credential needs none. */
export const identityGate: Gate<DispatchFacts> = {
  name: "identity",
  evaluate({ agent, at }): GateOutcome {
    const identity = agent?.identity ?? null;
    if (agent === null || identity === null) return PASS;
    const { expiresAt, isRevoked } = identity;
    if (!isRevoked && (expiresAt === null || at < expiresAt)) return PASS;
    const what = isRevoked || expiresAt === null ? "was revoked" : `expired at ${instantText(expiresAt)}`;
    return {
      kind: "block",
      code: "identity_expired",
      message: `the credential of ${agent.id} ${what}; give it a new one`,
      after: "final",
      facts: { agent: agent.id, expiresAt, isRevoked, at },
      unblock: [
        {
          action: "renew_identity",
          target: `Agent/${agent.id}`,
          detail: "set identity.expires_at to a later time, or remove identity",
        },
      ],
    };
  },
};

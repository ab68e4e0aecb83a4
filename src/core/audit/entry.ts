import type { JsonObject } from "../base/index.ts";

/** The category of an entry. It determines how long the entry is kept. */
export const AUDIT_CATEGORIES = [
  "governance",
  "execution",
  "lifecycle",
  "security",
  "configuration",
  "routing",
] as const;
export type AuditCategory = (typeof AUDIT_CATEGORIES)[number];

/** Every type of entry with its category. Types, checks and filters are all derived from this list. */
export const CATEGORY_OF = {
  "workflow.saved": "lifecycle",
  "run.started": "execution",
  "run.finished": "execution",
  "run.paused": "execution",
  "run.resumed": "execution",
  "workflow.paused": "governance",
  "workflow.resumed": "governance",
  "organisation.paused": "governance",
  "organisation.resumed": "governance",
  "run.deleted": "lifecycle",
  "run.imported": "lifecycle",
  "run.erased": "governance",
  "node.dispatched": "execution",
  "node.completed": "execution",
  "node.failed": "execution",
  "node.skipped": "execution",
  "gate.rejected": "governance",
  "gate.held": "governance",
  "tool.decided": "governance",
  "routing.decided": "routing",
  "approval.requested": "governance",
  "approval.escalated": "governance",
  "approval.answered": "governance",
  "approval.revised": "governance",
  "approval.refused": "governance",
  "approval.resolved": "governance",
  "approval.assigned": "governance",
  "approval.commented": "governance",
  "budget.period_reset": "governance",
  "budget.alert": "governance",
  "agent.changed": "lifecycle",
  "trust.changed": "governance",
  "function.action_lowered": "governance",
  "gateway.changed": "configuration",
  "channel.changed": "configuration",
  "policy.changed": "governance",
  "secret.changed": "security",
  "secret.used": "security",
  "secret.refused": "security",
  "key.created": "security",
  "key.revoked": "security",
  "auth.failed": "security",
  "session.started": "security",
  "session.ended": "security",
  "person.joined": "security",
  "person.changed": "security",
  "person.removed": "security",
  "invitation.created": "security",
  "invitation.revoked": "security",
  "organisation.changed": "configuration",
  "config.applied": "configuration",
  "platform.changed": "governance",
  "server.started": "configuration",
} as const satisfies Readonly<Record<string, AuditCategory>>;

export type AuditType = keyof typeof CATEGORY_OF;
export const AUDIT_TYPES = Object.keys(CATEGORY_OF) as readonly AuditType[];

/** The actor of an entry when only the engine acted. */
export const ENGINE_ACTOR = "sluice";

/** A fact to be audited, before it has a position in the chain. */
export interface AuditEntry {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly category: AuditCategory;
  readonly type: AuditType;
  /** The person, key or agent, named as in the rest of the system, or `sluice` for the engine itself. */
  readonly actor: string;
  /** Kind and id of the object: `run/run_1`, `gateway/local`. */
  readonly resource: string;
  readonly run?: string;
  readonly node?: string;
  readonly detail: JsonObject;
}

/** Returns an entry. Its category is derived from its type. */
export function auditEntry(parts: Omit<AuditEntry, "category">): AuditEntry {
  return { ...parts, category: CATEGORY_OF[parts.type] };
}

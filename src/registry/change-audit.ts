import { auditEntry, type AuditEntry, type AuditType } from "../core/audit/index.ts";
import { digestJson, getOwn, type JsonObject, sameJson } from "../core/base/index.ts";
import { ACTIONS } from "../core/definition/index.ts";
import { type ChangeAction, shownSpec } from "./change.ts";
import { entryKindOf, type RegisteredKind } from "./kind.ts";

/** Audit types of kinds that have one of their own. Other kinds use `config.applied`. */
const TYPE_OF: Readonly<Partial<Record<RegisteredKind, AuditType>>> = {
  Agent: "agent.changed",
  Channel: "channel.changed",
  Gateway: "gateway.changed",
  Policy: "policy.changed",
  Secret: "secret.changed",
};

export interface RecordedChange {
  readonly kind: RegisteredKind;
  readonly name: string;
  readonly action: ChangeAction | "deleted";
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
}

/** Returns the audit entries of a change. Changed fields are recorded by name only, so that their values stay erasable. */
export function changeAudit(change: RecordedChange, actor: string, at: number): readonly AuditEntry[] {
  const { kind, name, action, before, after } = change;
  const [was, is] = [before, after].map((body) => (body === undefined ? {} : shownSpec(kind, body)));
  const fields = changedFields(was ?? {}, is ?? {});
  const resource = `${entryKindOf(kind)}/${name}`;
  const type = TYPE_OF[kind] ?? "config.applied";
  const digest = after === undefined ? {} : { digest: digestJson(is ?? {}) };
  const version = kind === "Secret" && after !== undefined ? { version: after["version"] ?? 1 } : {};
  const changed = auditEntry({ at, type, actor, resource, detail: { action, fields, ...digest, ...version } });
  const [from = null, to = null] = [was, is].map((spec) => getOwn(spec ?? {}, "trust_level"));
  const lowered = loweredAction(kind, was ?? {}, is ?? {});
  if (lowered !== null)
    return [changed, auditEntry({ at, type: "function.action_lowered", actor, resource, detail: lowered })];
  if (kind !== "Agent" || from === to) return [changed];
  return [changed, auditEntry({ at, type: "trust.changed", actor, resource, detail: { from, to } })];
}

/** Returns a lowered `action` of a function: with a less restricted action it passes gates it did not pass before. */
function loweredAction(kind: RegisteredKind, was: JsonObject, is: JsonObject): JsonObject | null {
  if (kind !== "Function") return null;
  const [from, to] = [getOwn(was, "action") ?? null, getOwn(is, "action") ?? null];
  const isLower = ACTIONS.findIndex((one) => one === to) < ACTIONS.findIndex((one) => one === from);
  return to !== null && isLower ? { from, to } : null;
}

function changedFields(was: JsonObject, is: JsonObject): readonly string[] {
  const keys = [...new Set([...Object.keys(was), ...Object.keys(is)])];
  return keys.filter((key) => !sameJson(getOwn(was, key) ?? null, getOwn(is, key) ?? null));
}

import { auditEntry, type AuditEntry, type AuditType } from "../core/audit/index.ts";
import { digestJson, getOwn, type JsonObject, sameJson } from "../core/base/index.ts";
import { ACTIONS } from "../core/definition/index.ts";
import { type ChangeAction, shownSpec } from "./change.ts";
import { entryKindOf, type RegisteredKind } from "./kind.ts";

/** Kinds with a type of their own; the others are configuration like any other. */
const TYPE_OF: Readonly<Partial<Record<RegisteredKind, AuditType>>> = {
  Agent: "agent.changed",
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

/** Who changed what and when. Which fields changed is recorded, their values are not: those stay erasable. */
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

/** A function that counts as less of an act than before passes gates it did not pass. */
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

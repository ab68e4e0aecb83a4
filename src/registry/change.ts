import { type JsonObject, sameJson } from "../core/base/index.ts";
import type { WorkflowOrigin, WorkflowRecord } from "../store/index.ts";
import { agentChangeProblems, DEFAULT_AGENT, DEFAULT_AGENT_BODY, settleAgent, withoutPhaseSince } from "./agent.ts";
import { gatewaySpecOf } from "./gateway.ts";
import type { RegisteredKind } from "./kind.ts";
import { lensChangeProblems } from "./lens.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { settleSecret, withoutVersion } from "./secret.ts";
import type { SpecProblem } from "./spec-problem.ts";
import { specText } from "./spec-text.ts";

export type ChangeAction = "created" | "updated" | "unchanged";

export interface Change {
  readonly action: ChangeAction;
  /** The change in the format of `diff -u`; absent when nothing changed. */
  readonly diff?: string;
}

export type EntryChange =
  | (Change & { readonly ok: true; readonly body: JsonObject })
  | { readonly ok: false; readonly problems: readonly SpecProblem[] };

/** Returns the built-in body of an entry that was never written. */
export function builtInBody(kind: RegisteredKind, name: string): JsonObject | undefined {
  return kind === "Agent" && name === DEFAULT_AGENT.id ? DEFAULT_AGENT_BODY : undefined;
}

/** Returns what a body would change and how it would be stored. `newSecrets` are names of secrets that differ from the stored ones. */
export function planChange(
  { kind, name, body }: { readonly kind: RegisteredKind; readonly name: string; readonly body: JsonObject },
  before: JsonObject | undefined,
  newSecrets: readonly string[],
  at: number,
): EntryChange {
  const problems = changeProblems(kind, name, body, before);
  if (problems.length > 0) return { ok: false, problems };
  const wanted = shownSpec(kind, body);
  const kept = before === undefined ? undefined : shownSpec(kind, before);
  if (before !== undefined && kept !== undefined && sameJson(kept, wanted) && newSecrets.length === 0) {
    return { ok: true, action: "unchanged", body: before };
  }
  const secrets = newSecrets.map((key) => `+${key}: (a new value, which is not shown)\n`).join("");
  return {
    ok: true,
    action: kept === undefined ? "created" : "updated",
    diff: unifiedDiff(kept === undefined ? "" : specText(kept), specText(wanted)) + secrets,
    body: settled(kind, body, before, newSecrets.length > 0, at),
  };
}

/** Adds the values that the server itself counts and records for an entry. */
function settled(
  kind: RegisteredKind,
  body: JsonObject,
  before: JsonObject | undefined,
  isNewSecret: boolean,
  at: number,
): JsonObject {
  if (kind === "Agent") return settleAgent(body, before, at);
  return kind === "Secret" ? settleSecret(body, before, isNewSecret) : body;
}

/** Returns a stored entry in the form of its manifest. */
export function shownSpec(kind: RegisteredKind, body: JsonObject): JsonObject {
  if (kind === "Gateway") return gatewaySpecOf(body);
  if (kind === "Secret") return withoutVersion(body);
  return kind === "Agent" ? withoutPhaseSince(body) : body;
}

function changeProblems(
  kind: RegisteredKind,
  name: string,
  body: JsonObject,
  before: JsonObject | undefined,
): readonly SpecProblem[] {
  if (kind === "Agent") return agentChangeProblems(name, body, before);
  return kind === "Lens" ? lensChangeProblems(body, before) : [];
}

export type WorkflowSettingsInput = Partial<Pick<WorkflowRecord, "status" | "posture" | "isExposed">>;

/** Plans the change of a workflow: a diff of its text by lines, preceded by the settings that change. */
export function planWorkflowChange(
  {
    source,
    origin,
    settings,
  }: { readonly source: string; readonly origin: WorkflowOrigin; readonly settings: WorkflowSettingsInput },
  before: { readonly record: WorkflowRecord; readonly source: string } | undefined,
): Change {
  if (before === undefined) return { action: "created", diff: unifiedDiff("", source) };
  const { record } = before;
  const moved = [
    ["origin", record.latest.origin, origin] as const,
    ["status", record.status, settings.status] as const,
    ["posture", record.posture, settings.posture] as const,
    ["exposed", record.isExposed, settings.isExposed] as const,
  ].flatMap(([key, old, fresh]) =>
    fresh === undefined || fresh === old ? [] : [`-${key}: ${old}\n+${key}: ${fresh}\n`],
  );
  if (moved.length === 0 && source === before.source) return { action: "unchanged" };
  return { action: "updated", diff: moved.join("") + unifiedDiff(before.source, source) };
}

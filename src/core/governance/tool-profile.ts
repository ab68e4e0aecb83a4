import { LIMITS } from "../base/index.ts";
import {
  type Action,
  type EffectGuarantee,
  fitsTool,
  strictestAction,
  type ToolAction,
  type TurnLimits,
} from "../definition/index.ts";
import type { Tool } from "./registered.ts";
import type { TurnBounds } from "./tool-fact.ts";

/** Hints that a server gives about its tool. */
export interface ToolHints {
  readonly readOnly?: boolean | undefined;
  readonly destructive?: boolean | undefined;
}

export interface NamedTool {
  /** `server/tool`, or only the tool. */
  readonly name: string;
  readonly server: string | null;
  readonly hints?: ToolHints | undefined;
}

/** Properties of a tool, combined from all manifests that apply to it. */
export interface CallProfile {
  readonly action: Action;
  readonly effects: EffectGuarantee;
  /** The manifests that match the tool. */
  readonly rules: readonly Tool[];
  /** The shortest timeout of these manifests. Null when none sets one. */
  readonly timeoutMs: number | null;
}

/** The action of a call when neither the step, a manifest nor a trusted server specifies one. */
const UNKNOWN_ACTION: Action = "execute";

export function profileOf(tool: NamedTool, said: readonly ToolAction[], tools: readonly Tool[]): CallProfile {
  const { name, server, hints } = tool;
  const rules = tools.filter((one) => fitsTool(one, name, server));
  const actions: Action[] = said
    .filter((one) => fitsTool({ name: one.name, server: null }, name, server))
    .map(({ action }) => action);
  let effects: EffectGuarantee = "at_least_once";
  let timeoutMs: number | null = null;
  for (const rule of rules) {
    if (rule.action !== null) actions.push(rule.action);
    if (rule.effects === "at_most_once") effects = rule.effects;
    if (rule.timeoutMs !== null) timeoutMs = Math.min(rule.timeoutMs, timeoutMs ?? Infinity);
  }
  const hinted = rules.some(({ isTrusted }) => isTrusted) ? actionOfHints(hints) : null;
  if (hinted !== null) actions.push(hinted);
  return { action: strictestAction(actions) ?? UNKNOWN_ACTION, effects, rules, timeoutMs };
}

function actionOfHints(hints: ToolHints = {}): Action | null {
  if (hints.destructive === true) return "write";
  return hints.readOnly === true ? "read" : null;
}

/** Returns the lower limit where both set one: neither an author nor an operator can raise a limit that the other has set. */
export function boundsOf(step: TurnLimits | null, agent: TurnLimits | null): TurnBounds {
  return {
    maxRounds: lower(step?.maxRounds, agent?.maxRounds) ?? LIMITS.turnRoundsDefault,
    maxToolCalls: lower(step?.maxToolCalls, agent?.maxToolCalls) ?? LIMITS.turnToolCallsDefault,
    maxRepeats: lower(step?.maxRepeats, agent?.maxRepeats) ?? LIMITS.turnRepeatsDefault,
  };
}

function lower(one: number | null = null, other: number | null = null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

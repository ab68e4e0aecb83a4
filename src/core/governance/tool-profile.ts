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

/** What a tool's server says of it. */
export interface ToolHints {
  readonly readOnly?: boolean | undefined;
  readonly destructive?: boolean | undefined;
}

export interface NamedTool {
  /** `server/tool`, or the tool alone. */
  readonly name: string;
  readonly server: string | null;
  readonly hints?: ToolHints | undefined;
}

/** What is known of a tool, from all manifests that apply to it. */
export interface CallProfile {
  readonly action: Action;
  readonly effects: EffectGuarantee;
  /** The manifests that fit. */
  readonly rules: readonly Tool[];
  /** The shortest that is given; null: none is. */
  readonly timeoutMs: number | null;
}

/** What counts where neither the step, a manifest nor a trusted server says what kind of act a call is. */
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

/** Where both say something, the lower limit counts: neither an author nor an operator can lift what the other has set. */
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

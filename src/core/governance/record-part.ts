/** How the parts of recorded facts are written and read again, whatever the verdict is about. */
import type { Json, JsonObject } from "../base/index.ts";
import { type ParsedExpression, parseExpression } from "../expression/index.ts";
import type { RunFact } from "./facts.ts";
import { jsonBytes } from "./json-size.ts";
import type { Agent, Policy } from "./registered.ts";

/** Args beyond it are kept by name only: a record is written with every verdict. */
export const RECORDED_ARGS_BYTES_MAX = 4_096;
const LEFT_OUT_NAMES_MAX = 50;

export type KeptPolicy = Omit<Policy, "condition" | "instructions" | "forbids"> & { readonly condition: string };

/** Of what does not change: whatever takes its place is another object. */
const TEXTS = new WeakMap<object, string>();

export function onceOf<T extends object>(value: T | null, keep?: (value: T) => object): string {
  if (value === null) return "null";
  let text = TEXTS.get(value);
  if (text === undefined) TEXTS.set(value, (text = JSON.stringify(keep === undefined ? value : keep(value))));
  return text;
}

export function recordedPolicy(policy: Policy): string {
  return onceOf(policy, keepPolicy);
}

/** Conditions read once for any number of records. */
export type ConditionCache = Map<string, ParsedExpression | null>;

/** Null when one has a condition that today's language does not read. */
export function readPolicies(kept: readonly KeptPolicy[], cache: ConditionCache): readonly Policy[] | null {
  const policies: Policy[] = [];
  for (const policy of kept) {
    const condition = readCondition(policy.condition, cache);
    if (condition === null) return null;
    policies.push({ ...policy, condition, instructions: null, forbids: null });
  }
  return policies;
}

export function readCondition(text: string, cache: ConditionCache): ParsedExpression | null {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const parsed = parseExpression(text);
  const condition = parsed.ok ? parsed.value : null;
  cache.set(text, condition);
  return condition;
}

/** Without long texts that no gate and no policy reads. */
export function keepAgent(agent: Agent): Agent {
  return { ...agent, systemPrompt: null, personalityNote: null, memoryProfile: null };
}

function keepPolicy(policy: Policy): KeptPolicy {
  return {
    name: policy.name,
    version: policy.version,
    category: policy.category,
    scope: policy.scope,
    scopeId: policy.scopeId,
    condition: policy.condition.text,
    action: policy.action,
    enforcement: policy.enforcement,
    isEnabled: policy.isEnabled,
    reason: policy.reason,
    approvers: policy.approvers,
  };
}

interface WithArgs {
  readonly args: JsonObject;
  /** Names of args that are not kept. */
  readonly argsLeftOut?: readonly string[];
}

export function keepRun(run: RunFact): RunFact {
  return keepArgs(run);
}

/** All args when they are small, else those that still fit in the order they came, and the names of the others. */
export function keepArgs<T extends WithArgs>(holder: T): T {
  const { args, argsLeftOut = [] } = holder;
  let room = RECORDED_ARGS_BYTES_MAX - "{}".length;
  const kept: [string, Json][] = [];
  const leftOut = [...argsLeftOut];
  for (const [name, value] of Object.entries(args)) {
    const comma = kept.length === 0 ? 0 : 1;
    const size = comma + jsonBytes(name, room) + 1 + jsonBytes(value, room);
    if (size > room) leftOut.push(name);
    else {
      room -= size;
      kept.push([name, value]);
    }
  }
  if (leftOut.length === 0) return holder;
  return { ...holder, args: Object.fromEntries(kept), argsLeftOut: leftOut.slice(0, LEFT_OUT_NAMES_MAX) };
}

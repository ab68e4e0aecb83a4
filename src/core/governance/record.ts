import { getOwn, type Json, type JsonObject } from "../base/index.ts";
import { type ParsedExpression, parseExpression } from "../expression/index.ts";
import type { DispatchFacts, RunFact } from "./facts.ts";
import { jsonBytes } from "./json-size.ts";
import { dispatchPolicies } from "./policy.ts";
import type { Agent, Policy } from "./registered.ts";

/** Args beyond it are kept by name only: a record is written with every verdict. */
export const RECORDED_ARGS_BYTES_MAX = 4_096;
const LEFT_OUT_NAMES_MAX = 50;
const RECORD_FORMAT = 1;

type KeptPolicy = Omit<Policy, "condition" | "instructions" | "forbids"> & { readonly condition: string };

interface FactsRecord extends Omit<DispatchFacts, "policies"> {
  readonly format: typeof RECORD_FORMAT;
  readonly policies: readonly KeptPolicy[];
}

/**
 * What is stored with a verdict, as JSON: enough to judge it again, and no more than that. The agent and the policies
 * are the same in many verdicts, so that each is written out once.
 */
export function factsText(facts: DispatchFacts): string {
  const { agent, run } = facts;
  const others = { ...facts, agent: undefined, policies: undefined, format: RECORD_FORMAT, run: keepRun(run) };
  const agentText = agent === null ? "null" : textOf(AGENT_TEXTS, agent, keepAgent);
  const policies = dispatchPolicies(facts).map((policy) => textOf(POLICY_TEXTS, policy, keepPolicy));
  return `${JSON.stringify(others).slice(0, -1)},"agent":${agentText},"policies":[${policies.join(",")}]}`;
}

/** Under what was registered: whatever replaces it is another object. */
const AGENT_TEXTS = new WeakMap<Agent, string>();
const POLICY_TEXTS = new WeakMap<Policy, string>();

function textOf<T extends object>(texts: WeakMap<T, string>, of: T, keep: (of: T) => object): string {
  let text = texts.get(of);
  if (text === undefined) texts.set(of, (text = JSON.stringify(keep(of))));
  return text;
}

/** Conditions read once for any number of records. */
export type ConditionCache = Map<string, ParsedExpression | null>;

/**
 * The facts a verdict was made from, without what it never looked at. Null when the record is of another format, or
 * has a condition that today's language does not read.
 */
export function factsFromRecord(record: JsonObject, cache: ConditionCache = new Map()): DispatchFacts | null {
  if (getOwn(record, "format") !== RECORD_FORMAT) return null;
  // Only this file writes the format, so its number vouches for the rest.
  const { format: _, ...kept } = record as unknown as FactsRecord;
  const policies: Policy[] = [];
  for (const policy of kept.policies) {
    const condition = readCondition(policy.condition, cache);
    if (condition === null) return null;
    policies.push({ ...policy, condition, instructions: null, forbids: null });
  }
  return { ...kept, policies };
}

function readCondition(text: string, cache: ConditionCache): ParsedExpression | null {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const parsed = parseExpression(text);
  const condition = parsed.ok ? parsed.value : null;
  cache.set(text, condition);
  return condition;
}

/** Without long texts that no gate and no policy reads. */
function keepAgent(agent: Agent): Agent {
  return { ...agent, systemPrompt: null, personalityNote: null, memoryProfile: null };
}

/** Written out because it is done for every policy of every verdict, and a rest pattern is slow. */
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

/** All args when they are small, else those that still fit in the order they came, and the names of the others. */
function keepRun(run: RunFact): RunFact {
  const { args, argsLeftOut = [] } = run;
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
  if (leftOut.length === 0) return run;
  return { ...run, args: Object.fromEntries(kept), argsLeftOut: leftOut.slice(0, LEFT_OUT_NAMES_MAX) };
}

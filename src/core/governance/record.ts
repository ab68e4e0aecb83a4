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
 * What is stored with a verdict, as JSON: enough to judge it again, and no more than that. Agent, gateway, node and
 * policies are the same in many verdicts, so that each is written out once.
 */
export function factsText(facts: DispatchFacts): string {
  let text = `{"format":${RECORD_FORMAT}`;
  for (const [opening, write] of MEMBERS) text += opening + write(facts);
  return `${text}}`;
}

/** How each fact is written; one that is not listed here does not compile. */
const WRITERS: Readonly<Record<keyof DispatchFacts, (facts: DispatchFacts) => string>> = {
  at: ({ at }) => String(at),
  platform: ({ platform }) => onceOf(platform),
  gateway: ({ gateway }) => onceOf(gateway),
  noGateway: ({ noGateway }) => JSON.stringify(noGateway),
  agentId: ({ agentId }) => JSON.stringify(agentId),
  agent: ({ agent }) => onceOf(agent, keepAgent),
  role: ({ role }) => JSON.stringify(role),
  openAttempts: ({ openAttempts }) => String(openAttempts),
  openExamples: ({ openExamples }) => JSON.stringify(openExamples),
  waitingAhead: ({ waitingAhead }) => String(waitingAhead),
  rate: ({ rate }) => JSON.stringify(rate),
  agentBudget: ({ agentBudget }) => JSON.stringify(agentBudget),
  envelopes: ({ envelopes }) => JSON.stringify(envelopes),
  estimateMicros: ({ estimateMicros }) => String(estimateMicros),
  node: ({ node }) => onceOf(node),
  run: ({ run }) => JSON.stringify(keepRun(run)),
  policies: (facts) => `[${dispatchPolicies(facts).map(policyText).join(",")}]`,
  grants: ({ grants }) => JSON.stringify(grants),
};

const MEMBERS = Object.entries(WRITERS).map(([name, write]) => [`,"${name}":`, write] as const);

/** Of what does not change: whatever takes its place is another object. */
const TEXTS = new WeakMap<object, string>();

function onceOf<T extends object>(value: T | null, keep?: (value: T) => object): string {
  if (value === null) return "null";
  let text = TEXTS.get(value);
  if (text === undefined) TEXTS.set(value, (text = JSON.stringify(keep === undefined ? value : keep(value))));
  return text;
}

function policyText(policy: Policy): string {
  return onceOf(policy, keepPolicy);
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

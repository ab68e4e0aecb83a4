import { getOwn, type JsonObject } from "../base/index.ts";
import type { DispatchFacts, NodeCallFacts } from "./facts.ts";
import { dispatchPolicies, toolPolicies } from "./policy.ts";
import {
  type ConditionCache,
  type KeptPolicy,
  keepAgent,
  keepRun,
  onceOf,
  recordedPolicy,
  envelopeText,
  readPolicies,
  sharedText,
  type SharedTexts,
} from "./record-part.ts";
import type { Policy } from "./registered.ts";
import { grantsText, type KeptGrant, readGrants, toolText } from "./tool-record.ts";

const RECORD_FORMAT = 1;

interface FactsRecord extends Omit<DispatchFacts, "policies" | "turns" | "call"> {
  readonly format: typeof RECORD_FORMAT;
  readonly policies: readonly KeptPolicy[];
  /** Absent in records that are older than it. */
  readonly turns?: string;
  readonly call?: Omit<NodeCallFacts, "toolGrants"> & { readonly toolGrants: readonly KeptGrant[] };
}

/**
 * What is stored with a verdict, as JSON: enough to judge it again, and no more than that. Agent, gateway, node and
 * policies are the same in many verdicts, so that each is written out once. With `shared`, they are named where they
 * stand, and collected there.
 */
export function factsText(facts: DispatchFacts, shared: SharedTexts | null = null): string {
  let text = `{"format":${RECORD_FORMAT}`;
  for (const [opening, write] of MEMBERS) text += opening + write(facts, shared);
  if (facts.organisationRate !== undefined) text += `,"organisationRate":${JSON.stringify(facts.organisationRate)}`;
  if (facts.parallel !== undefined) text += `,"parallel":${JSON.stringify(facts.parallel)}`;
  return facts.call === undefined ? `${text}}` : `${text},"call":${callText(facts.call)}}`;
}

function callText({ tool, rules, rates, toolGrants }: NodeCallFacts): string {
  const parts = [`"tool":${toolText({ tool, rules })}`, `"rules":[${rules.map((rule) => onceOf(rule)).join(",")}]`];
  return `{${parts.join(",")},"rates":${JSON.stringify(rates)},"toolGrants":${grantsText(toolGrants)}}`;
}

type Written = Exclude<keyof DispatchFacts, "call" | "parallel" | "organisationRate">;

/** How each fact is written; one that is not listed here does not compile. */
const WRITERS: Readonly<Record<Written, (facts: DispatchFacts, shared: SharedTexts | null) => string>> = {
  at: ({ at }) => String(at),
  platform: ({ platform }) => onceOf(platform),
  gateway: ({ gateway }, shared) => sharedText(onceOf(gateway), shared),
  noGateway: ({ noGateway }) => JSON.stringify(noGateway),
  agentId: ({ agentId }) => JSON.stringify(agentId),
  agent: ({ agent }, shared) => sharedText(onceOf(agent, keepAgent), shared),
  role: ({ role }) => JSON.stringify(role),
  openAttempts: ({ openAttempts }) => String(openAttempts),
  openExamples: ({ openExamples }) => JSON.stringify(openExamples),
  waitingAhead: ({ waitingAhead }) => String(waitingAhead),
  rate: ({ rate }) => JSON.stringify(rate),
  agentBudget: ({ agentBudget }, shared) => envelopeText(agentBudget, shared),
  envelopes: ({ envelopes }, shared) => `[${envelopes.map((one) => envelopeText(one, shared)).join(",")}]`,
  estimateMicros: ({ estimateMicros }) => String(estimateMicros),
  turns: ({ turns }) => JSON.stringify(turns),
  node: ({ node }, shared) => sharedText(onceOf(node), shared),
  run: ({ run }) => JSON.stringify(keepRun(run)),
  policies: (facts, shared) =>
    `[${askedPolicies(facts)
      .map((policy) => recordedPolicy(policy, shared))
      .join(",")}]`,
  grants: ({ grants }) => JSON.stringify(grants),
};

function askedPolicies(facts: DispatchFacts): readonly Policy[] {
  return facts.call === undefined ? dispatchPolicies(facts) : [...dispatchPolicies(facts), ...toolPolicies(facts)];
}

const MEMBERS = Object.entries(WRITERS).map(([name, write]) => [`,"${name}":`, write] as const);

/**
 * The facts a verdict was made from, without what it never looked at. Null when the record is of another format, or
 * has a condition that today's language does not read.
 */
export function factsFromRecord(record: JsonObject, cache: ConditionCache = new Map()): DispatchFacts | null {
  if (getOwn(record, "format") !== RECORD_FORMAT) return null;
  // Only this file writes the format, so its number vouches for the rest.
  const { format: _, turns = "opaque", call, ...kept } = record as unknown as FactsRecord;
  const policies = readPolicies(kept.policies, cache);
  if (policies === null) return null;
  const ofCall = call === undefined ? {} : { call: { ...call, toolGrants: readGrants(call.toolGrants, cache) } };
  return { ...kept, turns, policies, ...ofCall };
}

import { getOwn, type JsonObject } from "../base/index.ts";
import type { DispatchFacts, NodeCallFacts } from "./facts.ts";
import { dispatchPolicies, toolPolicies } from "./policy.ts";
import {
  type ConditionCache,
  type KeptPolicy,
  recordedAgent,
  recordedRun,
  jsonOfShared,
  recordedPolicy,
  readPolicies,
  RecordText,
} from "./record-part.ts";
import type { Policy } from "./registered.ts";
import { grantsText, type KeptGrant, readGrants, toolText } from "./tool-record.ts";

const RECORD_FORMAT = 1;

interface FactsRecord extends Omit<DispatchFacts, "policies" | "turns" | "call"> {
  readonly format: typeof RECORD_FORMAT;
  readonly policies: readonly KeptPolicy[];
  /** Absent in records written before the field existed. */
  readonly turns?: string;
  readonly call?: Omit<NodeCallFacts, "toolGrants"> & { readonly toolGrants: readonly KeptGrant[] };
}

/**
 * Writes the facts stored with a verdict, as JSON: exactly enough to judge it again. Agent, gateway, node and policies are the
 * same in many verdicts, so each is stored once and referenced by its name.
 */
export function writeFacts(facts: DispatchFacts, record: RecordText): void {
  record.add(`{"format":${RECORD_FORMAT}`);
  for (const [opening, write] of MEMBERS) {
    record.add(opening);
    write(facts, record);
  }
  if (facts.organisationRate !== undefined) record.add(`,"organisationRate":${JSON.stringify(facts.organisationRate)}`);
  if (facts.parallel !== undefined) record.add(`,"parallel":${JSON.stringify(facts.parallel)}`);
  record.add(facts.call === undefined ? "}" : `,"call":${callText(facts.call)}}`);
}

/** Returns the same record with every shared part in full. */
export function factsText(facts: DispatchFacts): string {
  const record = new RecordText();
  writeFacts(facts, record);
  return record.whole;
}

function callText({ tool, rules, rates, toolGrants }: NodeCallFacts): string {
  const parts = [
    `"tool":${toolText({ tool, rules })}`,
    `"rules":[${rules.map((rule) => jsonOfShared(rule)).join(",")}]`,
  ];
  return `{${parts.join(",")},"rates":${JSON.stringify(rates)},"toolGrants":${grantsText(toolGrants)}}`;
}

type Written = Exclude<keyof DispatchFacts, "call" | "parallel" | "organisationRate">;

/** The writer of each fact. A fact without a writer is a compile error. */
const WRITERS: Readonly<Record<Written, (facts: DispatchFacts, record: RecordText) => void>> = {
  at: ({ at }, record) => record.add(String(at)),
  platform: ({ platform }, record) => record.add(jsonOfShared(platform)),
  gateway: ({ gateway }, record) => record.share(jsonOfShared(gateway)),
  noGateway: ({ noGateway }, record) => record.add(JSON.stringify(noGateway)),
  agentId: ({ agentId }, record) => record.add(JSON.stringify(agentId)),
  agent: ({ agent }, record) => record.share(jsonOfShared(agent, recordedAgent)),
  role: ({ role }, record) => record.add(JSON.stringify(role)),
  openAttempts: ({ openAttempts }, record) => record.add(String(openAttempts)),
  openExamples: ({ openExamples }, record) => record.add(JSON.stringify(openExamples)),
  waitingAhead: ({ waitingAhead }, record) => record.add(String(waitingAhead)),
  rate: ({ rate }, record) => record.add(JSON.stringify(rate)),
  agentBudget: ({ agentBudget }, record) => record.addEnvelope(agentBudget),
  envelopes: ({ envelopes }, record) => addList(record, envelopes, (one) => record.addEnvelope(one)),
  estimateMicros: ({ estimateMicros }, record) => record.add(String(estimateMicros)),
  turns: ({ turns }, record) => record.add(JSON.stringify(turns)),
  node: ({ node }, record) => record.share(jsonOfShared(node)),
  run: ({ run }, record) => record.add(JSON.stringify(recordedRun(run))),
  policies: (facts, record) => addList(record, askedPolicies(facts), (policy) => record.share(recordedPolicy(policy))),
  grants: ({ grants }, record) => record.add(JSON.stringify(grants)),
};

function addList<T>(record: RecordText, list: readonly T[], add: (one: T) => void): void {
  record.add("[");
  list.forEach((one, index) => {
    if (index > 0) record.add(",");
    add(one);
  });
  record.add("]");
}

function askedPolicies(facts: DispatchFacts): readonly Policy[] {
  return facts.call === undefined ? dispatchPolicies(facts) : [...dispatchPolicies(facts), ...toolPolicies(facts)];
}

const MEMBERS = Object.entries(WRITERS).map(([name, write]) => [`,"${name}":`, write] as const);

/**
 * Returns the facts of a verdict, without data that the verdict did not read. Null when the record has another format, or a
 * condition that the current language cannot parse.
 */
export function factsFromRecord(record: JsonObject, cache: ConditionCache = new Map()): DispatchFacts | null {
  if (getOwn(record, "format") !== RECORD_FORMAT) return null;
  // Only this file writes the format, so a matching format number guarantees the type of the rest.
  const { format: _, turns = "opaque", call, ...kept } = record as unknown as FactsRecord;
  const policies = readPolicies(kept.policies, cache);
  if (policies === null) return null;
  const ofCall = call === undefined ? {} : { call: { ...call, toolGrants: readGrants(call.toolGrants, cache) } };
  return { ...kept, turns, policies, ...ofCall };
}

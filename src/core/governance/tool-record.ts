import { getOwn, type JsonObject, utf8Length } from "../base/index.ts";
import { toolPolicies } from "./policy.ts";
import {
  type ConditionCache,
  type KeptPolicy,
  recordedAgent,
  recordedArgs,
  recordedRun,
  jsonOfShared,
  recordedPolicy,
  readCondition,
  RECORDED_ARGS_BYTES_MAX,
  readPolicies,
} from "./record-part.ts";
import { redactArgs } from "./redacted-args.ts";
import type { Grant } from "./registered.ts";
import type { RoundFacts, ToolFact, CallFacts } from "./tool-fact.ts";

/** Different from the format of dispatch records, because a tool call record has another shape. */
const TOOL_FORMAT = "tool/1";
const ROUND_FORMAT = "round/1";

export type KeptGrant = Omit<Grant, "where"> & { readonly where: string | null };

interface ToolRecord extends Omit<CallFacts, "policies" | "grants"> {
  readonly format: typeof TOOL_FORMAT;
  readonly policies: readonly KeptPolicy[];
  readonly grants: readonly KeptGrant[];
}

/** Returns the facts stored with the verdict on a call, as JSON. Values that a manifest redacts are left out. */
export function toolFactsText(facts: CallFacts): string {
  let text = `{"format":"${TOOL_FORMAT}"`;
  for (const [opening, write] of MEMBERS) text += opening + write(facts);
  return `${text}}`;
}

/** The writer of each fact. A fact without a writer is a compile error. */
const WRITERS: Readonly<Record<keyof CallFacts, (facts: CallFacts) => string>> = {
  at: ({ at }) => String(at),
  platform: ({ platform }) => jsonOfShared(platform),
  gateway: ({ gateway }) => jsonOfShared(gateway),
  agentId: ({ agentId }) => JSON.stringify(agentId),
  agent: ({ agent }) => jsonOfShared(agent, recordedAgent),
  role: ({ role }) => JSON.stringify(role),
  turns: ({ turns }) => JSON.stringify(turns),
  node: ({ node }) => jsonOfShared(node),
  run: ({ run }) => JSON.stringify(recordedRun(run)),
  tool: toolText,
  rules: ({ rules }) => `[${rules.map((rule) => jsonOfShared(rule)).join(",")}]`,
  rates: ({ rates }) => JSON.stringify(rates),
  bounds: ({ bounds }) => JSON.stringify(bounds),
  policies: (facts) =>
    `[${toolPolicies(facts)
      .map((policy) => recordedPolicy(policy))
      .join(",")}]`,
  grants: ({ grants }) => grantsText(grants),
};

const MEMBERS = Object.entries(WRITERS).map(([name, write]) => [`,"${name}":`, write] as const);

export function grantsText(grants: readonly Grant[]): string {
  return `[${grants.map((grant) => jsonOfShared(grant, keepGrant)).join(",")}]`;
}

function keepGrant(grant: Grant): KeptGrant {
  return { ...grant, where: grant.where?.text ?? null };
}

/** Serialises the args once and measures the text: nearly all args fit, and measuring them one by one takes longer. */
export function toolText({ tool, rules }: Pick<CallFacts, "tool" | "rules">): string {
  const shown = withoutRedacted(tool, rules);
  const { args, ...rest } = shown;
  const text = JSON.stringify(args);
  return isSmall(text) ? `${JSON.stringify(rest).slice(0, -1)},"args":${text}}` : JSON.stringify(recordedArgs(shown));
}

/** Pure ASCII text has as many bytes as characters, and this test is faster than counting. */
function isSmall(text: string): boolean {
  if (text.length > RECORDED_ARGS_BYTES_MAX) return false;
  return !/[\u0080-\uffff]/.test(text) || utf8Length(text) <= RECORDED_ARGS_BYTES_MAX;
}

function withoutRedacted(tool: ToolFact, rules: CallFacts["rules"]): ToolFact {
  const paths = rules.flatMap(({ redact }) => redact);
  if (paths.length === 0) return tool;
  const { args, redacted } = redactArgs(tool.args, paths);
  return redacted.length === 0 ? tool : { ...tool, args, argsLeftOut: redacted };
}

export function isToolRecord(record: JsonObject): boolean {
  return getOwn(record, "format") === TOOL_FORMAT;
}

export function isRoundRecord(record: JsonObject): boolean {
  return getOwn(record, "format") === ROUND_FORMAT;
}

/** Returns the facts of a verdict on a call. Null when the record has another format or the current language cannot read it. */
export function toolFactsFromRecord(record: JsonObject, cache: ConditionCache = new Map()): CallFacts | null {
  if (!isToolRecord(record)) return null;
  // Only this file writes the format, so a matching format number guarantees the type of the rest.
  const { format: _, ...kept } = record as unknown as ToolRecord;
  const policies = readPolicies(kept.policies, cache);
  if (policies === null) return null;
  return { ...kept, policies, grants: readGrants(kept.grants, cache) };
}

/** Reads grants. A grant whose condition cannot be parsed is dropped, so it covers nothing. */
export function readGrants(kept: readonly KeptGrant[], cache: ConditionCache): readonly Grant[] {
  const grants: Grant[] = [];
  for (const { where, ...grant } of kept) {
    const condition = where === null ? null : readCondition(where, cache);
    if (where === null || condition !== null) grants.push({ ...grant, where: condition });
  }
  return grants;
}

/** Returns the facts stored with the verdict that stops a turn. */
export function roundFactsText(facts: RoundFacts): string {
  return JSON.stringify({ format: ROUND_FORMAT, ...facts, run: recordedRun(facts.run) });
}

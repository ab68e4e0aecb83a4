import { getOwn, type JsonObject, utf8Length } from "../base/index.ts";
import { toolPolicies } from "./policy.ts";
import {
  type ConditionCache,
  type KeptPolicy,
  keepAgent,
  keepArgs,
  keepRun,
  onceOf,
  recordedPolicy,
  readCondition,
  RECORDED_ARGS_BYTES_MAX,
  readPolicies,
} from "./record-part.ts";
import { redactArgs } from "./redacted-args.ts";
import type { Grant } from "./registered.ts";
import type { RoundFacts, ToolFact, CallFacts } from "./tool-fact.ts";

/** Apart from those of dispatches: what is kept of a tool call is of another shape. */
const TOOL_FORMAT = "tool/1";
const ROUND_FORMAT = "round/1";

export type KeptGrant = Omit<Grant, "where"> & { readonly where: string | null };

interface ToolRecord extends Omit<CallFacts, "policies" | "grants"> {
  readonly format: typeof TOOL_FORMAT;
  readonly policies: readonly KeptPolicy[];
  readonly grants: readonly KeptGrant[];
}

/** What is stored with the verdict on a call, as JSON. Values that a manifest redacts are not part of it. */
export function toolFactsText(facts: CallFacts): string {
  let text = `{"format":"${TOOL_FORMAT}"`;
  for (const [opening, write] of MEMBERS) text += opening + write(facts);
  return `${text}}`;
}

/** How each fact is written; one that is not listed here does not compile. */
const WRITERS: Readonly<Record<keyof CallFacts, (facts: CallFacts) => string>> = {
  at: ({ at }) => String(at),
  platform: ({ platform }) => onceOf(platform),
  gateway: ({ gateway }) => onceOf(gateway),
  agentId: ({ agentId }) => JSON.stringify(agentId),
  agent: ({ agent }) => onceOf(agent, keepAgent),
  role: ({ role }) => JSON.stringify(role),
  turns: ({ turns }) => JSON.stringify(turns),
  node: ({ node }) => onceOf(node),
  run: ({ run }) => JSON.stringify(keepRun(run)),
  tool: toolText,
  rules: ({ rules }) => `[${rules.map((rule) => onceOf(rule)).join(",")}]`,
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
  return `[${grants.map((grant) => onceOf(grant, keepGrant)).join(",")}]`;
}

function keepGrant(grant: Grant): KeptGrant {
  return { ...grant, where: grant.where?.text ?? null };
}

/** Args are written once and measured as text: nearly all are kept, and measuring them part by part takes longer. */
export function toolText({ tool, rules }: Pick<CallFacts, "tool" | "rules">): string {
  const shown = withoutRedacted(tool, rules);
  const { args, ...rest } = shown;
  const text = JSON.stringify(args);
  return isSmall(text) ? `${JSON.stringify(rest).slice(0, -1)},"args":${text}}` : JSON.stringify(keepArgs(shown));
}

/** Text without other signs has as many bytes as characters, and finding that out is quicker than counting. */
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

/** The facts of a verdict on a call; null when the record is of another format, or cannot be read by today's language. */
export function toolFactsFromRecord(record: JsonObject, cache: ConditionCache = new Map()): CallFacts | null {
  if (!isToolRecord(record)) return null;
  // Only this file writes the format, so its number vouches for the rest.
  const { format: _, ...kept } = record as unknown as ToolRecord;
  const policies = readPolicies(kept.policies, cache);
  if (policies === null) return null;
  return { ...kept, policies, grants: readGrants(kept.grants, cache) };
}

/** A grant that cannot be read covers nothing. */
export function readGrants(kept: readonly KeptGrant[], cache: ConditionCache): readonly Grant[] {
  const grants: Grant[] = [];
  for (const { where, ...grant } of kept) {
    const condition = where === null ? null : readCondition(where, cache);
    if (where === null || condition !== null) grants.push({ ...grant, where: condition });
  }
  return grants;
}

/** What is stored with the verdict that stops a turn. */
export function roundFactsText(facts: RoundFacts): string {
  return JSON.stringify({ format: ROUND_FORMAT, ...facts, run: keepRun(facts.run) });
}

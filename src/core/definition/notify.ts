import { didYouMean, getOwn, isJsonObject, type Json, type TreePath } from "../base/index.ts";
import {
  ANY,
  ANY_OBJECT,
  closedObject,
  evaluateCondition,
  findUndecidable,
  followPath,
  NUMBER,
  type ParsedExpression,
  TEXT,
  walk,
} from "../expression/index.ts";
import { readSource } from "../text/index.ts";
import { deadEndHint, deadEndMessage } from "./dead-end.ts";
import { mandatory, optional, record } from "./record.ts";
import { Report } from "./report.ts";
import { choice, list, type Located, located, refine, type Shape } from "./shape.ts";
import { expression, givenName } from "./text-shape.ts";

/** The occasions on which people can be notified. */
export const NOTIFY_KINDS = [
  "approval.requested",
  "approval.reminded",
  "approval.escalated",
  "alert",
  "run.failed",
  "budget.warning",
] as const;
export type NotifyKind = (typeof NOTIFY_KINDS)[number];

/** A rule for using a channel. */
export interface NotifyRule {
  readonly on: NotifyKind;
  /** Null when the rule always applies. */
  readonly where: ParsedExpression | null;
  /** Null in the manifest of a channel, where the rule means that channel. */
  readonly channel: string | null;
}

const TEXTS = { kind: "list", items: TEXT } as const;

/** Facts that `where` may read. A fact that does not apply to an occasion is null. */
const FACTS = closedObject([
  ["on", { kind: "text", enum: NOTIFY_KINDS }],
  ["workflow", TEXT],
  ["run", TEXT],
  ["node", TEXT],
  ["trigger", TEXT],
  ["args", ANY_OBJECT],
  ["title", TEXT],
  ["source", TEXT],
  ["action", TEXT],
  ["agent", TEXT],
  ["policies", TEXTS],
  ["approvers", TEXTS],
  ["urgency", { kind: "text", enum: ["normal", "elevated", "critical"] }],
  ["cost_usd", NUMBER],
  ["estimate_usd", NUMBER],
  ["error_code", TEXT],
  ["alert", TEXT],
  ["budget", TEXT],
  ["share", NUMBER],
]);
export const NOTIFY_FACTS: readonly string[] = [...FACTS.fields.keys()];

/** The facts of an occasion, by the names of `NOTIFY_FACTS`. */
export type NotifyFacts = Readonly<Record<string, Json>>;

/** Checks whether a rule applies. If its condition cannot be evaluated it applies, because an extra message is better than none. */
export function isNotified({ where }: NotifyRule, facts: NotifyFacts): boolean {
  if (where === null) return true;
  const decided = evaluateCondition(where.root, ({ segments }) => walk(facts, segments));
  return decided.ok ? decided.value : true;
}

const RULES_MAX = 100;

const where: Shape<ParsedExpression> = refine(expression, (parsed, path, report) => {
  const isKnown = parsed.paths.map((one) => checkPath(one, path, report)).every(Boolean);
  if (!isKnown) return undefined;
  const mismatch = findUndecidable(parsed.root, ({ segments }) => {
    const followed = followPath(FACTS, segments);
    return followed.ok ? followed.known : ANY;
  });
  if (mismatch === undefined) return parsed;
  const { code, position } = mismatch;
  report.problem(code, path, `"where" can never be decided: ${mismatch.message}.`, { offset: position });
  return undefined;
});

function checkPath(
  { segments, text, position }: ParsedExpression["paths"][number],
  path: TreePath,
  report: Report,
): boolean {
  const followed = followPath(FACTS, segments);
  if (followed.ok) return true;
  const { deadEnd } = followed;
  const message =
    deadEnd.index > 0
      ? deadEndMessage(text, segments, deadEnd, { name: "the rule", length: 0 })
      : `"where" speaks of "${text}", which no rule sees.`;
  const listed = `Rules see ${NOTIFY_FACTS.join(", ")}.`;
  const hint = deadEnd.index > 0 ? deadEndHint(deadEnd) : (didYouMean(String(segments[0]), NOTIFY_FACTS) ?? listed);
  report.problem("unknown_fact", path, message, { offset: position, hint });
  return false;
}

function ruleShape(isChannelNeeded: boolean): Shape<NotifyRule> {
  const channelDoc = "Name of the channel that is used.";
  const fields = {
    on: mandatory(choice(NOTIFY_KINDS), "Event that people are notified of."),
    where: optional(where, `Condition of the notification: an expression over ${NOTIFY_FACTS.join(", ")}.`),
    channel: isChannelNeeded ? mandatory(givenName, channelDoc) : optional(givenName, channelDoc),
  };
  return refine(record(fields, { title: "a notify rule" }), (raw): NotifyRule | undefined =>
    raw.on === undefined ? undefined : { on: raw.on, where: raw.where ?? null, channel: raw.channel ?? null },
  );
}

const LIMIT = { limit: { max: RULES_MAX, code: "bad_number" } } as const;

/** Rules of a workflow. Each names a channel. */
export const workflowRules: Shape<readonly Located<NotifyRule>[]> = list(located(ruleShape(true)), LIMIT);
/** Rules of a channel. Without a channel name they mean the channel itself. */
export const channelRules: Shape<readonly NotifyRule[]> = list(ruleShape(false), LIMIT);

/** Occasions that do not belong to a run. */
const KINDS_WITHOUT_RUN: ReadonlySet<NotifyKind> = new Set(["alert", "budget.warning"]);

/** Reports unknown channels. `known` is null when any name is accepted. */
export function checkChannels(
  rules: readonly Located<NotifyRule>[],
  known: readonly string[] | null,
  report: Report,
): void {
  for (const { read, path } of rules) {
    if (!KINDS_WITHOUT_RUN.has(read.on)) continue;
    const message = `"${read.on}" belongs to no run, so that the rule of a workflow never applies.`;
    const hint = "Write the rule in the manifest of the channel.";
    report.warning("unreachable_condition", [...path, "on"], message, { hint });
  }
  if (known === null) return;
  for (const { read, path } of rules) {
    if (read.channel === null || known.includes(read.channel)) continue;
    const message = `There is no channel "${read.channel}".`;
    const hint = didYouMean(read.channel, known) ?? "Apply a manifest of kind Channel first, or fix the name.";
    report.problem("unknown_channel", [...path, "channel"], message, { hint });
  }
}

/** Returns the notify rules of a saved workflow without checking the rest of it. */
export function rulesOfSource(source: string): readonly NotifyRule[] {
  const document = readSource(source).tree?.value;
  const rules = isJsonObject(document) ? getOwn(document, "notify") : undefined;
  if (rules === undefined) return [];
  return (workflowRules.read(rules, ["notify"], new Report()) ?? []).map(({ read }) => read);
}

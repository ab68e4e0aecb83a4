import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject, withOwn } from "../base/index.ts";
import type { EventType } from "./event.ts";

/** The part that is replaced at a place: the value itself, the values of a map (its names stay), or the elements of a list. */
type Rule = "value" | "members" | "list";

/** Paths to content, separated by dots. `*` matches every name or element. */
export type ContentPlaces = Readonly<Record<string, Rule>>;

const SUBJECT: ContentPlaces = {
  "subject.title": "value",
  "subject.args": "members",
  "subject.request.message": "value",
  "subject.request.stdin": "value",
  "subject.request.inputs": "members",
  "subject.request.reads": "members",
  "subject.reads": "members",
  "subject.call.args": "members",
  "subject.call.words": "value",
  "subject.shown.*.label": "value",
  "subject.shown.*.value": "value",
  "subject.shown.*.before": "value",
  "subject.shown.*.after": "value",
  "subject.parents.*": "members",
  "subject.policies.*.reason": "value",
  "subject.answers.*.effect": "value",
};
const FORM: ContentPlaces = {
  "form.*.label": "value",
  "form.*.description": "value",
  "form.*.default": "value",
};
const REASON: ContentPlaces = { reason: "value" };
const ERROR: ContentPlaces = { errorMessage: "value" };

/**
 * The places in events with text of authors, models and people, which is what erasure replaces. Everything else (ids,
 * statuses, times, counts, codes, digests) stays, so that an erased log can still be folded.
 */
export const EVENT_CONTENT: Readonly<Record<EventType, ContentPlaces>> = {
  "run.started": {
    args: "members",
    "prompts.*.text": "value",
    labels: "members",
    "owner.args": "members",
    "place.key": "value",
    heldKeys: "list",
  },
  "run.status.changed": { detail: "value" },
  "run.ending": REASON,
  "run.finally": { ...REASON, ...ERROR, outputs: "members" },
  "run.finally.ended": ERROR,
  "run.rewound": {},
  "run.paused": REASON,
  "run.resumed": REASON,
  "run.completed": { ...REASON, outputs: "members" },
  "run.failed": { ...REASON, "snapshot.variables": "members", "snapshot.accumulatedOutputs.*": "members" },
  "run.cancelled": REASON,
  "run.timed_out": REASON,
  "run.recovered": REASON,
  "node.queued": {},
  "node.waiting": {},
  "node.expanded": { items: "list" },
  "node.round": {},
  "node.started": { "instructions.*.text": "value" },
  "node.stream.delta": { text: "value", media: "value" },
  "node.log": { message: "value", detail: "value" },
  "node.retried": ERROR,
  "node.completed": {
    "envelope.output": "value",
    "envelope.data": "value",
    "envelope.media": "value",
    "envelope.metadata": "members",
    outputs: "members",
  },
  "node.handled": {},
  "node.failed": ERROR,
  "node.timed_out": ERROR,
  "node.cancelled": REASON,
  "node.skipped": ERROR,
  "node.blocked": { "event.key": "members", transcript: "value", ...ERROR },
  "node.invalidated": REASON,
  "node.provenance": {},
  "gate.decided": {},
  "moderation.flagged": { decision: "members" },
  "contract.violated": { "errors.*.reason": "value", "errors.*.details": "value" },
  "approval.requested": { summary: "value", rendered: "value", ...SUBJECT, ...FORM },
  "approval.reminded": {},
  "approval.escalated": {},
  "approval.answered": REASON,
  "approval.revised": { ...REASON, ...SUBJECT, modifications: "members", form: "members" },
  "approval.resolved": { ...REASON, modifications: "members", form: "members" },
  "round.completed": { text: "value", message: "value", "calls.*.args": "members" },
  "tool.requested": { args: "members" },
  "tool.decided": { ...REASON, args: "members" },
  "tool.completed": { result: "value" },
  "event.received": {},
  "event.emitted": { key: "members", data: "value" },
  "cost.recorded": {},
  "child.started": {},
  "child.finished": {},
};

/** The places with content in an approval as stored beside the log. */
export const APPROVAL_CONTENT: ContentPlaces = {
  title: "value",
  summary: "value",
  rendered: "value",
  reason: "value",
  modifications: "members",
  entered: "members",
  ...SUBJECT,
  ...FORM,
};

/** Returns the value with `tombstone` at every place with content. Empty and missing places stay as they are. */
export function withoutContent(value: JsonObject, places: ContentPlaces, tombstone: string): JsonObject {
  let result: Json = value;
  for (const [place, rule] of Object.entries(places)) result = replaced(result, place.split("."), rule, tombstone);
  return result as JsonObject;
}

function replaced(value: Json, [head, ...rest]: readonly string[], rule: Rule, tombstone: string): Json {
  if (head === undefined) return buried(value, rule, tombstone);
  if (head === "*" && isJsonArray(value)) return value.map((item) => replaced(item, rest, rule, tombstone));
  if (!isJsonObject(value)) return value;
  let result: JsonObject = value;
  for (const key of head === "*" ? Object.keys(value) : [head]) {
    const child = getOwn(value, key);
    if (child !== undefined) result = withOwn(result, key, replaced(child, rest, rule, tombstone));
  }
  return result;
}

function buried(value: Json, rule: Rule, tombstone: string): Json {
  if (value === null || value === "") return value;
  if (rule === "list" && isJsonArray(value)) return value.map(() => tombstone);
  if (rule === "members" && isJsonObject(value)) {
    return Object.keys(value).reduce((made, key) => withOwn(made, key, tombstone), {} as JsonObject);
  }
  return tombstone;
}

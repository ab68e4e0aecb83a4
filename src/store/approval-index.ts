import { digestJson, isJsonArray, isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import type { ApprovalRecord } from "./approval-record.ts";
import { isLaunchApproval } from "./launch-approval-store.ts";


/** What approvals are found by, derived from the record whenever it is written. */
export interface ApprovalIndex {
  readonly workflow: string | null;
  /** The names it asks now, each between line breaks; empty: any caller with the permission. */
  readonly asks: string;
  /** Ids of those who have answered, each between line breaks. */
  readonly answered: string;
  /** Who wants to start the run; null where there is a run that records it. */
  readonly requester: string | null;
  /** The same for approvals that differ in nothing but their args; null: it has no subject to compare. */
  readonly group: string | null;
  /** In lower case, without control characters. */
  readonly search: string;
}

const SEARCH_LENGTH_MAX = 4_000;

export function indexOf(approval: ApprovalRecord): ApprovalIndex {
  const { approvers, hop, answers, workflow } = approval;
  return {
    workflow,
    asks: between(approvers.slice(0, hop + 1).map(({ who }) => who)),
    answered: between(answers.flatMap(({ byId, personId }) => [byId, personId]).filter((id) => id !== null)),
    requester: isLaunchApproval(approval) ? approval.requestedBy : null,
    group: groupOf(approval),
    search: searchText(approval),
  };
}

function between(words: readonly string[]): string {
  return words.length === 0 ? "" : `\n${words.join("\n")}\n`;
}

/** Whether one of the words stands in a text of `between`. */
export function holds(text: string, words: readonly string[]): boolean {
  return words.some((word) => text.includes(`\n${word}\n`));
}

/** A text as it is searched for. */
export function searchable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Surrogate}]+/gu, " ").toLowerCase();
}

function searchText({ title, summary, workflow, nodeId, runId, id, subject }: ApprovalRecord): string {
  const args = subject === null ? [] : leaves(subject.args);
  const texts = [title, summary, workflow ?? "", nodeId, runId, id, ...args];
  return searchable(texts.join(" ").slice(0, SEARCH_LENGTH_MAX * 2)).slice(0, SEARCH_LENGTH_MAX);
}

/** Names and values of args. */
function leaves(value: Json): readonly string[] {
  if (isJsonArray(value)) return value.flatMap(leaves);
  if (isJsonObject(value)) return Object.entries(value).flatMap(([name, each]) => [name, ...leaves(each)]);
  return value === null ? [] : [String(value)];
}

/** Whose answer counts, for whom it is asked, and everything that is shown, with the values of args left out. */
function groupOf(approval: ApprovalRecord): string | null {
  const { subject, nodeId, source, choices, approvers, isSeparate, agentId, quorum, form, confirm } = approval;
  if (subject === null) return null;
  const { args, costMicros: _, estimateMicros: __, ...question } = subject;
  const values = argValues(args);
  const shape = {
    rule: { nodeId, source, choices, approvers, isSeparate, agentId, quorum, form, confirm },
    question: withoutArgs(question as unknown as JsonObject, values),
    args: Object.keys(args).sort(),
  };
  return digestJson(shape as unknown as Json).slice("sha256:".length, "sha256:".length + 32);
}

interface ArgValue {
  readonly name: string;
  readonly text: string;
}

/** Longer values first, so that one that contains another is taken as a whole. */
function argValues(args: JsonObject): readonly ArgValue[] {
  return Object.entries(args)
    .map(([name, value]) => ({ name, text: typeof value === "string" ? value : JSON.stringify(value) }))
    .filter(({ text }) => text !== "")
    .sort((left, right) => right.text.length - left.text.length || (left.name < right.name ? -1 : 1));
}

function withoutArgs(value: Json, args: readonly ArgValue[]): Json {
  if (isJsonArray(value)) return value.map((each) => withoutArgs(each, args));
  if (isJsonObject(value)) {
    const whole = args.find(({ text }) => text === JSON.stringify(value));
    if (whole !== undefined) return `\${${whole.name}}`;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutArgs(each, args)]));
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const replaced = replaceAll(text, args);
  return replaced === text ? value : replaced;
}

/** From left to right, so that no replacement is replaced again. */
function replaceAll(text: string, args: readonly ArgValue[]): string {
  let replaced = "";
  let at = 0;
  while (at < text.length) {
    const found = args.find((arg) => text.startsWith(arg.text, at));
    replaced += found === undefined ? text.charAt(at) : `\${${found.name}}`;
    at += found?.text.length ?? 1;
  }
  return replaced;
}

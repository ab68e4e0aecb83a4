import { digestJson, isJsonArray, isJsonObject, type Json, type JsonObject } from "../core/base/index.ts";
import type { ApprovalRecord } from "./approval-record.ts";
import { isLaunchApproval } from "./launch-approval-store.ts";

/** Columns for finding approvals, derived from the record at every write. */
export interface ApprovalIndex {
  readonly workflow: string | null;
  /** The names it asks now, each enclosed in line breaks; empty when any caller with the permission may answer. */
  readonly asks: string;
  /** Ids of the callers who have answered, each enclosed in line breaks. */
  readonly answered: string;
  /** The requester of a launch; null when a run exists, which records it. */
  readonly requester: string | null;
  /** Equal for approvals that differ only in their args; null when there is no subject to compare. */
  readonly group: string | null;
  /** Search text in lower case, without control characters. */
  readonly search: string;
}

const SEARCH_LENGTH_MAX = 4_000;

export function indexOf(approval: ApprovalRecord): ApprovalIndex {
  const { approvers, hop, answers, workflow } = approval;
  return {
    workflow,
    asks: between(approvers.slice(0, hop + 1).map(({ who }) => askedName(who))),
    answered: between(answers.flatMap(({ byId, personId }) => [byId, personId]).filter((id) => id !== null)),
    requester: isLaunchApproval(approval) ? approval.requestedBy : null,
    group: groupOf(approval),
    search: searchText(approval),
  };
}

/** Normalises a name for comparison: mail addresses ignore case. */
export function askedName(name: string): string {
  return name.startsWith("user:") && name.includes("@") ? name.toLowerCase() : name;
}

function between(words: readonly string[]): string {
  return words.length === 0 ? "" : `\n${words.join("\n")}\n`;
}

/** Checks whether a text built by `between` contains one of the words. */
export function holds(text: string, words: readonly string[]): boolean {
  return words.some((word) => text.includes(`\n${word}\n`));
}

/** Normalises a text for searching. */
export function searchable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Surrogate}]+/gu, " ").toLowerCase();
}

function searchText({ title, summary, workflow, nodeId, runId, id, subject }: ApprovalRecord): string {
  const args = subject === null ? [] : leaves(subject.args);
  const texts = [title, summary, workflow ?? "", nodeId, runId, id, ...args];
  return searchable(texts.join(" ").slice(0, SEARCH_LENGTH_MAX * 2)).slice(0, SEARCH_LENGTH_MAX);
}

/** Returns all names and values in the args. */
function leaves(value: Json): readonly string[] {
  if (isJsonArray(value)) return value.flatMap(leaves);
  if (isJsonObject(value)) return Object.entries(value).flatMap(([name, each]) => [name, ...leaves(each)]);
  return value === null ? [] : [String(value)];
}

/** Hashes who may answer, the source, and every shown text and value, with the values of args replaced. */
function groupOf(approval: ApprovalRecord): string | null {
  const { subject, nodeId, source, choices, approvers, isSeparate, agentId, quorum, form, confirm } = approval;
  if (subject === null) return null;
  const { workflow, version, startedBy, trigger, agent, action, args, title, request, shown, parents } = subject;
  const { message = null, stdin = null, inputs = {}, reads = {}, ...receiver } = request ?? {};
  const { call = null, policies, answers } = subject;
  const texts = { title, message, stdin, inputs, reads, call, shown, parents, policies, answers };
  const shape = {
    rule: { nodeId, source, choices, approvers, isSeparate, agentId, quorum, form, confirm },
    origin: { workflow, version, startedBy, trigger, agent, action, receiver, isSent: request !== null },
    texts: withoutArgs(texts as unknown as JsonObject, argValues(args)),
    args: Object.keys(args).sort(),
  };
  return digestJson(shape as unknown as Json).slice("sha256:".length, "sha256:".length + 32);
}

interface ArgValue {
  readonly name: string;
  readonly text: string;
}

/** Longer values are not replaced in texts, so approvals that differ in them are not grouped. */
const ARG_LENGTH_MAX = 500;

interface ArgValues {
  readonly byText: ReadonlyMap<string, string>;
  /** Matches any value, longer ones first, so that a value that contains another is matched as a whole; null when there are none. */
  readonly pattern: RegExp | null;
}

function argValues(args: JsonObject): ArgValues {
  const values: readonly ArgValue[] = Object.entries(args)
    .map(([name, value]) => ({ name, text: typeof value === "string" ? value : JSON.stringify(value) }))
    .filter(({ text }) => text !== "" && text.length <= ARG_LENGTH_MAX)
    .sort((left, right) => right.text.length - left.text.length || (left.name < right.name ? -1 : 1));
  // Two args with equal values share one placeholder, because a text does not show which one it means.
  const byText = new Map(values.map(({ name, text }) => [text, name]));
  const words = [...byText.keys()].map((text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return { byText, pattern: words.length === 0 ? null : new RegExp(words.join("|"), "g") };
}

function withoutArgs(value: Json, args: ArgValues): Json {
  if (isJsonArray(value)) return value.map((each) => withoutArgs(each, args));
  if (isJsonObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutArgs(each, args)]));
  }
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const replaced = replaceArgs(text, args);
  return replaced === text ? value : replaced;
}

/** Replaces whole words only: a short value inside a longer word is not the arg. */
function replaceArgs(text: string, { byText, pattern }: ArgValues): string {
  if (pattern === null) return text;
  return text.replaceAll(pattern, (found: string, at: number) =>
    isWhole(text, at, found.length) ? `\${${byText.get(found) ?? ""}}` : found,
  );
}

const WORD = /[\p{L}\p{N}_]/u;

/** Checks whether a part of a text begins and ends at word boundaries. */
function isWhole(text: string, at: number, length: number): boolean {
  const goesOn = (left: number): boolean => WORD.test(text.charAt(left)) && WORD.test(text.charAt(left + 1));
  return !(at > 0 && goesOn(at - 1)) && !goesOn(at + length - 1);
}

/** Writes and reads the parts of recorded facts that all kinds of verdict share. */
import { digestText, type Json, type JsonObject } from "../base/index.ts";
import { type ParsedExpression, parseExpression } from "../expression/index.ts";
import type { EnvelopeFact, RunFact } from "./facts.ts";
import { jsonBytes } from "./json-size.ts";
import type { Agent, Policy } from "./registered.ts";

/** Args beyond this size are stored by name only, because every verdict writes a record. */
export const RECORDED_ARGS_BYTES_MAX = 4_096;
const LEFT_OUT_NAMES_MAX = 50;

export type KeptPolicy = Omit<Policy, "condition" | "instructions" | "forbids"> & { readonly condition: string };

/** Serialised objects that never change. An update creates a new object, so an entry never becomes stale. */
const TEXTS = new WeakMap<object, string>();

export function jsonOfShared<T extends object>(value: T | null, recordedForm?: (value: T) => object): string {
  if (value === null) return "null";
  let text = TEXTS.get(value);
  if (text === undefined)
    TEXTS.set(value, (text = JSON.stringify(recordedForm === undefined ? value : recordedForm(value))));
  return text;
}

/** A text that many records contain, and the name that replaces it there. */
export interface SharedPart {
  readonly name: string;
  readonly text: string;
}

/** A shorter text takes no more space than its name. */
const SHARED_LENGTH_MIN = 64;
/** Parts by text. There are few texts: registered objects, and budgets by period. */
const PARTS = new Map<string, SharedPart>();
const PARTS_MAX = 10_000;
const DIGITS = 24;

function partOf(text: string): SharedPart {
  let part = PARTS.get(text);
  if (part === undefined) {
    if (PARTS.size >= PARTS_MAX) PARTS.clear();
    const name = `@${digestText(text).slice("sha256:".length, "sha256:".length + DIGITS)}`;
    PARTS.set(text, (part = { name, text }));
  }
  return part;
}

/** A record while it is written, in two forms at once: complete, and as stored, with names in place of texts that many records contain. */
export class RecordText {
  readonly parts: SharedPart[] = [];
  #whole = "";
  #kept = "";
  /** Text that both forms have in common since the last difference between them. */
  #end = "";

  get whole(): string {
    return this.#whole + this.#end;
  }

  get kept(): string {
    return this.#kept + this.#end;
  }

  add(text: string): void {
    this.#end += text;
  }

  /** Adds JSON that is stored by its name. No such fact is a JSON string, so a string in its place is always a name. */
  share(text: string): void {
    if (text.length < SHARED_LENGTH_MIN) return this.add(text);
    const part = partOf(text);
    this.parts.push(part);
    this.#fork(text, `"${part.name}"`);
  }

  /** Adds a budget: in the stored form, the two changing numbers are next to the name of the rest. */
  addEnvelope(fact: EnvelopeFact | null): void {
    if (fact === null) return this.add("null");
    const counts = `"spentMicros":${numberText(fact.spentMicros)},"reservedMicros":${numberText(fact.reservedMicros)}`;
    const { head, tail, rest } = writtenEnvelope(fact);
    this.parts.push(rest);
    this.#fork(`${head}${counts}${tail}`, `{"shared":"${rest.name}",${counts}}`);
  }

  #fork(whole: string, kept: string): void {
    this.#whole += this.#end + whole;
    this.#kept += this.#end + kept;
    this.#end = "";
  }
}

/** Formats a number as JSON does. */
function numberText(value: number): string {
  return Number.isFinite(value) ? String(value) : "null";
}

/** The part of a budget that does not change within a period, serialised once. */
interface WrittenEnvelope {
  readonly of: EnvelopeFact;
  readonly rest: SharedPart;
  /** Text of the budget before and after the two numbers that change. */
  readonly head: string;
  readonly tail: string;
}

/** By budget id, for the period that was written last. */
const ENVELOPES = new Map<string, WrittenEnvelope>();
const ENVELOPES_MAX = 10_000;
const NOTHING_COUNTED = '"spentMicros":0,"reservedMicros":0';

function writtenEnvelope(fact: EnvelopeFact): WrittenEnvelope {
  const known = ENVELOPES.get(fact.id);
  if (known !== undefined && hasSameTerms(known.of, fact)) return known;
  const { spentMicros: _spent, reservedMicros: _reserved, onExhausted, boundBy, ...first } = fact;
  const last = boundBy === undefined ? { onExhausted } : { onExhausted, boundBy };
  const head = `${JSON.stringify(first).slice(0, -1)},`;
  const tail = `,${JSON.stringify(last).slice(1)}`;
  const rest = partOf(`${head}${NOTHING_COUNTED}${tail}`);
  if (ENVELOPES.size >= ENVELOPES_MAX) ENVELOPES.clear();
  const written = { of: fact, rest, head, tail };
  ENVELOPES.set(fact.id, written);
  return written;
}

function hasSameTerms(one: EnvelopeFact, other: EnvelopeFact): boolean {
  return (
    one.id === other.id &&
    one.periodStart === other.periodStart &&
    one.ceilingMicros === other.ceilingMicros &&
    one.scope === other.scope &&
    one.scopeId === other.scopeId &&
    one.period === other.period &&
    one.periodEnd === other.periodEnd &&
    one.onExhausted === other.onExhausted &&
    one.boundBy === other.boundBy
  );
}

export function recordedPolicy(policy: Policy): string {
  return jsonOfShared(policy, keptPolicyOf);
}

/** Parsed conditions by text, shared by any number of records. */
export type ConditionCache = Map<string, ParsedExpression | null>;

/** Returns null when the current language cannot parse one of the conditions. */
export function readPolicies(kept: readonly KeptPolicy[], cache: ConditionCache): readonly Policy[] | null {
  const policies: Policy[] = [];
  for (const policy of kept) {
    const condition = readCondition(policy.condition, cache);
    if (condition === null) return null;
    policies.push({ ...policy, condition, instructions: null, forbids: null });
  }
  return policies;
}

export function readCondition(text: string, cache: ConditionCache): ParsedExpression | null {
  const known = cache.get(text);
  if (known !== undefined) return known;
  const parsed = parseExpression(text);
  const condition = parsed.ok ? parsed.value : null;
  cache.set(text, condition);
  return condition;
}

/** Returns the agent without the long texts that no gate and no policy reads. */
export function recordedAgent(agent: Agent): Agent {
  return { ...agent, systemPrompt: null, personalityNote: null, memoryProfile: null };
}

function keptPolicyOf(policy: Policy): KeptPolicy {
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

interface WithArgs {
  readonly args: JsonObject;
  /** Names of args that are not stored. */
  readonly argsLeftOut?: readonly string[];
}

export function recordedRun(run: RunFact): RunFact {
  return recordedArgs(run);
}

/** Keeps all args when they are small, else those that fit, in order, and the names of the others. */
export function recordedArgs<T extends WithArgs>(holder: T): T {
  const { args, argsLeftOut = [] } = holder;
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
  if (leftOut.length === 0) return holder;
  return { ...holder, args: Object.fromEntries(kept), argsLeftOut: leftOut.slice(0, LEFT_OUT_NAMES_MAX) };
}

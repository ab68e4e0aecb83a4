import type { Prng } from "../prng.ts";
import { addOutcomes } from "./outcomes.ts";
import { type ConditionForm, type Oracle, writeCondition } from "./oracle.ts";
import { addRepeats } from "./repeats.ts";
import { addBlocks, drawFinally } from "./blocks.ts";
import { addTurns } from "./turns.ts";
import { addValues, drawEnd, drawOutputs } from "./values.ts";

/** A file before it is text. */
export interface Draft {
  readonly document: Readonly<Record<string, unknown>>;
  readonly oracle: Oracle;
}

interface DraftStep {
  readonly id: string;
  readonly kind: "agent" | "gate" | "child" | "for_each" | "wait" | "emit";
  readonly declares: boolean;
  readonly fields: Record<string, unknown>;
}

const LETTERS = ["a", "b", "c", "d", "k", "m", "p", "z"] as const;
const RETRY_ON = ["timeout", "provider_error", "rate_limit", "contract_violated"] as const;

const STEPS_MAX = 40;
const TURN_STEPS_MAX = 4;

/** How many nodes: mostly few, because small graphs meet in more ways per second. */
export function drawSize(rng: Prng): number {
  const roll = rng.float();
  if (roll < 0.62) return rng.between(1, 4);
  if (roll < 0.9) return rng.between(5, 9);
  if (roll < 0.985) return rng.between(10, 18);
  return rng.between(19, 40);
}

export function drawId(rng: Prng, index: number): string {
  return `${rng.pick(LETTERS)}${index}`;
}

export function draftLobster(rng: Prng, name: string, children: readonly string[], hasTurns: boolean): Draft {
  // Each step of an agent is many: a few of them are enough.
  const size = Math.min(drawSize(rng), hasTurns ? TURN_STEPS_MAX : STEPS_MAX);
  const steps: DraftStep[] = [];
  const conditions = new Map<string, ConditionForm>();
  const mood = drawMood(rng);
  // Streams of their own, so that files without waits stay as they were.
  const hasWaits = rng.fork("waits").chance(0.3);
  for (let index = 0; index < size; index += 1) {
    const drawn = draftStep(rng, index, children, mood);
    const step = hasWaits ? maybeWait(rng.fork(`wait ${index}`), drawn) : drawn;
    linkParents(rng, step, steps, conditions);
    steps.push(step);
  }
  const values = rng.fork("values");
  addValues(values, steps);
  addRepeats(rng.fork("repeats"), steps);
  steps.push(...addOutcomes(rng.fork("outcomes"), steps, conditions));
  const end = drawEnd(values, steps, conditions);
  const outputs = drawOutputs(values, steps);
  const blocks = rng.fork("blocks");
  if (blocks.chance(0.4)) addBlocks(blocks, steps);
  const last = drawFinally(rng.fork("finally"));
  const concurrency = drawConcurrency(rng.fork("concurrency"), name === "root" ? 0.1 : 0.6);
  // A run that makes room for others looks every other second whether those have ended: not while a person thinks for days.
  const ending = concurrency === null ? (last ?? []) : [];
  if (hasTurns) addTurns(rng.fork("turns"), [...steps.map(({ fields }) => fields), ...ending]);
  const document: Record<string, unknown> = {
    name,
    ...(outputs === null ? {} : { outputs }),
    ...(last === null ? {} : { finally: last }),
    args: {
      mode: { type: "string", default: "a" },
      items: { type: "array", default: drawItems(rng) },
      size: 3,
    },
    steps: [...steps, ...(end === null ? [] : [end])].map((step) => ({ id: step.id, ...step.fields })),
  };
  if (rng.chance(0.2)) document["max_parallel"] = rng.between(1, 3);
  if (rng.chance(0.07)) document["timeout"] = rng.between(2, 15) * (hasTurns ? 4 : 1);
  if (rng.chance(0.15)) document["completion"] = "leaves";
  if (concurrency !== null) document["concurrency"] = concurrency;
  return { document, oracle: { conditions, edges: new Map() } };
}

/** Drawn apart, so that files without it stay as they were. */
function drawConcurrency(rng: Prng, share: number): Record<string, unknown> | null {
  if (!rng.chance(share)) return null;
  return { key: "mode", limit: rng.between(1, 2), when_full: rng.pick(["queue", "queue", "cancel_new", "cancel_old"]) };
}

/** One temper for a whole file, so that some files never halt and others halt easily. */
interface Mood {
  readonly policies: readonly string[];
  readonly failFast: number;
}

function drawMood(rng: Prng): Mood {
  const roll = rng.float();
  const policies =
    roll < 0.3
      ? ["skip", "skip", "retry"]
      : roll < 0.8
        ? ["halt", "skip", "retry_once", "retry", "retry_once_then_escalate"]
        : ["halt", "retry_once_then_escalate"];
  return { policies, failFast: rng.pick([0, 0.3, 1]) };
}

function drawItems(rng: Prng): readonly unknown[] {
  const count = rng.pick([0, 1, 2, 3, 3, 4, 6]);
  return Array.from({ length: count }, (_, index) => (rng.chance(0.5) ? index : { name: `i${index}` }));
}

function draftStep(rng: Prng, index: number, children: readonly string[], mood: Mood): DraftStep {
  const roll = rng.float();
  const id = drawId(rng, index);
  const kind = roll < 0.1 ? "gate" : roll < 0.18 && children.length > 0 ? "child" : roll < 0.28 ? "for_each" : "agent";
  const fields: Record<string, unknown> = {};
  const declares = kind === "agent" && rng.chance(0.5);
  if (rng.chance(0.75)) fields["on_failure"] = rng.pick(mood.policies);
  if (rng.chance(mood.failFast)) fields["parallel_failure_policy"] = "fail_fast";
  if (kind === "gate") {
    if (rng.chance(0.4)) fields["on_failure"] = "skip";
    addApproval(rng, fields);
    addPeople(rng.fork(`people ${id}`), fields, true);
    return { id, kind, declares, fields };
  }
  if (kind === "child") {
    fields["workflow_ref"] = rng.pick(children);
    fields["with"] = { mode: rng.pick(["a", "b"]) };
    if (rng.chance(0.15)) fields["timeout"] = rng.between(2, 6);
  } else {
    fields["command"] = `work ${id}`;
    fields["timeout"] = rng.between(1, 5);
  }
  if (rng.chance(0.06)) {
    addApproval(rng, fields);
    addPeople(rng.fork(`people ${id}`), fields, false);
  }
  if (declares) declareOutputs(rng, fields);
  if (kind === "for_each") addList(rng, fields);
  addPolicies(rng, fields);
  return { id, kind, declares, fields };
}

const KINDS_OF_KEY = [{}, { k: "a" }, { k: "${mode}" }] as const;

/** Some steps wait or emit instead of asking an agent. */
function maybeWait(rng: Prng, { id, kind, declares, fields }: DraftStep): DraftStep {
  const roll = rng.float();
  if (kind !== "agent" || declares || roll > 0.5) return { id, kind, declares, fields };
  const { on_failure: onFailure, parallel_failure_policy: policy, approval, approvers, otherwise, expires } = fields;
  const kept = { on_failure: onFailure, parallel_failure_policy: policy, approval, approvers, otherwise, expires };
  const rest = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
  const type = rng.pick(["e1", "e2"]);
  const key = rng.pick(KINDS_OF_KEY);
  if (roll < 0.15) return { id, kind: "emit", declares, fields: { ...rest, emit: { type, key, data: { n: 2 } } } };
  if (roll < 0.25) return { id, kind: "wait", declares, fields: { ...rest, wait: rng.between(1, 20) } };
  const ending = rng.chance(0.5)
    ? { timeout: rng.between(1, 20), on_timeout: rng.pick(["fail", "skip", "continue"]) }
    : {};
  const wait = rng.chance(0.2) ? { signal: "go", ...ending } : { event: type, match: key, ...ending };
  return { id, kind: "wait", declares, fields: { ...rest, wait } };
}

function addApproval(rng: Prng, fields: Record<string, unknown>): void {
  fields["approval"] = "required";
  if (rng.chance(0.3)) {
    const hops = rng.between(1, 3);
    fields["approvers"] = Array.from({ length: hops }, (_, hop) => ({ who: `role:r${hop}`, within: `${hop + 1}h` }));
    if (rng.chance(0.7)) fields["otherwise"] = rng.pick(["reject", "approve", "skip", "abort"]);
  }
  if (rng.chance(0.3)) fields["expires"] = rng.pick(["30m", "2h", "30h"]);
  if (rng.chance(0.2)) fields["separate_approver"] = true;
}

/** How many people have to approve, and what they enter: drawn apart, so that all else of a plan is as it was. */
function addPeople(rng: Prng, fields: Record<string, unknown>, isGate: boolean): void {
  if (rng.chance(0.5)) fields["quorum"] = rng.between(2, 3);
  if (fields["quorum"] !== undefined && rng.chance(0.3)) fields["four_eyes"] = true;
  if (fields["four_eyes"] === true) delete fields["separate_approver"];
  if (!isGate || !rng.chance(0.5)) return;
  const hasDefault = fields["otherwise"] === "approve" || rng.chance(0.3);
  fields["form"] = { v: { type: "integer", min: 0, max: 9, ...(hasDefault ? { default: 3 } : {}) } };
}

function declareOutputs(rng: Prng, fields: Record<string, unknown>): void {
  fields["outputs"] = {
    n: rng.chance(0.5) ? "integer" : { type: "integer", minimum: 0, maximum: 9 },
    ok: "boolean",
    list: { type: "array", required: false },
  };
  if (rng.chance(0.3)) fields["success_criteria"] = [`outputs.n < ${rng.between(5, 9)}`];
}

function addList(rng: Prng, fields: Record<string, unknown>): void {
  fields["for_each"] = "items";
  fields["command"] = `${String(fields["command"])} \${item} \${index}`;
  if (rng.chance(0.4)) fields["tolerate"] = rng.pick([1, 2, "50%", "100%"]);
  if (rng.chance(0.4)) fields["max_parallel"] = rng.between(1, 2);
  if (rng.chance(0.1)) fields["max_items"] = rng.between(1, 3);
}

function addPolicies(rng: Prng, fields: Record<string, unknown>): void {
  const policy = fields["on_failure"];
  const isRetried = typeof policy === "string" && policy.startsWith("retry");
  if (!isRetried && rng.chance(0.1)) {
    if (!Object.hasOwn(fields, "workflow_ref")) fields["effects"] = "at_most_once";
  } else if (rng.chance(0.3)) {
    fields["retry"] = {
      attempts: rng.between(1, 4),
      backoff_ms: rng.pick([10, 100, 500]),
      max_backoff_ms: rng.pick([800, 2000]),
      retry_on: RETRY_ON.filter(() => rng.chance(0.8)),
    };
    if (rng.chance(0.02)) (fields["retry"] as Record<string, unknown>)["attempts"] = 10;
  }
  if (rng.chance(0.3)) fields["queue_timeout"] = rng.between(1, 4);
  if (rng.chance(0.3)) fields["estimated_cost"] = rng.between(1, 9) / 1000;
  if (rng.chance(0.5)) fields["agent"] = rng.pick(["solo", "pair", "slow"]);
}

/** Parents through every field that makes one, so that inferred dependencies are exercised as well. */
function linkParents(
  rng: Prng,
  step: DraftStep,
  earlier: readonly DraftStep[],
  conditions: Map<string, ConditionForm>,
): void {
  const dependsOn: string[] = [];
  const inputs: Record<string, unknown> = {};
  let extra = "";
  const wanted = earlier.length === 0 ? 0 : rng.pick([0, 1, 1, 1, 2, 2, 3]);
  for (let turn = 0; turn < wanted; turn += 1) {
    const reach = rng.chance(0.7) ? Math.min(4, earlier.length) : earlier.length;
    const parent = rng.pick(earlier.slice(-reach));
    const roll = rng.float();
    const isAgent = step.kind === "agent" || step.kind === "for_each";
    if (roll < 0.3 && !conditions.has(step.id) && !isFieldless(parent)) {
      conditions.set(step.id, drawCondition(rng, parent));
    } else if (roll < 0.45 && parent.declares && isAgent) {
      inputs["n"] = `${parent.id}.outputs.n`;
    } else if (roll < 0.55 && isAgent && parent.kind !== "gate") {
      extra += ` \${${parent.id}.stdout}`;
    } else if (roll < 0.6 && isAgent && parent.kind === "agent") {
      step.fields["stdin"] = rng.pick([`$${parent.id}.stdout`, `$${parent.id}.json`, `see $${parent.id}.stdout`]);
    } else if (roll < 0.7 && step.kind === "for_each" && parent.declares) {
      step.fields["for_each"] = `${parent.id}.outputs.list`;
    } else if (!dependsOn.includes(parent.id)) {
      dependsOn.push(parent.id);
    }
  }
  const condition = conditions.get(step.id);
  if (condition === undefined && rng.chance(0.05)) conditions.set(step.id, { kind: "mode", value: "b" });
  const form = conditions.get(step.id);
  if (form !== undefined) step.fields["condition"] = writeCondition(form);
  if (dependsOn.length > 0) step.fields["depends_on"] = dependsOn;
  if (Object.keys(inputs).length > 0) step.fields["inputs"] = inputs;
  if (extra !== "") step.fields["command"] = `${String(step.fields["command"])}${extra}`;
}

/** Its outputs are known, and none of them is one that conditions ask about. */
function isFieldless({ kind, fields }: DraftStep): boolean {
  return kind === "emit" || (kind === "wait" && typeof fields["wait"] === "number");
}

function drawCondition(rng: Prng, parent: DraftStep): ConditionForm {
  if (parent.kind === "gate") return { kind: "approved", step: parent.id };
  if (parent.kind === "for_each") return { kind: "count", step: parent.id, value: rng.between(0, 2) };
  if (!parent.declares) return { kind: "true", step: parent.id };
  return rng.chance(0.7)
    ? { kind: "above", step: parent.id, value: rng.between(0, 4) }
    : { kind: "true", step: parent.id };
}

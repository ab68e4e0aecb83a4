import type { Json, TreePath } from "../base/index.ts";
import { sameJson } from "../base/index.ts";
import type { Expected } from "./case-schema.ts";
import { checkValues, type Mismatch, shown } from "./expectation.ts";
import type { CaseCall, CaseOutcome } from "./outcome.ts";

/** Default expectation of a case: the run completes. */
const COMPLETES: Expected = { status: "completed" };

/** Returns all differences between the outcome and the expectation of a case. The case passes when there are none. */
export function checkOutcome(outcome: CaseOutcome, expect: Expected | null): readonly Mismatch[] {
  const wanted = expect ?? COMPLETES;
  const found: Mismatch[] = [];
  const differs = (path: TreePath, expected: Json | undefined, actual: Json | undefined): void => {
    if (expected !== undefined && expected !== (actual ?? null)) {
      found.push({ path, expected: plain(expected), actual: plain(actual) });
    }
  };
  differs(["status"], wanted.status, outcome.status);
  differs(["error"], wanted.error, outcome.errorCode);
  if (wanted.outputs !== undefined) found.push(...checkValues(wanted.outputs, ["outputs"], outcome.outputs, outcome));
  for (const [id, given] of Object.entries(wanted.nodes ?? {})) {
    const node = outcome.nodes.get(id);
    const { status, attempts, error, outputs } = typeof given === "string" ? { status: given } : given;
    const path = ["nodes", id];
    // A step in a block that was not entered has not run, so its status is pending.
    differs(path, status, node?.status ?? "pending");
    differs([...path, "attempts"], attempts, node?.attempts ?? 0);
    differs([...path, "error"], error, node?.errorCode);
    if (outputs !== undefined) {
      found.push(...checkValues(outputs, [...path, "outputs"], node?.outputs ?? {}, outcome));
    }
  }
  for (const [id, given] of Object.entries(wanted.gates ?? {})) {
    const { verdict, gate, code } = typeof given === "string" ? { verdict: given } : given;
    const decided = outcome.gates.get(id);
    const path = ["gates", id];
    differs(path, verdict, decided?.verdict);
    differs([...path, "gate"], gate, decided?.gate);
    differs([...path, "code"], code, decided?.code);
  }
  found.push(...checkCost(outcome, wanted), ...checkCalls(outcome, wanted));
  return found;
}

function checkCost({ costUsd }: CaseOutcome, { cost_below }: Expected): readonly Mismatch[] {
  if (cost_below === undefined || costUsd < cost_below) return [];
  return [{ path: ["cost_below"], expected: `less than $${cost_below}`, actual: `$${costUsd}` }];
}

type WantedCall = Exclude<NonNullable<Expected["asked"]>[number], string>;

function checkCalls({ calls }: CaseOutcome, { asked = [], never_called = [] }: Expected): readonly Mismatch[] {
  const missing = asked.flatMap((given, index): readonly Mismatch[] => {
    const candidates = calls.filter((call) =>
      typeof given === "string" ? isNamed(call, given) : isSubject(call, given),
    );
    if (typeof given === "string" ? candidates.length > 0 : candidates.some((call) => isAsked(call, given))) return [];
    const actual =
      candidates.length === 0 ? `not asked; asked were ${namesOf(calls)}` : candidates.map(wordsOf).join("; ");
    return [{ path: ["asked", index], expected: typeof given === "string" ? given : JSON.stringify(given), actual }];
  });
  const called = never_called.flatMap((name, index): readonly Mismatch[] => {
    const call = calls.find((one) => one.kind !== "person" && isNamed(one, name));
    if (call === undefined) return [];
    return [{ path: ["never_called", index], expected: `${name} is never called`, actual: wordsOf(call) }];
  });
  return [...missing, ...called];
}

/** Checks whether a call is meant by a name: of the node (with or without its instance), tool, workflow, agent or provider. */
function isNamed({ node, name, agent, provider }: CaseCall, wanted: string): boolean {
  return isNode(node, wanted) || [name, agent, provider].includes(wanted);
}

function isNode(node: string, wanted: string): boolean {
  return node === wanted || node.replaceAll(/\[\d+\]/g, "") === wanted || node.split("/").at(-1) === wanted;
}

function isSubject(call: CaseCall, { node, tool }: WantedCall): boolean {
  if (node !== undefined && !isNode(call.node, node)) return false;
  return tool === undefined ? node !== undefined || call.kind !== "tool" : call.kind === "tool" && call.name === tool;
}

function isAsked(call: CaseCall, { text, contains = [], args }: WantedCall): boolean {
  if (text !== undefined && call.text !== text) return false;
  if (![contains].flat().every((part) => call.text.includes(part))) return false;
  return args === undefined || (call.args !== null && sameJson(args, call.args));
}

function namesOf(calls: readonly CaseCall[]): string {
  const names = calls.map(({ kind, node, name }) => (kind === "tool" ? `${node} (${name ?? ""})` : node));
  return [...new Set(names)].join(", ") || "none";
}

function wordsOf({ kind, node, name, text, args }: CaseCall): string {
  return kind === "tool" || kind === "workflow"
    ? `${node} called ${name ?? ""} with ${shown(args ?? {})}`
    : `${node}: ${shown(text)}`;
}

function plain(value: Json | undefined): string {
  return typeof value === "string" ? value : value === undefined || value === null ? "nothing" : shown(value);
}

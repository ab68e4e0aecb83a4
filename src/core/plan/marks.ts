import { nodeAt } from "./describe.ts";
import type { Wait } from "../definition/index.ts";
import type { LensBody, Plan, PlanNode } from "./plan.ts";

/** Longer texts are cut when a plan is printed for people. */
const TEXT_LENGTH_MAX = 80;

/** Returns notable properties of a node besides its kind and its edges. */
export function marksOf(plan: Plan, node: PlanNode): readonly string[] {
  const marks: string[] = [];
  if (node.phase !== null) marks.push(`phase ${printable(node.phase)}`);
  if (node.approval !== null) marks.push("approval");
  if (node.child !== null && "workflow" in node.child) {
    const { name, version } = node.child.workflow;
    marks.push(`runs ${printable(version === null ? name : `${name}@${version}`)}`);
  }
  marks.push(...marksOfOutcomes(plan, node));
  if (node.choose !== null) marks.push(`one of ${printable(node.choose.map(({ name }) => name).join(", "))}`);
  if (node.work !== null) marks.push(...marksOfWork(node.work, node));
  if (node.forEach !== null)
    marks.push(`for each ${printable(node.forEach.as)} of ${printable(node.forEach.list.text)}`);
  if (node.repeat !== null)
    marks.push(`repeated until ${printable(node.repeat.until.text)}, ${node.repeat.max} rounds at most`);
  if (node.body.kind === "step") {
    const condition = node.body.condition ?? node.forEach?.condition ?? null;
    if (condition !== null) marks.push(`if ${printable(condition.text)}`);
  } else {
    const sources = [...conditionalSources(node.body)].sort((left, right) => left - right);
    if (sources.length > 0) marks.push(`conditional from ${listIds(plan, sources)}`);
  }
  return marks;
}

function marksOfOutcomes(plan: Plan, { outcomes, join }: PlanNode): readonly string[] {
  const on = (outcome: string): readonly number[] =>
    [...outcomes].flatMap(([parent, each]) => (each === outcome ? [parent] : []));
  const handled = on("failure");
  const settled = on("settled");
  return [
    ...(handled.length === 0 ? [] : [`handles ${listIds(plan, handled)}`]),
    ...(settled.length === 0 ? [] : [`however ${listIds(plan, settled)} ended`]),
    ...(join === null ? [] : [`${join.isRace ? "race" : "join"} ${join.count === 1 ? "any" : join.count}`]),
  ];
}

function marksOfWork(work: NonNullable<PlanNode["work"]>, { body }: PlanNode): readonly string[] {
  switch (work.kind) {
    case "set":
      return [
        `sets ${printable(Object.keys(body.kind === "step" ? body.with : (body.inside?.with ?? {})).join(", "))}`,
      ];
    case "script":
      return [`runs ${work.language}`];
    case "function":
      return [`calls ${printable(work.name)}`];
    case "cancel":
      return [`ends the run as ${work.as}`];
    case "fail":
      return [`fails the run with ${printable(work.code)}`];
    case "wait":
      return [markOfWait(work.wait)];
    case "emit":
      return [`emits ${printable(work.emit.type)}`];
  }
}

function markOfWait(wait: Wait): string {
  switch (wait.kind) {
    case "delay":
      return `waits ${wait.ms / 1_000} s`;
    case "until":
      return "waits until a moment";
    case "event":
      return `waits for the event ${printable(wait.type)}`;
    case "signal":
      return `waits for the signal ${printable(wait.name)}`;
  }
}

/** Returns the parents with at least one conditional edge. */
export function conditionalSources(body: LensBody): ReadonlySet<number> {
  const edges = body.params.flatMap((param) => param.edges);
  return new Set(edges.filter((edge) => edge.condition !== null).map((edge) => edge.source));
}

const LISTED_MAX = 6;

export function listIds(plan: Plan, indices: readonly number[]): string {
  const ids = indices.slice(0, LISTED_MAX).map((index) => nodeAt(plan, index).id);
  const more = indices.length - ids.length;
  return more > 0 ? `${ids.join(", ")} and ${more} more` : ids.join(", ");
}

/** Returns one line without control characters, so that a name cannot move a terminal's cursor or end a statement. */
export function printable(text: string): string {
  const points: string[] = [];
  let isGap = false;
  for (const point of text) {
    if (isHidden(point)) {
      isGap = points.length > 0;
      continue;
    }
    if (isGap) points.push(" ");
    isGap = false;
    points.push(point);
    if (points.length > TEXT_LENGTH_MAX) return `${points.slice(0, TEXT_LENGTH_MAX - 1).join("")}…`;
  }
  return points.join("");
}

/** Matches white space and control characters, including those that change the writing direction. */
function isHidden(point: string): boolean {
  const code = point.codePointAt(0) ?? 0;
  return (
    code <= 0x20 ||
    (code >= 0x7f && code <= 0xa0) ||
    (code >= 0x200b && code <= 0x200f) ||
    (code >= 0x2028 && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069) ||
    (code >= 0xd800 && code <= 0xdfff) ||
    code === 0xfeff
  );
}

import type { StateNode, Run, State } from "../../../client/index.ts";
import { canonicalJson, type Json } from "../../../core/base/index.ts";

export type Aspect = "status" | "prompt" | "attempts" | "cost" | "duration" | "result";

/** Prompts written by people in place of the ones in the steps, by node id. */
export type EditedPrompts = Readonly<Record<string, string>>;

const NO_PROMPTS: EditedPrompts = {};

/** A node in both runs, or in one of them. */
export interface NodePair {
  readonly id: string;
  readonly label: string;
  readonly left: StateNode | null;
  readonly right: StateNode | null;
  /** Empty when the node is in both runs with the same result. */
  readonly differs: ReadonlySet<Aspect>;
}

/** Pairs the nodes of both runs in the order of the left run. Nodes only in the right run follow their right-hand predecessors. */
export function pairNodes(
  left: readonly StateNode[],
  right: readonly StateNode[],
  before = NO_PROMPTS,
  after = NO_PROMPTS,
): readonly NodePair[] {
  return inBoth(left, right).map((pair) =>
    pair.left === null || pair.right === null || before[pair.id] === after[pair.id]
      ? pair
      : { ...pair, differs: new Set<Aspect>(["prompt", ...pair.differs]) },
  );
}

function inBoth(left: readonly StateNode[], right: readonly StateNode[]): readonly NodePair[] {
  const onRight = new Map(right.map((node) => [node.nodeId, node]));
  const onLeft = new Set(left.map(({ nodeId }) => nodeId));
  const onlyRight = new Map<string | null, NodePair[]>();
  let last: string | null = null;
  for (const node of right) {
    if (onLeft.has(node.nodeId)) last = node.nodeId;
    else onlyRight.set(last, [...(onlyRight.get(last) ?? []), pairOf(null, node)]);
  }
  return [
    ...(onlyRight.get(null) ?? []),
    ...left.flatMap((node) => [pairOf(node, onRight.get(node.nodeId) ?? null), ...(onlyRight.get(node.nodeId) ?? [])]),
  ];
}

function pairOf(left: StateNode | null, right: StateNode): NodePair;
function pairOf(left: StateNode, right: StateNode | null): NodePair;
function pairOf(left: StateNode | null, right: StateNode | null): NodePair {
  const { nodeId = "", label = "" } = left ?? right ?? {};
  return { id: nodeId, label, left, right, differs: aspectsOf(left, right) };
}

function aspectsOf(left: StateNode | null, right: StateNode | null): ReadonlySet<Aspect> {
  if (left === null || right === null) return new Set(["status"]);
  if (isCarried(left, right) || isCarried(right, left)) return new Set();
  const found: Aspect[] = [];
  if (left.status !== right.status) found.push("status");
  if (left.attempts !== right.attempts) found.push("attempts");
  if (left.costMicros !== right.costMicros) found.push("cost");
  if (isOtherSpan(left.durationMs, right.durationMs)) found.push("duration");
  if (resultText(left) !== resultText(right)) found.push("result");
  return new Set(found);
}

/** Checks whether one run reused the other's result. The lower cost of the reusing run is then not a difference of the node. */
function isCarried(made: StateNode, kept: StateNode): boolean {
  const isKept = made.attempts > 0 && kept.attempts === 0 && made.status === "completed" && kept.status === "completed";
  return isKept && resultText(made) === resultText(kept);
}

const NOTICED_MS = 1_000;
const NOTICED_SHARE = 0.25;

/** Checks for a noticeable difference in duration. Small differences do not count, because no two runs take the same time. */
export function isOtherSpan(left: number | null, right: number | null): boolean {
  if (left === null || right === null) return false;
  const apart = Math.abs(left - right);
  return apart >= NOTICED_MS && apart >= Math.max(left, right) * NOTICED_SHARE;
}

/** Returns the result of a node as text. Equal results give equal texts. Large values are compared by their hashes. */
export function resultText(node: StateNode | null): string {
  if (node === null) return "";
  const { outputs, output, errorCode, errorMessage, refs = [] } = node;
  const large: Json = refs.map(({ path, hash, bytes }) => ({ at: path.join("."), hash, bytes }));
  const hasOutputs = outputs !== null && Object.keys(outputs).length > 0;
  const members: readonly (readonly [string, Json])[] = [
    ["error", errorCode === null ? null : `${errorCode}: ${errorMessage ?? ""}`],
    ["outputs", hasOutputs ? outputs : null],
    ["output", hasOutputs ? null : output],
    ["large", refs.length === 0 ? null : large],
  ];
  const parts = members.filter(([, value]) => value !== null);
  return parts.length === 0 ? "" : prettyJson(Object.fromEntries(parts));
}

/** Formats JSON with sorted members and real line breaks inside strings, so that it can be compared line by line. */
export function prettyJson(value: Json): string {
  const text = JSON.stringify(JSON.parse(canonicalJson(value)), null, 2);
  return text.replaceAll(LINE_END, "$1\\n\n");
}

/** A line break inside a JSON string, but not an escaped backslash followed by an n. */
const LINE_END = /(?<!\\)((?:\\\\)*)\\n/g;

/** One fact of both runs, for comparison. */
export interface FactPair {
  readonly name: string;
  readonly left: string;
  readonly right: string;
  readonly differs: boolean;
}

const UNSET = "–";

/** Returns the textual facts of both runs. Numbers and times are formatted where they are drawn. */
export function wordsOf(left: Run, right: Run): readonly FactPair[] {
  return (
    [
      ["Workflow", ({ workflow, version }) => (version === null ? workflow : `${workflow} v${version}`)],
      ["Started by", ({ trigger }) => trigger],
      ["Model", ({ model }) => model ?? UNSET],
      ["Gateway", ({ gateway }) => gateway ?? UNSET],
      ["Epoch", ({ epoch }) => (epoch === 0 ? UNSET : String(epoch))],
    ] as const satisfies readonly (readonly [string, (run: Run) => string])[]
  )
    .map(([name, print]) => ({ name, left: print(left), right: print(right), differs: print(left) !== print(right) }))
    .filter(({ left: before, differs }) => differs || before !== UNSET);
}

/** Returns text such as `5 completed, 1 failed, 2 not run of 9`. */
export function resultCounts({ nodeResults, executedCount, failedCount, upstreamFailedCount }: State): string {
  const handled = nodeResults.filter(({ isHandled }) => isHandled).length;
  const failed = failedCount - upstreamFailedCount - handled;
  const parts = [
    `${executedCount} completed`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(handled === 0 ? [] : [`${handled} handled`]),
    ...(upstreamFailedCount === 0 ? [] : [`${upstreamFailedCount} not run`]),
  ];
  return `${parts.join(", ")} of ${nodeResults.length}`;
}

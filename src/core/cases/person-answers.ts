import type { JsonObject, Problem, TreePath } from "../base/index.ts";
import type { Decision } from "../event/index.ts";
import type { SourceTree } from "../text/index.ts";
import { readAfter } from "./case-time.ts";
import type { WrittenAnswer, WrittenCase } from "./case-schema.ts";

/** The answer of a person, and the delay before it. */
export interface PersonAnswer {
  readonly decision: Decision;
  readonly reason: string | null;
  readonly by: string | null;
  /** Null when fitting form values are to be generated. */
  readonly form: JsonObject | null;
  readonly afterMs: number;
}

/** Answers of people: the same for all nodes, or a list by node. The list is used in order, and its last answer repeats. */
export type PersonAnswers =
  | { readonly kind: "all"; readonly mode: "all" | "reject" | "none" }
  | { readonly kind: "nodes"; readonly byNode: ReadonlyMap<string, readonly PersonAnswer[]> };

export const NO_ANSWERS: PersonAnswers = { kind: "all", mode: "none" };

export function personAnswers(
  tree: SourceTree,
  base: TreePath,
  written: NonNullable<WrittenCase["approvals"]>,
  found: Problem[],
): PersonAnswers {
  if (typeof written === "string") return { kind: "all", mode: written };
  const byNode = new Map<string, readonly PersonAnswer[]>();
  for (const [node, given] of Object.entries(written)) {
    const list = Array.isArray(given) ? given : [given];
    byNode.set(
      node,
      list.map((one, index) => {
        const path = Array.isArray(given) ? [...base, node, index] : [...base, node];
        return answerOf(tree, path, typeof one === "string" ? { decision: one } : one, found);
      }),
    );
  }
  return { kind: "nodes", byNode };
}

function answerOf(tree: SourceTree, path: TreePath, written: WrittenAnswer, found: Problem[]): PersonAnswer {
  const { decision, reason = null, by = null, form = null, after = 0 } = written;
  return { decision, reason, by, form, afterMs: readAfter(tree, [...path, "after"], after, found) };
}

/** Matches every node that has no answers of its own. */
const ANY_NODE = "*";

/** Returns the answers for a node. Order: instance, then node, both with the workflow name; the same without it; then `*`. */
export function answersFor(
  byNode: ReadonlyMap<string, readonly PersonAnswer[]>,
  workflow: string,
  nodeId: string,
): readonly PersonAnswer[] {
  const base = nodeId.split("[", 1)[0] ?? nodeId;
  const keys = [`${workflow}/${nodeId}`, `${workflow}/${base}`, nodeId, base, ANY_NODE];
  for (const key of keys) {
    const answers = byNode.get(key);
    if (answers !== undefined) return answers;
  }
  return [];
}

import type { JsonObject, Problem, TreePath } from "../base/index.ts";
import type { Decision } from "../event/index.ts";
import { keysOfNode, type ScriptedNode } from "../script/index.ts";
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

/** Returns the answers for a node, with the key under which they are written: as in a script, or `*`. */
export function answersFor(
  byNode: ReadonlyMap<string, readonly PersonAnswer[]>,
  node: ScriptedNode,
): { readonly key: string; readonly answers: readonly PersonAnswer[] } {
  for (const key of [...keysOfNode(node), ANY_NODE]) {
    const answers = byNode.get(key);
    if (answers !== undefined) return { key, answers };
  }
  return { key: ANY_NODE, answers: [] };
}

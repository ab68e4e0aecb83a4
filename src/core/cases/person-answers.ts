import type { JsonObject, Problem, TreePath } from "../base/index.ts";
import type { Decision } from "../event/index.ts";
import type { SourceTree } from "../text/index.ts";
import { readAfter } from "./case-time.ts";
import type { WrittenAnswer, WrittenCase } from "./case-schema.ts";

/** What a person answers, and how long they take. */
export interface PersonAnswer {
  readonly decision: Decision;
  readonly reason: string | null;
  readonly by: string | null;
  /** Null: something that fits is made up. */
  readonly form: JsonObject | null;
  readonly afterMs: number;
}

/** The same for all, or by node: the first time it asks, the second time; the last answer repeats. */
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

/** Stands for every node that has no answer of its own. */
const ANY_NODE = "*";

/** The answers for a node: its instance, itself, itself with its workflow, any. */
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

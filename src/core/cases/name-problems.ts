import { formatPath, type Problem, type TreePath } from "../base/index.ts";
import { checkArgs, suggest } from "../definition/index.ts";
import { FINALLY, type Plan } from "../plan/index.ts";
import { problemAt } from "../script/index.ts";
import type { SourceTree } from "../text/index.ts";
import type { CaseFile, TestCase } from "./case-file.ts";

/** Returns problems for names in a file of cases that its workflow does not have, and for args that do not fit. */
export function nameProblems({ tree, cases }: CaseFile, plan: Plan): readonly Problem[] {
  const known = namesIn(plan);
  const found = cases.flatMap((one) => [...argProblems(tree, one, plan), ...unknownNames(tree, one, known)]);
  return found.toSorted((left, right) => left.line - right.line || left.column - right.column);
}

/** Returns the names of all steps, without the path of their block. */
function namesIn(plan: Plan): ReadonlySet<string> {
  const plans = [plan, ...plan.blocks.values()];
  return new Set([FINALLY, ...plans.flatMap(({ nodes }) => nodes.map(({ id }) => id))]);
}

function unknownNames(
  tree: SourceTree,
  { path, expect, people, answers }: TestCase,
  known: ReadonlySet<string>,
): readonly Problem[] {
  const named: (readonly [TreePath, string])[] = [
    ...Object.keys(expect?.nodes ?? {}).map((id) => [[...path, "expect", "nodes", id], id] as const),
    ...Object.keys(expect?.gates ?? {}).map((id) => [[...path, "expect", "gates", id], id] as const),
    ...(people.kind === "nodes" ? [...people.byNode.keys()] : []).map(
      (id) => [[...path, "approvals", id], id] as const,
    ),
  ];
  if (answers.kind === "script") {
    for (const id of answers.script.nodes.keys()) named.push([answerPath(tree, path, id), id]);
  }
  return named.flatMap(([place, id]) => {
    // Steps of other workflows are not checked here.
    const isOutside = id === "*" || id === "launch" || id.includes("/");
    const name = id.split("[", 1)[0] ?? id;
    return isOutside || known.has(name) ? [] : [unknownName(tree, place, name, known)];
  });
}

/** Returns the path of a node's answers, with `nodes` if the author wrote that key. */
function answerPath(tree: SourceTree, path: TreePath, id: string): TreePath {
  const plain = [...path, "answers", id];
  const { line, column } = tree.keyPlaceOf(plain);
  const above = tree.keyPlaceOf([...path, "answers"]);
  return line === above.line && column === above.column ? [...path, "answers", "nodes", id] : plain;
}

/** Returns the problem for a step that does not exist, with the probably intended step. */
function unknownName(tree: SourceTree, path: TreePath, name: string, names: Iterable<string>): Problem {
  const meant = suggest(name, names);
  const hint =
    meant === undefined
      ? `The steps are ${[...names].filter((one) => one !== FINALLY).join(", ")}.`
      : `Did you mean "${meant}"?`;
  const message = `The workflow has no step "${name}".`;
  return { code: "unknown_step", message, path: formatPath(path), ...tree.keyPlaceOf(path), hint };
}

/** Checks the args of a case. A recording supplies its own args if the case writes none. */
function argProblems(tree: SourceTree, { path, args, answers, isWritten }: TestCase, plan: Plan): readonly Problem[] {
  if (answers.kind === "recorded" && !isWritten.args) return [];
  const checked = checkArgs(plan.args, args);
  if (checked.ok) return [];
  return checked.failure.map(({ code, message, path: inner, hint }) => {
    const [, name = ""] = /^(?:args\.)?([^.[]+)/.exec(inner) ?? [];
    const place = [...path, "args", name];
    return { ...problemAt(tree, place, code, message), ...(hint === undefined ? {} : { hint }) };
  });
}

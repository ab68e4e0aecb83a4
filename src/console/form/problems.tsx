import type { JSX } from "react";
import type { TreePath } from "../../core/base/index.ts";
import type { FieldProblem } from "./form-context.ts";

function isAt(problem: FieldProblem, path: TreePath, isExact: boolean): boolean {
  if (isExact && problem.path.length !== path.length) return false;
  return path.every((segment, index) => problem.path[index] === segment);
}

export function textOfProblems(problems: readonly FieldProblem[], path: TreePath): string | null {
  const found = problems.filter((problem) => isAt(problem, path, false));
  if (found.length === 0) return null;
  return found.map(({ message, hint }) => (hint === undefined ? message : `${message} ${hint}`)).join("\n");
}

interface ProblemsProps {
  readonly problems: readonly FieldProblem[];
  readonly path: TreePath;
  readonly isExact: boolean;
}

/** Shows the problems of a value. Unless `isExact` is set, also those of its parts. */
export function Problems({ problems, path, isExact }: ProblemsProps): JSX.Element {
  const found = problems.filter((problem) => isAt(problem, path, isExact));
  return (
    <>
      {found.map(({ message, hint }, index) => (
        <p key={index} className="field-problem">
          {message} {hint}
        </p>
      ))}
    </>
  );
}

import type { JSX } from "react";
import { Icon } from "../../parts/icon.tsx";
import type { PlacedProblem } from "./draw/placed-problems.ts";

interface ProblemListProps {
  readonly problems: readonly PlacedProblem[];
  readonly onGo: (problem: PlacedProblem) => void;
  /** False while a newer text is being checked. */
  readonly isCurrent: boolean;
}

/** The problems of the text. Each links to its line. */
export function ProblemList({ problems, onGo, isCurrent }: ProblemListProps): JSX.Element {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  const summary =
    problems.length === 0
      ? "No problems"
      : [plural(errors, "problem"), plural(warnings, "warning")].filter((text) => text !== "").join(", ");
  return (
    <section className="workflow-problems" aria-label="Problems">
      <p className="workflow-problems-head" role="status" data-current={isCurrent}>
        <Icon name={errors > 0 ? "cross" : warnings > 0 ? "warn" : "check"} className={toneOf(errors, warnings)} />
        {summary}
      </p>
      {problems.length > 0 && (
        <ul>
          {problems.map((problem, index) => (
            <li key={index}>
              <button type="button" onClick={() => onGo(problem)}>
                <Icon
                  name={problem.severity === "error" ? "cross" : "warn"}
                  size={13}
                  className={problem.severity === "error" ? "text-bad" : "text-warn"}
                />
                <span className="num muted nowrap">
                  {problem.line}:{problem.column}
                </span>
                <span>
                  <span className="hidden-text">{problem.severity}: </span>
                  {problem.message} {problem.hint !== undefined && <span className="muted">{problem.hint} </span>}
                  <code className="muted">{problem.code}</code>
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function plural(count: number, word: string): string {
  return count === 0 ? "" : `${count} ${word}${count === 1 ? "" : "s"}`;
}

function toneOf(errors: number, warnings: number): string {
  return errors > 0 ? "text-bad" : warnings > 0 ? "text-warn" : "text-ok";
}

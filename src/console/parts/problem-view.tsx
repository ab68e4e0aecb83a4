import type { JSX } from "react";
import { ApiProblem } from "../../client/index.ts";
import { Icon } from "./icon.tsx";
import "./problem-view.css";

interface ProblemViewProps {
  readonly problem: Error;
  readonly onRetry?: () => void;
  /** True when the error comes from the page itself and not from a request. */
  readonly isOfPage?: boolean;
}

const UNREACHABLE = ["The server cannot be reached", "unreachable"] as const;
const PAGE_ERROR = ["The page failed", "page_error"] as const;

/** Shows an error as the API describes it: code, title, detail, advice, and the request id for finding it in the log. */
export function ProblemView({ problem, onRetry, isOfPage = false }: ProblemViewProps): JSX.Element {
  const isApi = problem instanceof ApiProblem;
  const [title, code] = isApi ? [problem.title, problem.code] : isOfPage ? PAGE_ERROR : UNREACHABLE;
  return (
    <div className="problem" role="alert">
      <Icon name="warn" className="problem-icon" />
      <div className="problem-body">
        <p className="problem-title">
          {title} <code>{code}</code>
        </p>
        <p>{problem.message}</p>
        {isApi && problem.problems.length > 0 && <Places problems={problem.problems} />}
        {isApi && problem.explanation !== null && <Explanation of={problem} />}
        {isApi && problem.requestId !== null && (
          <p className="muted">
            Request <code>{problem.requestId}</code>
          </p>
        )}
        {onRetry !== undefined && (
          <button type="button" className="button button-plain button-small" onClick={onRetry}>
            Try again
          </button>
        )}
      </div>
    </div>
  );
}

function Places({ problems }: { readonly problems: ApiProblem["problems"] }): JSX.Element {
  return (
    <ul>
      {problems.map(({ code, message, path, line, hint }, index) => (
        <li key={index}>
          {path !== "" && <code>{path}</code>} {line !== undefined && <span className="muted">line {line}</span>}{" "}
          {message} <code className="muted">{code}</code>
          {hint !== undefined && <div className="muted">{hint}</div>}
        </li>
      ))}
    </ul>
  );
}

function Explanation({ of: { explanation } }: { readonly of: ApiProblem }): JSX.Element | null {
  if (explanation === null) return null;
  return (
    <>
      <p>{explanation.message}</p>
      {explanation.unblock.length > 0 && (
        <ul>
          {explanation.unblock.map(({ action, target, detail }) => (
            <li key={`${action} ${target}`}>{detail}</li>
          ))}
        </ul>
      )}
    </>
  );
}

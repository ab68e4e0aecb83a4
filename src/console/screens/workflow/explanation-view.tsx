import type { JSX } from "react";
import type { Disposition, Explanation } from "../../../client/index.ts";
import { factOf } from "../../parts/fact-text.ts";
import { StatusBadge } from "../../parts/status.tsx";

interface ExplanationViewProps {
  /** The name of the judged object, for example a node or a launch. */
  readonly subject: string;
  readonly verdict: Disposition;
  readonly explanation: Explanation | null;
}

/** Shows which gate decided, the facts it used, and how to pass it. */
export function ExplanationView({ subject, verdict, explanation }: ExplanationViewProps): JSX.Element {
  const facts = Object.entries(explanation?.facts ?? {}).map(([key, value]) => factOf(key, value));
  return (
    <div className={`workflow-explanation is-${verdict}`}>
      <p className="row">
        <StatusBadge status={verdict} />
        <strong>{subject}</strong>
        {explanation !== null && <code>{explanation.gate}</code>}
      </p>
      {explanation !== null && <p>{explanation.message}</p>}
      {facts.length > 0 && (
        <p className="muted">
          {facts.map(({ name, text }) => (
            <span key={name} className="workflow-fact">
              {name} <strong>{text}</strong>
            </span>
          ))}
        </p>
      )}
      {explanation !== null && explanation.unblock.length > 0 && (
        <ul className="workflow-plain-list">
          {explanation.unblock.map(({ action, target, detail }, index) => (
            <li key={index}>
              <strong>{action.replaceAll("_", " ")}</strong> <code>{target}</code>: {detail}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

import type { JSX } from "react";
import type { Disposition, Explanation } from "../../../client/index.ts";
import { factOf } from "../../parts/fact-text.ts";
import { StatusBadge } from "../../parts/status.tsx";

interface ExplanationViewProps {
  /** What was judged. */
  readonly subject: string;
  readonly verdict: Disposition;
  readonly explanation: Explanation | null;
}

/** Which gate decided what, by which fact, and what would let it through. */
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

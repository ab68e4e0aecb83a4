import type { JSX } from "react";
import type { AnswerRight, Approval } from "../../../client/index.ts";
import { spanText } from "../../parts/figures.ts";
import { TimeText } from "../../parts/time-text.tsx";

/** Shows the people who are asked, the people who have answered, and whether the viewer may answer. */
export function WhoView({
  approval,
  right,
}: {
  readonly approval: Approval;
  readonly right: AnswerRight | undefined;
}): JSX.Element {
  const { approvers, hop, quorum, answers, isSeparate, status } = approval;
  return (
    <div className="approval-who">
      <p>
        {approvers.length === 0 ? (
          "Any person or key with the permission governance:approve may answer."
        ) : (
          <>
            Asks{" "}
            {approvers.map(({ who, withinMs }, index) => (
              <span key={`${index} ${who}`}>
                {index > 0 && (index <= hop ? ", " : ", then ")}
                {index <= hop ? <strong>{who}</strong> : <span className="muted">{who}</span>}
                {withinMs !== null && <span className="muted"> for {spanText(withinMs)}</span>}
              </span>
            ))}
            .
          </>
        )}{" "}
        {quorum > 1 && (
          <>
            <strong>
              {answers.length} of {quorum}
            </strong>{" "}
            have approved.{" "}
          </>
        )}
        {isSeparate && "Not the person who started the run."}
      </p>
      {answers.length > 0 && (
        <ul>
          {answers.map(({ by, decision, at }, index) => (
            <li key={index}>
              {by}: {decision}, <TimeText at={at} />
            </li>
          ))}
        </ul>
      )}
      {status === "pending" && right !== undefined && !right.mayAnswer && (
        <p className="note" role="status">
          You cannot answer: {right.message}
          {right.mayOverride && " As an administrator you may answer in their place, with a reason."}
        </p>
      )}
    </div>
  );
}

import type { JSX } from "react";
import type { Approval } from "../../../client/index.ts";
import type { Decision } from "../../../core/event/index.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { CHOICE_TEXTS, needsReason } from "../../parts/approval-texts.ts";
import { sendAnswers } from "./use-answer.ts";

export interface Asked {
  readonly decision: Decision;
  readonly approvals: readonly Approval[];
}

/** Asks for the reason of a no, and once more before several are answered at once. */
export function AnswerDialog({ asked, onClose }: { readonly asked: Asked; readonly onClose: () => void }): JSX.Element {
  const { decision, approvals } = asked;
  const { verb, means } = CHOICE_TEXTS[decision];
  const count = approvals.length;
  const isNo = needsReason(decision);
  return (
    <Confirm
      title={count === 1 ? `${verb}?` : `${verb} ${count} identical approvals?`}
      verb={count === 1 ? verb : `${verb} ${count}`}
      {...(count > 1 ? { phrase: `${decision} ${count}` } : {})}
      reason={isNo ? "required" : "optional"}
      isDangerous={isNo}
      onConfirm={(reason) => sendAnswers(decision, approvals, reason)}
      onClose={onClose}
    >
      <p>{approvals[0]?.summary}</p>
      <p className="muted">{means}</p>
      {count > 1 && (
        <ul className="answer-runs" aria-label="Affected runs">
          {approvals.map(({ id, runId, nodeId }) => (
            <li key={id}>
              <code>{runId}</code> {nodeId}
            </li>
          ))}
        </ul>
      )}
    </Confirm>
  );
}

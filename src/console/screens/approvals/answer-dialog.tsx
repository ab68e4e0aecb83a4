import { type JSX, useMemo, useState } from "react";
import type { AnswerRight, Approval } from "../../../client/index.ts";
import type { Decision } from "../../../core/event/index.ts";
import { plainText } from "../../../core/text/index.ts";
import { callText, requestText, shownText } from "../../../core/view/index.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { CHOICE_TEXTS, needsReason, verbOf } from "../../parts/approval-texts.ts";
import { isOutcomeAsked } from "./answer-bar.tsx";
import { initialTexts, readForm } from "./form-values.ts";
import { FormView } from "./form-view.tsx";
import { GrantField, grantOf, NO_GRANT } from "./grant-field.tsx";
import { sendAnswer } from "./send-answer.ts";

export interface AskedAnswer {
  readonly decision: Decision;
  /** The approval as it was shown when the person chose the answer. */
  readonly approval: Approval;
  readonly right: AnswerRight;
}

const MESSAGE_SHOWN = 400;

/** Asks for confirmation before an answer is sent and shows its effect. The form of a gate is filled in here. */
export function AnswerDialog({ asked, onClose }: { readonly asked: AskedAnswer; readonly onClose: () => void }) {
  const { decision, approval, right } = asked;
  const verb = verbOf(decision, isOutcomeAsked(approval));
  const fields = decision === "approve" ? approval.form : null;
  const [texts, setTexts] = useState(() => initialTexts(fields ?? {}, approval.entered));
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set());
  const read = useMemo(() => readForm(fields ?? {}, texts), [fields, texts]);
  const isOverride = !right.mayAnswer && right.mayOverride;
  const isReasonNeeded = needsReason(decision) || isOverride;
  const [grant, setGrant] = useState(NO_GRANT);
  const call = decision === "approve" && !isOutcomeAsked(approval) ? approval.subject?.call : undefined;
  const send = (reason: string): Promise<void> => {
    const made = grantOf(grant, Date.now());
    return sendAnswer(approval, {
      decision,
      ...(made === undefined ? {} : { grant: made }),
      ...(reason === "" ? {} : { reason }),
      ...(fields === null ? {} : { form: read.values }),
      ...(isOverride ? { override: true } : {}),
    });
  };
  return (
    <Confirm
      title={`${verb}: ${plainText(approval.title)}`}
      verb={verb}
      reason={isReasonNeeded ? "required" : "optional"}
      isDangerous={needsReason(decision)}
      isReady={read.problems.size === 0}
      onConfirm={send}
      onClose={onClose}
    >
      <div className="stack">
        <Effect asked={asked} />
        {isOverride && (
          <p className="note">
            You are not among those who are asked. This answers in their place, and the audit records it with your
            reason.
          </p>
        )}
        {call !== undefined && <GrantField call={call} choice={grant} onChange={setGrant} />}
        {fields !== null && (
          <FormView
            fields={fields}
            texts={texts}
            problems={new Map([...read.problems].filter(([name]) => touched.has(name)))}
            onChange={(name, text) => {
              setTexts({ ...texts, [name]: text });
              setTouched(new Set([...touched, name]));
            }}
          />
        )}
      </div>
    </Confirm>
  );
}

/** Shows the effect of the answer, in the words of the approval, and how many approvals the quorum still needs. */
function Effect({ asked: { decision, approval } }: { readonly asked: AskedAnswer }): JSX.Element {
  const { subject, quorum, answers } = approval;
  const effect =
    subject?.answers.find((answer) => answer.decision === decision)?.effect ?? CHOICE_TEXTS[decision].means;
  const missing = quorum - answers.length - 1;
  const isDone = decision === "approve" || decision === "retry";
  const request = isDone ? (subject?.request ?? null) : null;
  const call = isDone ? (subject?.call ?? null) : null;
  return (
    <>
      <p>{effect}</p>
      {request !== null && (
        <p>
          {requestText(request).sentence}
          <code className="answer-message">{beginningOf(request.message)}</code>
        </p>
      )}
      {call !== null && (
        <p>
          {callText(call, false)}
          <code className="answer-message">{beginningOf(call.args)}</code>
        </p>
      )}
      {decision === "approve" && missing > 0 && (
        <p className="muted">
          {missing} more {missing === 1 ? "person has" : "people have"} to approve after you.
        </p>
      )}
    </>
  );
}

/** The page behind the dialog shows the whole value. */
function beginningOf(value: unknown): string {
  const text = plainText(shownText(value));
  return text.length <= MESSAGE_SHOWN ? text : `${text.slice(0, MESSAGE_SHOWN)} …`;
}

import type { JSX } from "react";
import type { AnswerRight, Approval } from "../../../client/index.ts";
import type { JsonObject } from "../../../core/base/index.ts";
import type { Decision } from "../../../core/event/index.ts";
import { Link } from "../../page/router.tsx";
import { Button } from "../../parts/button.tsx";
import type { IconName } from "../../parts/icon.tsx";
import { CHOICE_TEXTS, verbOf } from "../../parts/approval-texts.ts";
import { argsNotWhole, changeableInputs } from "../../../core/view/index.ts";
import type { Edited } from "./edit-values.ts";

interface BarProps {
  readonly approval: Approval;
  readonly right: AnswerRight | undefined;
  readonly onAnswer: (decision: Decision) => void;
  readonly onEdit: (edited: Edited, values: JsonObject) => void;
}

const ICONS: Readonly<Record<Decision, IconName>> = {
  approve: "check",
  reject: "cross",
  retry: "redo",
  skip: "skip",
  abort: "stop",
};

/** Checks whether the person can answer here, directly or by an override. */
export function canAnswer(right: AnswerRight | undefined): right is AnswerRight {
  return right !== undefined && (right.mayAnswer || right.mayOverride);
}

/** Checks whether the tool call may already have been made. Then approving it means entering the result it returned. */
export function isOutcomeAsked({ subject, choices }: Approval): boolean {
  return subject?.call !== undefined && choices.includes("retry");
}

/** A button for each possible answer. Each opens the confirmation. */
export function AnswerBar({ approval, right, onAnswer, onEdit }: BarProps): JSX.Element | null {
  const { choices, source, runId, nodeId } = approval;
  if (!canAnswer(right)) return null;
  return (
    <div className="row approval-answers">
      {choices
        .filter((choice) => choice !== "approve" || !isOutcomeAsked(approval))
        .map((choice) => (
          <Button
            key={choice}
            kind={choice === "approve" ? "primary" : choice === "reject" || choice === "abort" ? "danger" : "plain"}
            icon={ICONS[choice]}
            title={CHOICE_TEXTS[choice].means}
            onClick={() => onAnswer(choice)}
          >
            {verbOf(choice, isOutcomeAsked(approval))} …{choice === "approve" && <kbd aria-hidden="true">a</kbd>}
            {choice === "reject" && <kbd aria-hidden="true">r</kbd>}
          </Button>
        ))}
      <EditButtons approval={approval} onEdit={onEdit} />
      {source === "block" && runId !== null && nodeId !== null && (
        <Link className="button button-primary button-normal" to={`/runs/${runId}?node=${encodeURIComponent(nodeId)}`}>
          Give what it needs
        </Link>
      )}
    </div>
  );
}

function EditButtons({ approval, onEdit }: Pick<BarProps, "approval" | "onEdit">): JSX.Element | null {
  const { subject, source, choices } = approval;
  if (subject?.call !== undefined) return <CallButton call={subject.call} choices={choices} onEdit={onEdit} />;
  const inputs = changeableInputs(subject);
  const canEdit = choices.includes("approve") && Object.keys(inputs).length > 0;
  return (
    <>
      {canEdit && (
        <Button icon="compare" onClick={() => onEdit("inputs", inputs)}>
          Change and approve …
        </Button>
      )}
      {source === "escalation" && (
        <Button icon="compare" onClick={() => onEdit("outputs", { stdout: "" })}>
          Give the result …
        </Button>
      )}
    </>
  );
}

interface CallProps extends Pick<BarProps, "onEdit"> {
  readonly call: NonNullable<NonNullable<Approval["subject"]>["call"]>;
  readonly choices: readonly Decision[];
}

/** Edits a tool call. For a call that may already have been made the result is entered, otherwise the args are edited as a whole. */
function CallButton({ call: { args }, choices, onEdit }: CallProps): JSX.Element | null {
  if (choices.includes("retry")) {
    return (
      <Button icon="compare" onClick={() => onEdit("result", { result: null })}>
        It happened: give the result …
      </Button>
    );
  }
  if (argsNotWhole(args).length > 0) return null;
  return (
    <Button icon="compare" onClick={() => onEdit("args", { args })}>
      Change and approve …
    </Button>
  );
}

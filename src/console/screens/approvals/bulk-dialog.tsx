import { type JSX, useState } from "react";
import type { BulkAnswered, InboxItem } from "../../../client/index.ts";
import type { Decision } from "../../../core/event/index.ts";
import { plainText } from "../../../core/text/index.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { CHOICE_TEXTS, needsReason } from "../../parts/approval-texts.ts";
import { sendAnswers } from "./send-answer.ts";

interface BulkProps {
  readonly decision: Decision;
  readonly items: readonly InboxItem[];
  readonly onClose: () => void;
}

/** Confirms one answer for several approvals: lists every run and requires the person to type their number. */
export function BulkDialog({ decision, items, onClose }: BulkProps): JSX.Element {
  const { verb, means } = CHOICE_TEXTS[decision];
  const [refused, setRefused] = useState<BulkAnswered["data"]>([]);
  const send = async (reason: string): Promise<void> => {
    const { data } = await sendAnswers(items, decision, reason);
    const failed = data.filter(({ isAnswered }) => !isAnswered);
    setRefused(failed);
    if (failed.length > 0)
      throw new Error(`${failed.length} of ${items.length} answers were refused; the others count.`);
  };
  const why = new Map(refused.map(({ id, code, message }) => [id, `${code}: ${message}`]));
  return (
    <Confirm
      title={`${verb} ${items.length} approvals?`}
      verb={`${verb} ${items.length}`}
      phrase={String(items.length)}
      reason={needsReason(decision) ? "required" : "optional"}
      isDangerous={needsReason(decision)}
      onConfirm={send}
      onClose={onClose}
    >
      <p className="muted">{means}</p>
      <ul className="answer-runs" aria-label="Runs that are answered for">
        {items.map(({ id, runId, title }) => (
          <li key={id}>
            <code>{runId ?? "launch"}</code> {plainText(title)}
            {why.has(id) && <span className="text-bad"> {why.get(id)}</span>}
          </li>
        ))}
      </ul>
    </Confirm>
  );
}

import { type JSX, useState } from "react";
import type { Decision } from "../../../../core/event/index.ts";
import type { ApprovalView } from "../../../../core/view/index.ts";
import { api } from "../../../live/api.ts";
import { cache } from "../../../live/cache.ts";
import { useMay } from "../../../live/session-store.ts";
import { useQuery } from "../../../live/use-query.ts";
import { Link } from "../../../page/router.tsx";
import { useAction } from "../../../page/use-action.ts";
import { Button, type ButtonProps } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { ProblemView } from "../../../parts/problem-view.tsx";
import { toast } from "../../../parts/toast.tsx";
import { CHOICE_TEXTS, needsReason } from "../../../parts/approval-texts.ts";
import { ModelText } from "../../../run/model-text.tsx";
import { Pairs } from "./section.tsx";

const VERBS: Readonly<Record<Decision, string>> = {
  approve: "Approve",
  reject: "Reject",
  retry: "Try again",
  skip: "Skip the node",
  abort: "Abort the run",
};

/** The first choice is what is asked for, unless it is a way around it. */
function kindOf(choice: Decision, index: number): NonNullable<ButtonProps["kind"]> {
  if (index === 0 && choice !== "skip") return "primary";
  return choice === "reject" || choice === "abort" ? "danger" : "plain";
}

/** A hold answered where it happens: exactly what will be done, who is asked, and the answer. */
export function ApprovalBox({ approval }: { readonly approval: ApprovalView }): JSX.Element {
  const mayApprove = useMay("governance:approve");
  const mayRead = useMay("governance:read");
  // What the answer counts for; without it there is none from here.
  const asked = useQuery(mayRead ? `approval/${approval.id}` : null, () => api.getApproval(approval.id), {
    tags: ["approvals"],
  }).data;
  const [reason, setReason] = useState("");
  const [isReasonWanted, setReasonWanted] = useState(false);
  const answering = useAction(async (decision: Decision) => {
    const words = reason.trim();
    await api.resolveApproval(approval.id, {
      decision,
      digest: approval.digest,
      ...(typeof asked?.subjectDigest === "string" ? { subjectDigest: asked.subjectDigest } : {}),
      ...(words === "" ? {} : { reason: words }),
    });
    cache.invalidate("approvals");
    const { done, tone } = CHOICE_TEXTS[decision];
    toast(`${done}: ${approval.summary}`, tone);
  });
  const answer = (decision: Decision): void => {
    if (needsReason(decision) && reason.trim() === "") return setReasonWanted(true);
    void answering.run(decision);
  };
  return (
    <section className="approval" aria-label="Approval">
      <h3>{approval.source === "block" ? "Or continue without it" : (asked?.title ?? "What will happen")}</h3>
      <ModelText label="What will happen" text={approval.rendered} />
      <Pairs
        pairs={[
          ["Source", approval.source],
          [
            "Approvers",
            approval.approvers.length === 0 ? "anyone who may approve" : approval.approvers.join(", then "),
          ],
          ["Agent", approval.agentId ?? "–"],
          [
            "Digest",
            <code key="digest" className="cut">
              {approval.digest.slice(0, 24)}
            </code>,
          ],
        ]}
      />
      <p>
        <Link to={`/approvals?id=${encodeURIComponent(approval.id)}`}>Everything about this approval</Link>
      </p>
      {mayApprove && asked !== undefined && asked.form === null ? (
        <>
          <Field
            label="Reason"
            hint="Needed to reject or abort; kept with the approval."
            problem={isReasonWanted && reason.trim() === "" ? "Give a reason." : null}
          >
            <textarea rows={2} value={reason} maxLength={10_000} onChange={(event) => setReason(event.target.value)} />
          </Field>
          <div className="row">
            {approval.choices.map((choice, index) => (
              <Button
                key={choice}
                kind={kindOf(choice, index)}
                isBusy={answering.isBusy}
                onClick={() => answer(choice)}
              >
                {VERBS[choice]}
              </Button>
            ))}
          </div>
        </>
      ) : (
        <p className="muted">
          {mayApprove ? "It is answered on its own page." : "Your key may not approve. It needs governance:approve."}
        </p>
      )}
      {answering.problem !== null && <ProblemView problem={answering.problem} />}
    </section>
  );
}

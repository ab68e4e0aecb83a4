import { type JSX, useState } from "react";
import type { Decision } from "../../../../core/event/index.ts";
import { plainText } from "../../../../core/text/index.ts";
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

/** The first choice is the primary button, unless it skips the node. */
function kindOf(choice: Decision, index: number): NonNullable<ButtonProps["kind"]> {
  if (index === 0 && choice !== "skip") return "primary";
  return choice === "reject" || choice === "abort" ? "danger" : "plain";
}

/** Answers a hold in the node's panel: shows exactly what will be done, the people who are asked, and the answers. */
export function ApprovalBox({ approval }: { readonly approval: ApprovalView }): JSX.Element {
  const asked = useAsked(approval.id);
  const [reason, setReason] = useState("");
  const [isReasonWanted, setReasonWanted] = useState(false);
  const answering = useAction(async (decision: Decision) => {
    const words = reason.trim();
    await api.resolveApproval(approval.id, {
      decision,
      digest: approval.digest,
      ...(approval.subjectDigest === null ? {} : { subjectDigest: approval.subjectDigest }),
      ...(words === "" ? {} : { reason: words }),
    });
    cache.invalidate("approvals");
    const { done, tone } = CHOICE_TEXTS[decision];
    toast(`${done}: ${plainText(approval.title)}`, tone);
  });
  const answer = (decision: Decision): void => {
    if (needsReason(decision) && reason.trim() === "") return setReasonWanted(true);
    void answering.run(decision);
  };
  return (
    <section className="approval" aria-label="Approval">
      <h3>{approval.source === "block" ? "Or continue without it" : plainText(approval.title)}</h3>
      <ModelText label="What will happen" text={approval.rendered} />
      <About approval={approval} />
      <p>
        <Link to={`/approvals?id=${encodeURIComponent(approval.id)}`}>Everything about this approval</Link>
      </p>
      {asked.obstacle === null ? (
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
        <p className="muted">{asked.obstacle}</p>
      )}
      {answering.problem !== null && <ProblemView problem={answering.problem} />}
    </section>
  );
}

function About({ approval: { source, approvers, agentId, digest } }: { readonly approval: ApprovalView }): JSX.Element {
  const shown = (
    <code key="digest" className="cut">
      {digest.slice(0, 24)}
    </code>
  );
  return (
    <Pairs
      pairs={[
        ["Source", source],
        ["Approvers", approvers.length === 0 ? "anyone who may approve" : approvers.join(", then ")],
        ["Agent", agentId ?? "–"],
        ["Digest", shown],
      ]}
    />
  );
}

/** Returns the reason why the approval cannot be answered here. Null when it can. */
function useAsked(id: string): { readonly obstacle: string | null } {
  const mayRead = useMay("governance:read");
  const options = { tags: ["approvals"] };
  const found = useQuery(mayRead ? `approval/${id}` : null, () => api.getApproval(id), options);
  const right = useQuery(mayRead ? `approval-right/${id}` : null, () => api.approvals.getRight(id), options);
  if (!mayRead) return { obstacle: "Your key may not see approvals. It needs governance:read." };
  if (found.data === undefined || right.data === undefined) return { obstacle: found.problem?.message ?? "…" };
  if (!right.data.mayAnswer) return { obstacle: `You cannot answer: ${right.data.message ?? ""}` };
  const { form, subject, choices } = found.data;
  if (subject?.call !== undefined && choices.includes("retry"))
    return { obstacle: "It asks what became of a call, and is answered on its own page." };
  return { obstacle: form === null ? null : "It has a form, and is answered on its own page." };
}

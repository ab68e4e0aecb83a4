import type { JSX } from "react";
import type { ApprovalView } from "../../../../core/view/index.ts";
import { TimeText } from "../../../parts/time-text.tsx";
import { useRunView } from "../../../run/nodes-page.ts";
import { ModelText } from "../../../run/model-text.tsx";
import { Pairs, Section } from "./section.tsx";

/** The answers to a node's approvals, by people or by expiry. */
export function Answers({ nodeId }: { readonly nodeId: string }): JSX.Element | null {
  const { approvals } = useRunView();
  const answered = [...approvals.values()].filter((one) => one.nodeId === nodeId && one.status !== "pending");
  if (answered.length === 0) return null;
  return (
    <Section title={answered.length === 1 ? "Approval" : "Approvals"}>
      {answered.map((approval) => (
        <Answer key={approval.id} approval={approval} />
      ))}
    </Section>
  );
}

function Answer({ approval: { status, decision, by, reason, resolvedAt } }: { readonly approval: ApprovalView }) {
  const isOther = decision !== null && decision !== "approve" && decision !== "reject";
  return (
    <>
      <Pairs
        pairs={[
          ["Answer", isOther ? `${status}: ${decision}` : status],
          ["By", by ?? "–"],
          ["At", <TimeText key="at" at={resolvedAt} />],
        ]}
      />
      {reason !== null && reason !== "" && <ModelText label="Reason" text={reason} />}
    </>
  );
}

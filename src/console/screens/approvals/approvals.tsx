import { type JSX, useEffect, useState } from "react";
import type { Approval } from "../../../client/index.ts";
import type { Decision } from "../../../core/event/index.ts";
import { useShortcuts } from "../../page/keyboard.ts";
import { useSearchParams } from "../../page/router.tsx";
import { usePendingApprovals } from "../../live/use-pending-approvals.ts";
import { api } from "../../live/api.ts";
import { useMay } from "../../live/session-store.ts";
import { useQuery } from "../../live/use-query.ts";
import { Empty } from "../../parts/empty.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { StatusBadge } from "../../parts/status.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import { ApprovalDetail } from "./approval-detail.tsx";
import { AnswerDialog, type Asked } from "./answer-dialog.tsx";
import { needsReason } from "../../parts/approval-texts.ts";
import { byUrgency } from "./inbox.ts";
import { useAnswer } from "./use-answer.ts";
import "./approvals.css";

/** What waits for a person, soonest to expire first, and what was answered. */
export function ApprovalsScreen(): JSX.Element {
  const params = useSearchParams();
  const isDone = params.get("show") === "answered";
  const pending = usePendingApprovals();
  const all = useQuery(isDone ? "approvals?all" : null, () => api.listApprovals({ limit: 100 }), {
    tags: ["approvals"],
  });
  const found = isDone ? all : pending;
  const shown =
    found.data === undefined
      ? undefined
      : isDone
        ? found.data.data.filter(({ status }) => status !== "pending")
        : byUrgency(found.data.data);
  const waiting = pending.data?.data.length;
  return (
    <>
      <PageHead title="Approvals" />
      <Tabs
        label="Which approvals"
        tabs={[
          { id: "waiting", label: "Waiting", ...(waiting === undefined ? {} : { count: waiting }) },
          { id: "answered", label: "Answered" },
        ]}
        selected={isDone ? "answered" : "waiting"}
        onSelect={(id) => params.set({ show: id === "answered" ? id : null, id: null })}
      >
        {found.problem !== null && shown === undefined && (
          <ProblemView problem={found.problem} onRetry={() => void found.refresh()} />
        )}
        {shown === undefined ? (
          found.problem === null && <Skeleton lines={6} height={40} />
        ) : shown.length === 0 ? (
          <NoApprovals isDone={isDone} />
        ) : (
          <Inbox approvals={shown} selectedId={params.get("id")} onSelect={(id) => params.set({ id })} />
        )}
      </Tabs>
    </>
  );
}

function NoApprovals({ isDone }: { readonly isDone: boolean }): JSX.Element {
  return isDone ? (
    <Empty icon="approval" title="No approval has been answered yet" />
  ) : (
    <Empty icon="check" title="No approval is waiting" command="sluice run demo-approval">
      A step with <code>approval: required</code>, or a policy that holds, asks here. To see one:
    </Empty>
  );
}

interface InboxProps {
  readonly approvals: readonly Approval[];
  readonly selectedId: string | null;
  readonly onSelect: (id: string) => void;
}

function Inbox({ approvals, selectedId, onSelect }: InboxProps): JSX.Element {
  const [asked, setAsked] = useState<Asked | null>(null);
  const mayAnswer = useMay("governance:approve");
  const found = approvals.findIndex(({ id }) => id === selectedId);
  const at = Math.max(found, 0);
  const selected = approvals[at];
  const answering = useAnswer();
  const go = (step: number): void => {
    const next = approvals[Math.min(Math.max(at + step, 0), approvals.length - 1)];
    if (next !== undefined) onSelect(next.id);
  };
  const answer = (decision: Decision): void => {
    if (selected === undefined || !mayAnswer || selected.status !== "pending" || !selected.choices.includes(decision))
      return;
    if (needsReason(decision)) setAsked({ decision, approvals: [selected] });
    else void answering.run(decision, [selected], "");
  };
  useShortcuts([
    { keys: "j", label: "Next", group: "Approvals", run: () => go(1) },
    { keys: "k", label: "Previous", group: "Approvals", run: () => go(-1) },
    { keys: "a", label: "Approve", group: "Approvals", run: () => answer("approve") },
    { keys: "r", label: "Reject, with a reason", group: "Approvals", run: () => answer("reject") },
  ]);
  useEffect(() => {
    document.querySelector(".inbox-item[aria-current=true]")?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return (
    <div className="inbox">
      <ul className="inbox-list" aria-label="Approvals">
        {approvals.map((approval) => (
          <li key={approval.id}>
            <InboxItem
              approval={approval}
              isSelected={approval.id === selected?.id}
              onSelect={() => onSelect(approval.id)}
            />
          </li>
        ))}
      </ul>
      {selected !== undefined && (
        <ApprovalDetail
          key={selected.id}
          approval={selected}
          all={approvals}
          isBusy={answering.isBusy}
          problem={answering.problem}
          onAnswer={(decision, several) =>
            needsReason(decision) || several.length > 1
              ? setAsked({ decision, approvals: several })
              : void answering.run(decision, several, "")
          }
        />
      )}
      {asked !== null && <AnswerDialog asked={asked} onClose={() => setAsked(null)} />}
    </div>
  );
}

interface ItemProps {
  readonly approval: Approval;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

function InboxItem({ approval, isSelected, onSelect }: ItemProps): JSX.Element {
  const { summary, nodeId, status, requestedAt, expiresAt } = approval;
  return (
    <button type="button" className="inbox-item" aria-current={isSelected || undefined} onClick={onSelect}>
      <span className="cut inbox-title">{summary}</span>
      <span className="muted cut">{nodeId ?? "launch"}</span>
      <span className="inbox-foot">
        {status === "pending" ? <StatusBadge status="hold" label="Waiting" /> : <StatusBadge status={status} />}
        <span className="muted">
          <TimeText at={requestedAt} />
          {status === "pending" && (
            <>
              {" · expires "}
              <TimeText at={expiresAt} />
            </>
          )}
        </span>
      </span>
    </button>
  );
}

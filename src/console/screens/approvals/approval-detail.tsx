import { type JSX, type ReactNode, useId } from "react";
import type { Approval, NodeDetail } from "../../../client/index.ts";
import type { Decision } from "../../../core/event/index.ts";
import { Link } from "../../page/router.tsx";
import { api } from "../../live/api.ts";
import { useMay } from "../../live/session-store.ts";
import { useQuery } from "../../live/use-query.ts";
import { Button } from "../../parts/button.tsx";
import { CodeBlock, CopyButton } from "../../parts/code-block.tsx";
import { spanText } from "../../parts/figures.ts";
import { ProblemView } from "../../parts/problem-view.tsx";
import { shortId } from "../../parts/run-columns.tsx";
import { StatusBadge } from "../../parts/status.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import { CHOICE_TEXTS, SOURCE_TEXTS } from "../../parts/approval-texts.ts";
import { runsAlike, sameAs } from "./inbox.ts";

interface DetailProps {
  readonly approval: Approval;
  /** Among which identical ones are looked for. */
  readonly all: readonly Approval[];
  readonly isBusy: boolean;
  readonly problem: Error | null;
  readonly onAnswer: (decision: Decision, approvals: readonly Approval[]) => void;
}

/** One question: what exactly will happen, why it is asked, and what can be answered. */
export function ApprovalDetail({ approval, all, isBusy, problem, onAnswer }: DetailProps): JSX.Element {
  const id = useId();
  const { summary, status, rendered, digest, runId, nodeId } = approval;
  const mayRead = useMay("run:read") && runId !== null && nodeId !== null;
  const node = useQuery(
    mayRead ? `approval-node/${runId}/${nodeId}` : null,
    () => api.getNode(runId ?? "", nodeId ?? ""),
    {
      tags: runId === null ? [] : [`run:${runId}`],
      freshMs: 5_000,
    },
  ).data;
  return (
    <section className="approval-detail" aria-labelledby={id}>
      <div className="spread">
        <h2 id={id}>{summary}</h2>
        {status === "pending" ? <StatusBadge status="hold" label="Waiting" /> : <StatusBadge status={status} />}
      </div>
      {status === "pending" && <Answers approval={approval} all={all} isBusy={isBusy} onAnswer={onAnswer} />}
      {problem !== null && <ProblemView problem={problem} />}
      <Facts approval={approval} />
      <h3>What exactly will happen</h3>
      <CodeBlock
        text={rendered === "" ? "(nothing is sent; the answer itself is the result)" : rendered}
        label="What will happen"
        isWrapped
        maxHeight={320}
      />
      <p className="muted row approval-digest">
        <span>Your answer counts only for this text:</span>
        <code className="cut">{digest}</code>
        <CopyButton text={digest} label="Copy digest" />
      </p>
      <Why approval={approval} node={node} />
      <Inputs node={node} />
    </section>
  );
}

function Answers({ approval, all, isBusy, onAnswer }: Omit<DetailProps, "problem">): JSX.Element {
  const mayAnswer = useMay("governance:approve");
  const same = sameAs(approval, all, useWorkflows(runsAlike(approval, all))).filter(
    ({ status }) => status === "pending",
  );
  if (!mayAnswer) {
    return <p className="note">This key may look, but not answer: it lacks the permission governance:approve.</p>;
  }
  return (
    <div className="row">
      {approval.choices.map((choice) => (
        <Button
          key={choice}
          kind={choice === "approve" ? "primary" : choice === "reject" || choice === "abort" ? "danger" : "plain"}
          icon={
            choice === "approve"
              ? "check"
              : choice === "reject"
                ? "cross"
                : choice === "retry"
                  ? "redo"
                  : choice === "skip"
                    ? "skip"
                    : "stop"
          }
          title={CHOICE_TEXTS[choice].means}
          isBusy={isBusy}
          onClick={() => onAnswer(choice, [approval])}
        >
          {CHOICE_TEXTS[choice].verb}
          {choice === "approve" && <kbd aria-hidden="true">a</kbd>}
          {choice === "reject" && <kbd aria-hidden="true">r</kbd>}
        </Button>
      ))}
      {approval.source === "block" && approval.runId !== null && approval.nodeId !== null && (
        <Link
          className="button button-primary button-normal"
          to={`/runs/${approval.runId}?node=${encodeURIComponent(approval.nodeId)}`}
        >
          Give what it needs
        </Link>
      )}
      {same.length > 1 && approval.choices.includes("approve") && (
        <Button kind="quiet" onClick={() => onAnswer("approve", same)}>
          Approve all {same.length} identical
        </Button>
      )}
      {same.length > 1 && approval.choices.includes("reject") && (
        <Button kind="quiet" onClick={() => onAnswer("reject", same)}>
          Reject all {same.length}
        </Button>
      )}
    </div>
  );
}

/** The workflow of each run. Without permission to read runs nothing is offered for several at once. */
function useWorkflows(runIds: readonly string[]): ReadonlyMap<string, string> {
  const mayRead = useMay("run:read");
  const found = useQuery(
    mayRead && runIds.length > 0 ? `approval-runs/${runIds.join()}` : null,
    async () => Promise.all(runIds.map((id) => api.getRun(id))),
    { freshMs: 60_000 },
  ).data;
  return new Map((found ?? []).map(({ id, workflow }) => [id, workflow]));
}

function Facts({ approval }: { readonly approval: Approval }): JSX.Element {
  const {
    runId,
    nodeId,
    agentId,
    requestedAt,
    expiresAt,
    approvers,
    isSeparate,
    status,
    resolvedBy,
    resolvedAt,
    reason,
  } = approval;
  return (
    <dl className="facts">
      {runId !== null && (
        <Fact label="Run">
          <Link className="mono" to={`/runs/${runId}${nodeId === null ? "" : `?node=${encodeURIComponent(nodeId)}`}`}>
            {shortId(runId)}
          </Link>
        </Fact>
      )}
      <Fact label="Node">{nodeId ?? "none: the launch itself waits"}</Fact>
      {agentId !== null && <Fact label="Agent">{agentId}</Fact>}
      <Fact label="Requested">
        <TimeText at={requestedAt} />
      </Fact>
      {status === "pending" && (
        <Fact label="Expires">
          <TimeText at={expiresAt} />
        </Fact>
      )}
      {approvers.length > 0 && (
        <Fact label="Approvers" isWide>
          {approvers
            .map(({ who, withinMs }) => (withinMs === null ? who : `${who} (${spanText(withinMs)})`))
            .join(", then ")}
        </Fact>
      )}
      {isSeparate && <Fact label="Rule">The person who started the run may not answer.</Fact>}
      {status !== "pending" && (
        <Fact label="Answered">
          <TimeText at={resolvedAt} />
          {resolvedBy !== null && ` by ${resolvedBy}`}
        </Fact>
      )}
      {reason !== null && <Fact label="Reason">{reason}</Fact>}
    </dl>
  );
}

interface FactProps {
  readonly label: string;
  /** Takes a line of its own. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

function Fact({ label, isWide = false, children }: FactProps): JSX.Element {
  return (
    <div className={isWide ? "is-wide" : ""}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Why({ approval, node }: { readonly approval: Approval; readonly node: NodeDetail | undefined }): JSX.Element {
  const held = node?.verdicts.findLast(({ disposition }) => disposition !== "allow");
  const explanation = held?.explanation ?? null;
  return (
    <>
      <h3>Why it was held</h3>
      <p>{SOURCE_TEXTS[approval.source]}</p>
      {explanation !== null && (
        <>
          <p>
            <code>{explanation.gate}</code> {explanation.message}
          </p>
          {explanation.unblock.length > 0 && (
            <ul>
              {explanation.unblock.map(({ action, target, detail }) => (
                <li key={`${action} ${target}`}>{detail}</li>
              ))}
            </ul>
          )}
        </>
      )}
    </>
  );
}

function Inputs({ node }: { readonly node: NodeDetail | undefined }): JSX.Element | null {
  const inputs = node?.request?.inputs;
  if (inputs === undefined || Object.keys(inputs).length === 0) return null;
  return (
    <>
      <h3>Inputs</h3>
      <CodeBlock text={JSON.stringify(inputs, null, 2)} label="Inputs" isWrapped maxHeight={260} />
    </>
  );
}

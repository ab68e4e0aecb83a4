import { type JSX, type ReactNode, useId } from "react";
import type { AnswerRight, Approval } from "../../../client/index.ts";
import type { JsonObject } from "../../../core/base/index.ts";
import type { Decision } from "../../../core/event/index.ts";
import { plainText } from "../../../core/text/index.ts";
import { Link } from "../../page/router.tsx";
import { CopyButton } from "../../parts/code-block.tsx";
import { shortId } from "../../parts/short-id.ts";
import { StatusBadge } from "../../parts/status.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import { AnswerBar } from "./answer-bar.tsx";
import { AssigneeView } from "./assignee-view.tsx";
import { CommentsView } from "./comments-view.tsx";
import type { Edited } from "./edit-values.ts";
import { SubjectView } from "./subject/subject-view.tsx";
import { ValueTable } from "./subject/value-view.tsx";
import { WhoView } from "./who-view.tsx";

interface DetailProps {
  readonly approval: Approval;
  readonly right: AnswerRight | undefined;
  readonly onAnswer: (decision: Decision) => void;
  readonly onEdit: (edited: Edited, values: JsonObject) => void;
}

/** One approval: its subject, exactly what will happen, the people who are asked, and the possible answers. */
export function ApprovalDetail({ approval, right, onAnswer, onEdit }: DetailProps): JSX.Element {
  const id = useId();
  const { title, status, id: approvalId } = approval;
  const isOpen = status === "pending";
  return (
    <section className="approval-detail" aria-labelledby={id}>
      <div className="spread">
        <h2 id={id}>{plainText(title)}</h2>
        {isOpen ? <StatusBadge status="hold" label="Waiting" /> : <StatusBadge status={status} />}
      </div>
      <Origin approval={approval} />
      {isOpen && <AnswerBar approval={approval} right={right} onAnswer={onAnswer} onEdit={onEdit} />}
      <WhoView approval={approval} right={right} />
      {!isOpen && <Outcome approval={approval} />}
      <SubjectView approval={approval} />
      <Facts approval={approval} />
      <CommentsView approvalId={approvalId} />
    </section>
  );
}

/** The origin of the approval, in one line. */
function Origin({ approval }: { readonly approval: Approval }): JSX.Element {
  const { subject, workflow, nodeId, runId, requestedAt } = approval;
  const version = subject?.version ?? null;
  return (
    <p className="muted approval-origin">
      {workflow !== null && (
        <>
          <Link to={`/workflows/${encodeURIComponent(workflow)}`}>{workflow}</Link>
          {version !== null && ` v${version}`}
          {nodeId !== null && `, step ${nodeId}`}
          {", "}
        </>
      )}
      {runId === null ? "a launch" : <RunLink runId={runId} nodeId={nodeId} />}
      {subject !== null && (
        <>
          , started by <strong>{subject.startedBy ?? subject.trigger}</strong>
          {subject.startedBy !== null && ` (${subject.trigger})`}
        </>
      )}
      , asked <TimeText at={requestedAt} />
    </p>
  );
}

function RunLink({ runId, nodeId }: { readonly runId: string; readonly nodeId: string | null }): JSX.Element {
  return (
    <Link className="mono" to={`/runs/${runId}${nodeId === null ? "" : `?node=${encodeURIComponent(nodeId)}`}`}>
      {shortId(runId)}
    </Link>
  );
}

function Outcome({ approval }: { readonly approval: Approval }): JSX.Element {
  const { decision, resolvedBy, resolvedAt, reason, modifications, entered } = approval;
  return (
    <div className="stack">
      <p>
        Answered{decision !== null && ` with ${decision}`}
        {resolvedBy !== null && ` by ${resolvedBy}`}, <TimeText at={resolvedAt} />.
        {reason !== null && ` “${plainText(reason)}”`}
      </p>
      {entered !== null && <ValueTable label="What was entered" values={entered} />}
      {modifications !== null && <ValueTable label="What was changed" values={modifications} />}
    </div>
  );
}

function Facts({ approval }: { readonly approval: Approval }): JSX.Element {
  const { id, status, expiresAt, digest, subjectDigest, confirm } = approval;
  const seen = subjectDigest ?? digest;
  return (
    <dl className="facts">
      <Fact label="Assigned to" isWide>
        <AssigneeView approval={approval} />
      </Fact>
      {status === "pending" && (
        <Fact label="Expires">
          <TimeText at={expiresAt} />
        </Fact>
      )}
      {confirm !== null && <Fact label="In messages">Only after sign-in</Fact>}
      <Fact label="Approval">
        <code className="cut">{id}</code>
      </Fact>
      <Fact label="Your answer counts only for what is shown here" isWide>
        <span className="row approval-digest">
          <code className="cut">{seen}</code>
          <CopyButton text={seen} label="Copy digest" />
        </span>
      </Fact>
    </dl>
  );
}

interface FactProps {
  readonly label: string;
  /** Whether the fact is shown on a line of its own. */
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

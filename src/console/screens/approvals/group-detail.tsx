import { type JSX, useId, useState } from "react";
import type { ApprovalsQuery, InboxItem } from "../../../client/index.ts";
import type { Decision } from "../../../core/event/index.ts";
import { plainText } from "../../../core/text/index.ts";
import { api } from "../../live/api.ts";
import { useMay } from "../../live/session-store.ts";
import { useQuery } from "../../live/use-query.ts";
import { Button } from "../../parts/button.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { shortId } from "../../parts/short-id.ts";
import { Skeleton } from "../../parts/skeleton.tsx";
import { StatusBadge } from "../../parts/status.tsx";
import { CHOICE_TEXTS } from "../../parts/approval-texts.ts";
import { differencesOf } from "./differences.ts";
import { ColumnHeads } from "./subject/column-heads.tsx";
import { SubjectView } from "./subject/subject-view.tsx";
import { WhoView } from "./who-view.tsx";

/** The largest number of approvals that one request may answer. */
const MEMBERS_MAX = 200;
const PAGE = 100;

interface GroupProps {
  readonly group: string;
  /** The filter of the list. Approvals of the group outside the filter are not answered here. */
  readonly filter: ApprovalsQuery;
  /** Number of approvals in the group. */
  readonly size: number;
  readonly onOpen: (id: string) => void;
  readonly onAnswer: (decision: Decision, items: readonly InboxItem[]) => void;
}

/** A group of approvals that differ only in their args: a table of the differences, and answers for the selected approvals. */
export function GroupDetail({ group, filter, size, onOpen, onAnswer }: GroupProps): JSX.Element {
  const key = `approval-group/${group}?${JSON.stringify(filter)}`;
  const found = useQuery(key, () => readGroup(group, filter), { tags: ["approvals"] });
  if (found.data === undefined) {
    return (
      <section className="approval-detail" aria-label="Approvals that ask the same">
        {found.problem === null ? (
          <Skeleton lines={6} height={40} />
        ) : (
          <ProblemView problem={found.problem} onRetry={() => void found.refresh()} />
        )}
      </section>
    );
  }
  const [first] = found.data;
  if (first === undefined) return <section className="approval-detail">They have been answered.</section>;
  return <Members items={found.data} first={first} size={size} onOpen={onOpen} onAnswer={onAnswer} />;
}

async function readGroup(group: string, filter: ApprovalsQuery): Promise<readonly InboxItem[]> {
  const wanted = { ...filter, group, grouped: "false", include: "subject" } as const;
  const items: InboxItem[] = [];
  let cursor: string | undefined;
  while (items.length < MEMBERS_MAX) {
    const found = await api.listApprovals({ ...wanted, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) });
    items.push(...found.data);
    cursor = found.nextCursor;
    if (cursor === undefined) break;
  }
  return items;
}

interface MembersProps extends Pick<GroupProps, "size" | "onOpen" | "onAnswer"> {
  readonly items: readonly InboxItem[];
  readonly first: InboxItem;
}

function Members({ items, first, size, onOpen, onAnswer }: MembersProps): JSX.Element {
  const id = useId();
  const mayAnswer = useMay("governance:approve");
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const chosen = items.filter((item) => !left.has(item.id));
  const toggle = (approvalId: string): void => {
    const next = new Set(left);
    if (!next.delete(approvalId)) next.add(approvalId);
    setLeft(next);
  };
  return (
    <section className="approval-detail" aria-labelledby={id}>
      <div className="spread">
        <h2 id={id}>
          {Math.max(size, items.length)} approvals of {first.workflow} ask the same
        </h2>
        <StatusBadge status="hold" label="Waiting" />
      </div>
      {mayAnswer && (
        <div className="row approval-answers">
          {first.form === null &&
            first.choices.map((choice) => (
              <Button
                key={choice}
                kind={choice === "reject" || choice === "abort" ? "danger" : "plain"}
                disabled={chosen.length === 0}
                onClick={() => onAnswer(choice, chosen)}
              >
                {CHOICE_TEXTS[choice].verb} {chosen.length} …
              </Button>
            ))}
          {first.form !== null && <p className="note">Each of them has a form; answer them one by one.</p>}
        </div>
      )}
      {size > items.length && (
        <p className="note">
          These are the {items.length} that expire first; the others follow when these are answered.
        </p>
      )}
      <DifferenceTable items={items} left={left} onToggle={toggle} onOpen={onOpen} />
      <WhoView approval={first} right={undefined} />
      <p className="muted">The rest is the same in all of them. As the first one shows it:</p>
      <SubjectView approval={first} />
    </section>
  );
}

interface TableProps {
  readonly items: readonly InboxItem[];
  readonly left: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
  readonly onOpen: (id: string) => void;
}

function DifferenceTable({ items, left, onToggle, onOpen }: TableProps): JSX.Element {
  const { names, values } = differencesOf(items);
  return (
    <div className="subject-table" tabIndex={0} role="region" aria-label="What differs">
      <table>
        <thead>
          <tr>
            <th scope="col">Answer</th>
            <th scope="col">Run</th>
            <ColumnHeads names={names} />
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.id}>
              <td>
                <input
                  type="checkbox"
                  aria-label={`Answer for ${item.runId ?? item.id}`}
                  checked={!left.has(item.id)}
                  onChange={() => onToggle(item.id)}
                />
              </td>
              <td>
                <button type="button" className="link-button mono" onClick={() => onOpen(item.id)}>
                  {item.runId === null ? "launch" : shortId(item.runId)}
                </button>
              </td>
              {(values.get(item.id) ?? []).map((text, index) => (
                <td key={names[index]}>{plainText(text)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

import { type JSX, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import type { AnswerRight, Approval, ApprovalsQuery, InboxItem } from "../../../client/index.ts";
import type { JsonObject } from "../../../core/base/index.ts";
import type { Decision } from "../../../core/event/index.ts";
import { useShortcuts } from "../../page/keyboard.ts";
import { api } from "../../live/api.ts";
import { useQuery } from "../../live/use-query.ts";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { canAnswer, isOutcomeAsked } from "./answer-bar.tsx";
import { AnswerDialog } from "./answer-dialog.tsx";
import { ApprovalDetail } from "./approval-detail.tsx";
import { BulkDialog } from "./bulk-dialog.tsx";
import { EditDialog } from "./edit-dialog.tsx";
import type { Edited } from "./edit-values.ts";
import { GroupDetail } from "./group-detail.tsx";
import { entriesOf, groupKey, type InboxEntry, isSelected, placeOf, readKey } from "./inbox.ts";
import { InboxList } from "./inbox-list.tsx";
import type { InboxList as List } from "./use-inbox.ts";

/** The answer in progress. It keeps the approval as it was shown, even when the list changes meanwhile. */
type Asked =
  | { readonly kind: "answer"; readonly decision: Decision; readonly approval: Approval; readonly right: AnswerRight }
  | { readonly kind: "edit"; readonly approval: Approval; readonly edited: Edited; readonly values: JsonObject }
  | { readonly kind: "bulk"; readonly decision: Decision; readonly items: readonly InboxItem[] };

interface InboxProps {
  readonly list: List;
  readonly filter: ApprovalsQuery;
  /** Key from the address, parsed by `readKey`. */
  readonly selected: string | null;
  /** Called with the new key, or null when nothing is left to select. */
  readonly onSelect: (key: string | null) => void;
  readonly onMore: (() => void) | null;
}

const NO_RESULT_YET = { result: null };

/** The list of approvals and the details of the selected entry. */
export function InboxView({ list, filter, selected, onSelect, onMore }: InboxProps): JSX.Element {
  const [asked, setAsked] = useState<Asked | null>(null);
  const entries = useMemo(() => entriesOf(list.items), [list.items]);
  const { at, key } = useSelection(entries, selected, onSelect);
  const { group, id } = key === null ? { group: null, id: null } : readKey(key);
  const shown = useShown(id);
  const { approval, right } = shown;
  const detail = useInSight(selected, group !== null || approval !== undefined);
  const isMemberDone = group !== null && approval !== undefined && approval.status !== "pending";
  // After one approval of a group was answered, the rest of the group is shown again.
  useEffect(() => {
    if (isMemberDone && group !== null) onSelect(groupKey(group));
  }, [isMemberDone, group, onSelect]);
  const move = (step: number): void => {
    const next = entries[Math.min(Math.max(at + step, 0), entries.length - 1)];
    if (next !== undefined) onSelect(next.key);
  };
  const answer = (decision: Decision): void => {
    const isOpen = approval?.status === "pending" && approval.choices.includes(decision);
    if (approval === undefined || !isOpen || !canAnswer(right)) return;
    const isResult = decision === "approve" && isOutcomeAsked(approval);
    setAsked(
      isResult
        ? { kind: "edit", approval, edited: "result", values: NO_RESULT_YET }
        : { kind: "answer", decision, approval, right },
    );
  };
  useShortcuts([
    { keys: "j", label: "Next", group: "Approvals", run: () => move(1) },
    { keys: "k", label: "Previous", group: "Approvals", run: () => move(-1) },
    { keys: "a", label: "Approve; asks once more", group: "Approvals", run: () => answer("approve") },
    { keys: "r", label: "Reject; asks for the reason", group: "Approvals", run: () => answer("reject") },
  ]);
  return (
    <div className="inbox">
      <InboxList entries={entries} at={at} hasMore={list.nextCursor !== null} onSelect={onSelect} onMore={onMore} />
      <div ref={detail} className="inbox-shown">
        {group !== null && id === null ? (
          <GroupDetail
            key={group}
            group={group}
            filter={filter}
            size={entries[at]?.size ?? 0}
            onOpen={(member) => onSelect(groupKey(group, member))}
            onAnswer={(decision, items) => setAsked({ kind: "bulk", decision, items })}
          />
        ) : approval === undefined ? (
          <section className="approval-detail" aria-label="Approval">
            {shown.problem === null ? <Skeleton lines={6} height={40} /> : <ProblemView problem={shown.problem} />}
          </section>
        ) : (
          <ApprovalDetail
            key={approval.id}
            approval={approval}
            right={right}
            onAnswer={answer}
            onEdit={(edited, values) => setAsked({ kind: "edit", approval, edited, values })}
          />
        )}
      </div>
      {asked !== null && <AskedDialog asked={asked} onClose={() => setAsked(null)} />}
    </div>
  );
}

function AskedDialog({ asked, onClose }: { readonly asked: Asked; readonly onClose: () => void }): JSX.Element {
  switch (asked.kind) {
    case "answer":
      return <AnswerDialog asked={asked} onClose={onClose} />;
    case "edit":
      return <EditDialog approval={asked.approval} edited={asked.edited} values={asked.values} onClose={onClose} />;
    case "bulk":
      return <BulkDialog decision={asked.decision} items={asked.items} onClose={onClose} />;
  }
}

/**
 * Returns the selected entry and the key that is shown. If the selected entry leaves the list, the next entry in its
 * position is selected. An entry that was never in the list (already answered, or further down) is still shown.
 */
function useSelection(
  entries: readonly InboxEntry[],
  selected: string | null,
  onSelect: (key: string | null) => void,
): { readonly at: number; readonly key: string | null } {
  const before = useRef(0);
  const seen = useRef<string | null>(null);
  const at = placeOf(entries, selected, before.current);
  const entry = entries[at];
  const isListed = entry !== undefined && selected !== null && isSelected(entry, selected);
  const hasLeft = !isListed && selected !== null && seen.current === selected;
  useEffect(() => {
    before.current = at;
    if (isListed) seen.current = selected;
  }, [at, isListed, selected]);
  useEffect(() => {
    if (hasLeft) onSelect(entry?.key ?? null);
  }, [hasLeft, entry, onSelect]);
  // A group of which one approval is left is shown as that approval.
  const isLast = isListed && entry.size === 1;
  if (selected !== null && !hasLeft) return { at: isListed ? at : -1, key: isLast ? entry.key : selected };
  return { at, key: entry?.key ?? null };
}

/** The width at which the style sheet puts the details below the list. */
const NARROW = "(max-width: 860px)";

/** When the details are below the list, scrolls to the entry that was selected by a click or by a link. */
function useInSight(selected: string | null, isThere: boolean): RefObject<HTMLDivElement | null> {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (selected !== null && isThere && matchMedia(NARROW).matches) ref.current?.scrollIntoView({ block: "start" });
  }, [selected, isThere]);
  return ref;
}

interface ShownApproval {
  readonly approval: Approval | undefined;
  readonly right: AnswerRight | undefined;
  readonly problem: Error | null;
}

function useShown(id: string | null): ShownApproval {
  const found = useQuery(id === null ? null : `approval/${id}`, () => api.getApproval(id ?? ""), {
    tags: ["approvals"],
  });
  const right = useQuery(id === null ? null : `approval-right/${id}`, () => api.approvals.getRight(id ?? ""), {
    tags: ["approvals"],
  });
  return id === null
    ? { approval: undefined, right: undefined, problem: null }
    : { approval: found.data, right: right.data, problem: found.problem };
}

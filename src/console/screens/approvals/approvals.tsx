import type { JSX } from "react";
import { type SearchParams, useSearchParams } from "../../page/router.tsx";
import { useSession } from "../../live/session-store.ts";
import { useApprovalCounts } from "../../live/use-approval-counts.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { filterOf, FILTERS } from "./inbox.ts";
import { InboxView } from "./inbox-view.tsx";
import { useInbox } from "./use-inbox.ts";
import "./approvals.css";

/** The inbox: pending approvals, the soonest to expire first, and answered approvals. */
export function ApprovalsScreen(): JSX.Element {
  const params = useSearchParams();
  const isDone = params.get("show") === "answered";
  const filter = filterOf(params);
  const found = useInbox(filter);
  const waiting = useApprovalCounts().data?.waiting;
  const list = found.data;
  return (
    <>
      <PageHead title="Approvals" />
      {useSession().approvers === "advisory" && (
        <p className="note" role="status">
          Approvers are not enforced on this server: any key with governance:approve may answer, also where others are
          asked. The operator ends this with --approvers enforced.
        </p>
      )}
      <Tabs
        label="Which approvals"
        tabs={[
          { id: "waiting", label: "Waiting", ...(waiting === undefined ? {} : { count: waiting }) },
          { id: "answered", label: "Answered" },
        ]}
        selected={isDone ? "answered" : "waiting"}
        onSelect={(id) => params.set({ show: id === "answered" ? id : null, id: null })}
      >
        <FilterBar params={params} />
        {found.problem !== null && <ProblemView problem={found.problem} onRetry={() => void found.refresh()} />}
        {list === undefined ? (
          found.problem === null && <Skeleton lines={6} height={40} />
        ) : list.items.length === 0 && params.get("id") === null ? (
          <NoApprovals params={params} isDone={isDone} />
        ) : (
          <InboxView
            list={list}
            filter={filter}
            selected={params.get("id")}
            onSelect={(id) => params.set({ id })}
            onMore={found.readMore}
          />
        )}
      </Tabs>
    </>
  );
}

function NoApprovals({ params, isDone }: { readonly params: SearchParams; readonly isDone: boolean }): JSX.Element {
  const isFiltered = FILTERS.some((name) => params.get(name) !== null);
  if (isFiltered) {
    return (
      <Empty
        icon="filter"
        title="No results"
        action={
          <Button onClick={() => params.set(Object.fromEntries(FILTERS.map((name) => [name, null])))}>Show all</Button>
        }
      >
        Change the filters to see more.
      </Empty>
    );
  }
  return isDone ? (
    <Empty icon="approval" title="No approval has been answered yet" />
  ) : (
    <Empty icon="check" title="No approval is waiting" command="sluice run demo-approval">
      A step with <code>approval: required</code>, or a policy that holds, asks here. To see one:
    </Empty>
  );
}

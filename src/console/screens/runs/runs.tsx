import { type JSX, useState } from "react";
import { RUN_STATUSES, WAITING_FOR } from "../../../core/event/index.ts";
import type { Run } from "../../../client/index.ts";
import { useShortcuts } from "../../page/keyboard.ts";
import { navigate, type SearchParams, useSearchParams } from "../../page/router.tsx";
import { api } from "../../live/api.ts";
import type { RunFilter } from "../../live/run-list.ts";
import { useMay } from "../../live/session-store.ts";
import { useQuery } from "../../live/use-query.ts";
import { useRunList } from "../../live/use-run-list.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { waitingLabel } from "../../parts/run-badge.tsx";
import { RUN_COLUMNS, RUN_ROW_PX } from "../../parts/run-columns.tsx";
import { ANY, FilterSelect } from "../../parts/select.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { lookOf } from "../../parts/status.tsx";
import { Table } from "../../parts/table.tsx";
import { BulkActions } from "./bulk-actions.tsx";
import { ViewBar } from "./view-bar.tsx";
import "./runs.css";

/** Every run, newest first, filtered by the address. */
export function RunsScreen(): JSX.Element {
  const params = useSearchParams();
  const [pages, setPages] = useState(1);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const found = useRunList(filterOf(params), pages);
  const rows = found.data?.runs;
  useShortcuts([
    { keys: "x", label: "Select none", group: "Runs", run: () => setChosen(new Set()) },
    { keys: "j", label: "To the rows; j and k move, Enter opens, Space selects", group: "Runs", run: focusFirstRow },
  ]);
  const picked = (rows ?? []).filter(({ id }) => chosen.has(id));
  return (
    <>
      <PageHead title="Runs" />
      <ViewBar params={params} />
      <Filters params={params} />
      {picked.length > 0 && <BulkActions runs={picked} onDone={() => setChosen(new Set())} />}
      {found.problem !== null && <ProblemView problem={found.problem} onRetry={() => void found.refresh()} />}
      <Panel isFlush>
        {rows === undefined ? (
          found.problem === null && <Skeleton lines={8} height={28} />
        ) : rows.length === 0 ? (
          <NoRuns
            isFiltered={["status", "waiting_for", "workflow", "parent"].some((name) => params.get(name) !== null)}
          />
        ) : (
          <Table
            label="Runs"
            columns={RUN_COLUMNS}
            rowPx={RUN_ROW_PX}
            rows={rows}
            keyOf={keyOfRun}
            onOpen={({ id }) => navigate(`/runs/${id}`)}
            chosen={chosen}
            onChoose={setChosen}
          />
        )}
      </Panel>
      {found.data?.hasMore === true && (
        <div className="runs-more">
          <Button isBusy={found.isLoading} onClick={() => setPages(pages + 1)}>
            Show older runs
          </Button>
        </div>
      )}
    </>
  );
}

const keyOfRun = ({ id }: Run): string => id;

function focusFirstRow(): void {
  document.querySelector<HTMLElement>("tr[data-key]")?.focus();
}

function filterOf({ get }: SearchParams): RunFilter {
  const status = RUN_STATUSES.find((each) => each === get("status"));
  const waitingFor = WAITING_FOR.find((each) => each === get("waiting_for"));
  const workflow = get("workflow");
  const parent = get("parent");
  return {
    ...(status === undefined ? {} : { status }),
    ...(waitingFor === undefined ? {} : { waiting_for: waitingFor }),
    ...(workflow === null ? {} : { workflow }),
    ...(parent === null ? {} : { parent }),
  };
}

function Filters({ params }: { readonly params: SearchParams }): JSX.Element {
  const mayRead = useMay("workflow:read");
  const workflows = useQuery(mayRead ? "workflows/names" : null, () => api.listWorkflows({ limit: 100 }), {
    tags: ["workflows"],
    freshMs: 10_000,
  }).data;
  const parent = params.get("parent");
  return (
    <div className="row runs-filters" role="search" aria-label="Filter runs">
      <FilterSelect
        label="Status"
        value={params.get("status") ?? ""}
        options={[ANY, ...RUN_STATUSES.map((status) => [status, lookOf(status).label] as const)]}
        onChange={(status) => params.set({ status })}
      />
      <FilterSelect
        label="Waiting for"
        value={params.get("waiting_for") ?? ""}
        options={[ANY, ...WAITING_FOR.map((each) => [each, waitingLabel(each)] as const)]}
        onChange={(waiting) => params.set({ waiting_for: waiting })}
      />
      <FilterSelect
        label="Workflow"
        value={params.get("workflow") ?? ""}
        options={[ANY, ...names(workflows?.data.map(({ name }) => name) ?? [], params.get("workflow"))]}
        onChange={(workflow) => params.set({ workflow })}
      />
      {parent !== null && (
        <Button size="small" icon="cross" onClick={() => params.set({ parent: null })}>
          Children of {parent}
        </Button>
      )}
    </div>
  );
}

/** The workflow in the address is offered even when it is not among the first hundred. */
function names(known: readonly string[], chosen: string | null): readonly string[] {
  return chosen === null || known.includes(chosen) ? known : [chosen, ...known];
}

function NoRuns({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  if (isFiltered) {
    return (
      <Empty icon="filter" title="No results" action={<Button onClick={() => navigate("/runs")}>Show all</Button>}>
        Change the filters to see more.
      </Empty>
    );
  }
  return (
    <Empty icon="run" title="Nothing has run yet" command="sluice run demo-hello">
      Start a workflow from its page, or from a terminal:
    </Empty>
  );
}

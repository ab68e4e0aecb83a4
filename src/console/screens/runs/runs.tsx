import { type JSX, useState } from "react";
import type { Run } from "../../../client/index.ts";
import { useShortcuts } from "../../page/keyboard.ts";
import { navigate, useSearchParams } from "../../page/router.tsx";
import { useRunList } from "../../live/use-run-list.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { RUN_COLUMNS, RUN_ROW_PX } from "../../parts/run-columns.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Table } from "../../parts/table.tsx";
import { BulkActions } from "./bulk-actions.tsx";
import { ErrorTable } from "./error-table.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { FILTER_NAMES, filterOf } from "./run-filters.ts";
import { SearchBox } from "./search-box.tsx";
import { ViewBar } from "./view-bar.tsx";
import "./runs.css";

/** The list of runs, newest first, with the filters from the address. */
export function RunsScreen(): JSX.Element {
  const params = useSearchParams();
  const [pages, setPages] = useState(1);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const found = useRunList(filterOf(params.get), pages);
  const rows = found.data?.runs;
  useShortcuts([
    { keys: "x", label: "Select none", group: "Runs", run: () => setChosen(new Set()) },
    { keys: "j", label: "To the rows; j and k move, Enter opens, Space selects", group: "Runs", run: focusFirstRow },
  ]);
  const picked = (rows ?? []).filter(({ id }) => chosen.has(id));
  const isFiltered = FILTER_NAMES.some((name) => params.get(name) !== null);
  const isGrouped = params.get("group") === "error";
  return (
    <>
      <PageHead title="Runs" />
      <SearchBox params={params} />
      <ViewBar />
      <div className="spread runs-bar">
        <FilterBar params={params} />
        <label className="row nowrap">
          <input
            type="checkbox"
            checked={isGrouped}
            onChange={(event) => params.set({ group: event.target.checked ? "error" : null })}
          />
          Group by error
        </label>
      </div>
      {picked.length > 0 && <BulkActions runs={picked} onDone={() => setChosen(new Set())} />}
      {found.problem !== null && <ProblemView problem={found.problem} onRetry={() => void found.refresh()} />}
      <Panel isFlush>
        {rows === undefined ? (
          found.problem === null && <Skeleton lines={8} height={28} />
        ) : rows.length === 0 ? (
          <NoRuns isFiltered={isFiltered} />
        ) : isGrouped ? (
          <ErrorTable runs={rows} onOpen={({ code }) => params.set({ group: null, error: code })} />
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

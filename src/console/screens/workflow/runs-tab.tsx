import { type JSX, useState } from "react";
import { Link, navigate } from "../../page/router.tsx";
import { useRunList } from "../../live/use-run-list.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { RUN_COLUMNS, RUN_ROW_PX } from "../../parts/run-columns.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Table } from "../../parts/table.tsx";
import { CompareButton } from "../../parts/compare-button.tsx";

const SHOWN = 50;

export function RunsTab({ name }: { readonly name: string }): JSX.Element {
  const runs = useRunList({ workflow: name }, 1, SHOWN);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  if (runs.data === undefined)
    return runs.problem === null ? <Skeleton lines={6} height={28} /> : <ProblemView problem={runs.problem} />;
  if (runs.data.runs.length === 0) {
    return (
      <Empty icon="run" title="No runs yet" command={`sluice run ${name}`}>
        Press <kbd>l</kbd> to launch the first one.
      </Empty>
    );
  }
  const picked = runs.data.runs.filter(({ id }) => chosen.has(id));
  return (
    <div className="stack">
      <div className="row" role="group" aria-label="For the selected runs">
        <CompareButton runs={picked} />
        <span className="muted">
          {picked.length === 0 ? "Select two runs to see where they differ." : `${picked.length} selected`}
        </span>
        {picked.length > 0 && (
          <Button size="small" kind="quiet" onClick={() => setChosen(new Set())}>
            Choose none
          </Button>
        )}
      </div>
      <Panel isFlush>
        <Table
          label={`Runs of ${name}`}
          columns={RUN_COLUMNS}
          rowPx={RUN_ROW_PX}
          rows={runs.data.runs}
          keyOf={({ id }) => id}
          onOpen={({ id }) => navigate(`/runs/${id}`)}
          chosen={chosen}
          onChoose={setChosen}
        />
      </Panel>
      {runs.data.hasMore && <Link to={`/runs?workflow=${encodeURIComponent(name)}`}>All runs of {name}</Link>}
    </div>
  );
}

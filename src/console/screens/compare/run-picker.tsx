import { type JSX, useMemo } from "react";
import type { Run } from "../../../client/index.ts";
import { navigate } from "../../page/router.tsx";
import { useRunList } from "../../live/use-run-list.ts";
import { Empty } from "../../parts/empty.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { RUN_COLUMNS, RUN_ROW_PX } from "../../parts/run-columns.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Table } from "../../parts/table.tsx";
import { compareInOrder } from "../../parts/compare-address.ts";

/** Selects the run to compare with, from the other runs of the workflow, newest first. */
export function RunPicker({ run }: { readonly run: Run }): JSX.Element {
  const found = useRunList({ workflow: run.workflow });
  const others = useMemo(() => found.data?.runs.filter(({ id }) => id !== run.id), [found.data, run.id]);
  if (others === undefined)
    return found.problem === null ? <Skeleton lines={6} height={28} /> : <ProblemView problem={found.problem} />;
  if (others.length === 0) {
    return (
      <Empty icon="compare" title="There is nothing to compare with yet" command={`sluice run ${run.workflow}`}>
        {run.workflow} has no other run. Start another one:
      </Empty>
    );
  }
  return (
    <Panel title={`Compare with which run of ${run.workflow}?`} isFlush>
      <Table
        label={`Other runs of ${run.workflow}`}
        columns={RUN_COLUMNS}
        rowPx={RUN_ROW_PX}
        rows={others}
        keyOf={({ id }) => id}
        onOpen={(other) => navigate(compareInOrder(run, other))}
      />
    </Panel>
  );
}

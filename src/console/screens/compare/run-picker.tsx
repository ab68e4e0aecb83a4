import { type JSX, useMemo } from "react";
import type { Run } from "../../../client/index.ts";
import { navigate } from "../../page/router.tsx";
import { api } from "../../live/api.ts";
import { useQuery } from "../../live/use-query.ts";
import { Empty } from "../../parts/empty.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { RUN_COLUMNS } from "../../parts/run-columns.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Table } from "../../parts/table.tsx";
import { compareInOrder } from "../../parts/compare-address.ts";

const OFFERED = 100;

/** Which run to compare with: any other one of the workflow, newest first. */
export function RunPicker({ run }: { readonly run: Run }): JSX.Element {
  const found = useQuery(
    `runs:of:${run.workflow}:${OFFERED}`,
    () => api.listRuns({ workflow: run.workflow, limit: OFFERED }),
    { tags: ["runs"] },
  );
  const others = useMemo(() => found.data?.data.filter(({ id }) => id !== run.id), [found.data, run.id]);
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
        columns={RUN_COLUMNS.filter(({ id }) => id !== "workflow")}
        rows={others}
        keyOf={({ id }) => id}
        onOpen={(other) => navigate(compareInOrder(run, other))}
      />
    </Panel>
  );
}

import { type JSX, useState } from "react";
import { ApiProblem, type CellView, type MoveView } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { useMay } from "../../live/session-store.ts";
import { useQuery } from "../../live/use-query.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Badge, type Tone } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import { MoveDialog } from "./move-dialog.tsx";

/** Interval of polling. Moves send no live messages, because live messages belong to an organisation. */
const LOOK_MS = 2_000;

/** For operators of an installation with several databases: the cell of each organisation, and the moves. */
export function CellsTab(): JSX.Element {
  const isAllowed = useMay("keys:manage");
  const options = { tags: ["cells"], everyMs: LOOK_MS };
  const cells = useQuery(isAllowed ? "cells" : null, () => api.cells.list(), options);
  const hasCells = cells.data !== undefined;
  const moves = useQuery(hasCells ? "cell-moves" : null, () => api.cells.listMoves(), options);
  const [moved, setMoved] = useState<Resident | null>(null);
  if (!isAllowed)
    return (
      <Empty icon="approval" title="You may not look after cells">
        Ask for the permission keys:manage.
      </Empty>
    );
  if (cells.data === undefined) {
    if (cells.problem === null) return <Skeleton lines={6} />;
    return isWithoutCells(cells.problem) ? <NoCells /> : <ProblemView problem={cells.problem} />;
  }
  const all = cells.data;
  const open = new Set(
    (moves.data ?? []).filter(({ stage }) => !isOver(stage)).map(({ organisation }) => organisation),
  );
  const columns: readonly Column<Resident>[] = [
    ...RESIDENT_COLUMNS,
    {
      id: "move",
      head: "Action",
      cell: (resident) => (
        <Button
          size="small"
          disabled={all.length < 2 || open.has(resident.id)}
          title={open.has(resident.id) ? "It is on its way" : `Move ${resident.id}`}
          label={`Move ${resident.id}`}
          onClick={() => setMoved(resident)}
        >
          Move
        </Button>
      ),
    },
  ];
  return (
    <div className="stack">
      <Panel title="Cells" isFlush>
        <Table label="Cells" columns={CELL_COLUMNS} rows={all} keyOf={({ name }) => name} />
      </Panel>
      <Panel title="Organisations" isFlush>
        <Table label="Organisations" columns={columns} rows={all.flatMap(residentsOf)} keyOf={({ id }) => id} />
      </Panel>
      <Moves moves={moves.data} problem={moves.problem} />
      {moved !== null && <MoveDialog resident={moved} cells={all} onClose={() => setMoved(null)} />}
    </div>
  );
}

/** An organisation and its cell. */
export interface Resident {
  readonly id: string;
  readonly name: string | null;
  readonly cell: string;
}

function residentsOf({ name: cell, organisations }: CellView): readonly Resident[] {
  return organisations.map(({ id, name }) => ({ id, name, cell }));
}

function isWithoutCells(problem: Error): boolean {
  return problem instanceof ApiProblem && problem.code === "no_cells";
}

function NoCells(): JSX.Element {
  return (
    <Empty title="This installation has one database" command="sluice serve --cells cells.yaml">
      One that outgrows it gets several, and each organisation lives in one of them.
    </Empty>
  );
}

function Moves({
  moves,
  problem,
}: {
  readonly moves: readonly MoveView[] | undefined;
  readonly problem: Error | null;
}): JSX.Element {
  return (
    <Panel title="Moves" isFlush>
      {problem !== null && <ProblemView problem={problem} />}
      {moves !== undefined && moves.length === 0 && <Empty title="No organisation has been moved yet" />}
      {moves !== undefined && moves.length > 0 && (
        <Table label="Moves" columns={MOVE_COLUMNS} rows={moves} keyOf={({ id }) => id} />
      )}
    </Panel>
  );
}

const CELL_COLUMNS: readonly Column<CellView>[] = [
  { id: "name", head: "Cell", cell: ({ name }) => name, sortBy: ({ name }) => name },
  { id: "database", head: "Database", isWide: true, cell: ({ database }) => <code>{database}</code> },
  {
    id: "state",
    head: "State",
    cell: ({ isReady, isDirectory, accepts }) => (
      <span className="person-actions">
        <Badge tone={isReady ? "ok" : "bad"}>{isReady ? "ready" : "away"}</Badge>
        {isDirectory && <Badge tone="info">directory</Badge>}
        {!accepts && <Badge tone="idle">closed</Badge>}
      </span>
    ),
  },
  {
    id: "organisations",
    head: "Organisations",
    isNumber: true,
    cell: ({ organisations }) => organisations.length.toLocaleString("en"),
    sortBy: ({ organisations }) => organisations.length,
  },
];

const RESIDENT_COLUMNS: readonly Column<Resident>[] = [
  { id: "id", head: "Id", cell: ({ id }) => <code>{id}</code>, sortBy: ({ id }) => id },
  { id: "name", head: "Name", isWide: true, cell: ({ name }) => name ?? <span className="muted">–</span> },
  { id: "cell", head: "Cell", cell: ({ cell }) => cell, sortBy: ({ cell }) => cell },
];

const MOVE_COLUMNS: readonly Column<MoveView>[] = [
  { id: "organisation", head: "Organisation", cell: ({ organisation }) => <code>{organisation}</code> },
  { id: "way", head: "From, to", cell: ({ from, to }) => `${from} → ${to}` },
  {
    id: "stage",
    head: "Stage",
    cell: ({ stage, reason }) => (
      <span title={reason ?? ""}>
        <Badge tone={toneOf(stage)}>{stage}</Badge>
      </span>
    ),
  },
  { id: "result", head: "Result", isWide: true, cell: (move) => resultOf(move) },
  { id: "begun", head: "Begun", isWide: true, cell: ({ createdAt }) => <TimeText at={createdAt} /> },
];

function isOver(stage: MoveView["stage"]): boolean {
  return stage === "done" || stage === "failed";
}

function toneOf(stage: MoveView["stage"]): Tone {
  if (stage === "done") return "ok";
  return stage === "failed" ? "bad" : "info";
}

function resultOf({ stage, reason, tables, frozenAt, switchedAt }: MoveView): string {
  if (stage === "failed" || stage === "withdrawing") return reason ?? "";
  if (frozenAt === null || switchedAt === null) return "";
  const rows = (tables ?? []).reduce((sum, table) => sum + table.rows, 0);
  const seconds = (Date.parse(switchedAt) - Date.parse(frozenAt)) / 1_000;
  return `${rows.toLocaleString("en")} rows, frozen for ${seconds.toFixed(1)} s`;
}

import type { JSX } from "react";
import type { Slot } from "../../client/index.ts";
import { Link } from "../page/router.tsx";
import { api } from "../live/api.ts";
import { useQuery } from "../live/use-query.ts";
import { ProblemView } from "../parts/problem-view.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { Badge, type Tone } from "../parts/status.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { TimeText } from "../parts/time-text.tsx";

const TONES: Readonly<Record<Slot["state"], Tone>> = {
  claimed: "info",
  queued: "idle",
  started: "ok",
  skipped: "warn",
  refused: "bad",
};

const COLUMNS: readonly Column<Slot>[] = [
  { id: "slot", head: "Due", cell: ({ slotAt }) => <TimeText at={slotAt} /> },
  { id: "state", head: "State", cell: ({ state }) => <Badge tone={TONES[state]}>{state}</Badge> },
  {
    id: "run",
    head: "Run",
    cell: ({ runId, reason }) =>
      runId === null ? (
        <span className="muted">{reason ?? "–"}</span>
      ) : (
        <Link to={`/runs/${runId}`} className="mono">
          {runId}
        </Link>
      ),
  },
];

/** Shows the results of past slots of a schedule and its next slots. */
export function SlotsView({ scheduleId }: { readonly scheduleId: string }): JSX.Element {
  const slots = useQuery(`slots:${scheduleId}`, () => api.listSlots(scheduleId, { limit: 10 }), {
    tags: ["runs", "schedules"],
    everyMs: 30_000,
  });
  if (slots.data === undefined) return slots.problem === null ? <Skeleton /> : <ProblemView problem={slots.problem} />;
  const { data, nextSlots } = slots.data;
  return (
    <div className="stack">
      <p>
        <span className="muted">Next: </span>
        {nextSlots.length === 0
          ? "none"
          : nextSlots.map((at, index) => (
              <span key={at}>
                {index > 0 && ", "}
                <TimeText at={at} />
              </span>
            ))}
      </p>
      {data.length === 0 ? (
        <p className="muted">No slot has come yet.</p>
      ) : (
        <Table label="Slots" columns={COLUMNS} rows={data} keyOf={({ slotAt }) => slotAt} />
      )}
    </div>
  );
}

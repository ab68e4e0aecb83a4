import type { JSX } from "react";
import type { Delivery } from "../../../client/index.ts";
import { api } from "../../live/api.ts";
import { useMay } from "../../live/session-store.ts";
import { useQuery } from "../../live/use-query.ts";
import { useAction } from "../../page/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Badge, type Tone } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { TimeText } from "../../parts/time-text.tsx";

const TONES: Readonly<Record<Delivery["state"], Tone>> = {
  pending: "info",
  failed: "warn",
  delivered: "ok",
  given_up: "bad",
};

interface DeliveriesViewProps {
  readonly collection: "webhooks" | "channels";
  readonly name: string;
}

/** The messages sent to a webhook or a channel, and their outcome. */
export function DeliveriesView({ collection, name }: DeliveriesViewProps): JSX.Element {
  const mayWrite = useMay("registry:write");
  const log = api[collection];
  const deliveries = useQuery(`deliveries:${collection}/${name}`, () => log.listDeliveries(name, { limit: 20 }), {
    everyMs: 5_000,
  });
  const again = useAction(async (id: string) => {
    await log.redeliver(name, id);
    await deliveries.refresh();
  });
  const testing = useAction(async () => {
    await log.test(name);
    await deliveries.refresh();
  });
  const columns: readonly Column<Delivery>[] = [
    ...COLUMNS,
    {
      id: "again",
      head: "Action",
      cell: ({ id, state }) =>
        state !== "pending" && (
          <Button
            size="small"
            icon="redo"
            disabled={!mayWrite}
            label={`Deliver ${id} again`}
            onClick={() => void again.run(id)}
          />
        ),
    },
  ];
  const problem = deliveries.problem ?? again.problem ?? testing.problem;
  return (
    <Panel
      isFlush
      title="Deliveries"
      actions={
        <Button size="small" disabled={!mayWrite} isBusy={testing.isBusy} onClick={() => void testing.run()}>
          Send a test
        </Button>
      }
    >
      {problem !== null && <ProblemView problem={problem} />}
      {deliveries.data === undefined && problem === null && <Skeleton />}
      {deliveries.data?.data.length === 0 && <p className="panel-body muted">Nothing was sent yet.</p>}
      {deliveries.data !== undefined && deliveries.data.data.length > 0 && (
        <Table label="Deliveries" columns={columns} rows={deliveries.data.data} keyOf={({ id }) => id} />
      )}
    </Panel>
  );
}

const COLUMNS: readonly Column<Delivery>[] = [
  {
    id: "type",
    head: "Event",
    cell: ({ type, recipient, createdAt }) => (
      <span className="delivery-event">
        <code className="cut" title={type}>
          {type}
        </code>
        {recipient !== null && <span className="cut">{recipient}</span>}
        <span className="muted">
          <TimeText at={createdAt} />
        </span>
      </span>
    ),
  },
  {
    id: "state",
    head: "State",
    cell: ({ state, attempts }) => (
      <span className="delivery-state">
        <Badge tone={TONES[state]}>{state.replace("_", " ")}</Badge>
        <span className="muted nowrap">{attempts === 1 ? "1 try" : `${attempts} tries`}</span>
      </span>
    ),
  },
  { id: "answer", head: "Answer", isWide: true, cell: (delivery) => <Answer delivery={delivery} /> },
];

/** Shows at most two lines of the response. The title contains the whole text. */
function Answer({ delivery: { lastStatus, lastError } }: { readonly delivery: Delivery }): JSX.Element {
  const text = [lastStatus, lastError].filter((part) => part !== null).join(": ");
  if (text === "") return <span className="muted">–</span>;
  return (
    <span className="delivery-answer" title={text}>
      {text}
    </span>
  );
}

import type { JSX } from "react";
import type { SimulationReport } from "../../../client/index.ts";
import type { RunStatus } from "../../../core/event/index.ts";
import { spanText } from "../../parts/figures.ts";
import { Money } from "../../parts/money.tsx";
import { StatusBadge } from "../../parts/status.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { ExplanationView } from "./explanation-view.tsx";

type NodeForecast = SimulationReport["nodes"][number];

/** A forecast for a workflow by the present gates: what it would do, which waits it would have, and its cost. */
export function ForecastView({ report }: { readonly report: SimulationReport }): JSX.Element {
  const stopped = report.nodes.filter(({ explanation }) => explanation !== null);
  return (
    <section className="stack" aria-label="Forecast">
      <Figures report={report} />
      <Launch report={report} />
      {stopped.length > 0 && (
        <div className="stack">
          <h3>Verdicts of the gates</h3>
          {stopped.map((node) => (
            <ExplanationView
              key={node.nodeId}
              subject={node.nodeId}
              verdict={node.verdict ?? "block"}
              explanation={node.explanation}
            />
          ))}
        </div>
      )}
      <Calls report={report} />
      <Approvals report={report} />
      <Table label="Verdicts by node" columns={COLUMNS} rows={report.nodes} keyOf={({ nodeId }) => nodeId} />
    </section>
  );
}

function Figures({ report: { forecast, status, nodes } }: { readonly report: SimulationReport }): JSX.Element {
  const waiting = forecast.waitsForPerson.length;
  return (
    <dl className="workflow-figures">
      <div>
        <dt>Expected status</dt>
        <dd>
          <StatusBadge status={status as RunStatus} />
        </dd>
      </div>
      <div>
        <dt>Forecast cost</dt>
        <dd>
          <Money micros={forecast.costMicros} />
        </dd>
      </div>
      <div>
        <dt>Reserved at most</dt>
        <dd>
          <Money micros={forecast.reservedMicros} />
        </dd>
      </div>
      <div>
        <dt>Duration</dt>
        <dd>{spanText(forecast.durationMs)}</dd>
      </div>
      <div>
        <dt>Nodes</dt>
        <dd className="num">{nodes.length}</dd>
      </div>
      <div>
        <dt>Wait for a person</dt>
        <dd className="num">{waiting}</dd>
      </div>
    </dl>
  );
}

/** The verdict of the gates on starting the run. */
export function Launch({ report: { launch } }: { readonly report: SimulationReport }): JSX.Element | null {
  if (launch.disposition === "allow") {
    return (
      <p className="row">
        <StatusBadge status="allow" label="The launch gates allow it" />
      </p>
    );
  }
  return <ExplanationView subject="The launch" verdict={launch.disposition} explanation={launch.explanation} />;
}

/** Tool calls of agents that the gates would block or hold. */
function Calls({ report: { calls } }: { readonly report: SimulationReport }): JSX.Element | null {
  const stopped = calls.filter(({ disposition }) => disposition !== "allow");
  if (stopped.length === 0) return null;
  return (
    <div>
      <h3>Tool calls that would be held or denied</h3>
      <ul className="workflow-plain-list">
        {stopped.map(({ callId, nodeId, round, tool, disposition, gate, code, reason }) => (
          <li key={callId}>
            <StatusBadge
              status={disposition === "hold" ? "hold" : "block"}
              label={disposition === "hold" ? "Held" : "Denied"}
            />{" "}
            <code>{tool}</code> of <code>{nodeId}</code>, round {round}: {reason}{" "}
            <span className="muted">{[gate, code].filter((part) => part !== null).join(", ")}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Approvals({ report: { approvals } }: { readonly report: SimulationReport }): JSX.Element | null {
  if (approvals.length === 0) return null;
  return (
    <div>
      <h3>Who must approve</h3>
      <ul className="workflow-plain-list">
        {approvals.map(({ nodeId, summary, approvers }, index) => (
          <li key={index}>
            <code>{nodeId}</code> {summary}{" "}
            <span className="muted">
              {approvers.length === 0 ? "anyone who may approve" : approvers.join(", then ")}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const COLUMNS: readonly Column<NodeForecast>[] = [
  { id: "node", head: "Node", cell: ({ nodeId }) => <code>{nodeId}</code>, sortBy: ({ nodeId }) => nodeId },
  {
    id: "verdict",
    head: "Verdict",
    cell: ({ verdict }) =>
      verdict === null ? <span className="muted">not asked</span> : <StatusBadge status={verdict} />,
    sortBy: ({ verdict }) => verdict,
  },
  {
    id: "gate",
    head: "Gate",
    isWide: true,
    cell: ({ gate }) => (gate === null ? <span className="muted">–</span> : <code>{gate}</code>),
  },
  { id: "status", head: "Expected status", cell: ({ status }) => <StatusBadge status={status as RunStatus} /> },
  {
    id: "cost",
    head: "Cost",
    isNumber: true,
    cell: ({ costMicros }) => <Money micros={costMicros} />,
    sortBy: ({ costMicros }) => costMicros,
  },
  {
    id: "took",
    head: "Duration",
    isNumber: true,
    isWide: true,
    cell: ({ durationMs }) => (durationMs === null ? "–" : spanText(durationMs)),
  },
];

import type { JSX, ReactNode } from "react";
import { isTerminal } from "../../../core/event/index.ts";
import { Link } from "../../page/router.tsx";
import { dollars, spanText } from "../../parts/figures.ts";
import { Money } from "../../parts/money.tsx";
import { Panel } from "../../parts/panel.tsx";
import { shortId } from "../../parts/short-id.ts";
import { StatusBadge } from "../../parts/status.tsx";
import { Duration, TimeText } from "../../parts/time-text.tsx";
import type { Side, Sides } from "./both.tsx";
import { resultCounts, isOtherSpan, wordsOf } from "./comparison.ts";
import { DiffersMark } from "./differs-mark.tsx";

/** Compares the facts of both runs as a whole. */
export function FactTable({ left, right }: Sides): JSX.Element {
  const spans = [spanOf(left), spanOf(right)] as const;
  return (
    <Panel isFlush>
      <table className="compare-facts">
        <thead>
          <tr>
            <th scope="col">
              <span className="hidden-text">Fact</span>
            </th>
            <RunHead side={left} other={right} />
            <RunHead side={right} other={left} />
          </tr>
        </thead>
        <tbody>
          <Row name="Status" differs={left.state.status !== right.state.status}>
            {[left, right].map(({ run, state }) => (
              <StatusBadge key={run.id} status={state.status} />
            ))}
          </Row>
          <Row name="Nodes" differs={resultCounts(left.state) !== resultCounts(right.state)}>
            {[resultCounts(left.state), resultCounts(right.state)]}
          </Row>
          <Row
            name="Cost"
            differs={left.state.costMicros !== right.state.costMicros}
            apart={apartText(right.state.costMicros - left.state.costMicros, dollars)}
          >
            {[left, right].map(({ run, state }) => (
              <Money key={run.id} micros={state.costMicros} />
            ))}
          </Row>
          <Row
            name="Duration"
            differs={isOtherSpan(...spans)}
            apart={spans[0] === null || spans[1] === null ? null : apartText(spans[1] - spans[0], spanText)}
          >
            {[left, right].map(({ run }) => (
              <Duration
                key={run.id}
                from={run.startedAt}
                to={isTerminal(run.status) ? (run.completedAt ?? run.startedAt) : null}
              />
            ))}
          </Row>
          <Row name="Started" differs={false}>
            {[left, right].map(({ run }) => (
              <TimeText key={run.id} at={run.startedAt ?? run.createdAt} />
            ))}
          </Row>
          {wordsOf(left.run, right.run).map(({ name, left: before, right: after, differs }) => (
            <Row key={name} name={name} differs={differs}>
              {[before, after]}
            </Row>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function RunHead({ side, other }: { readonly side: Side; readonly other: Side }): JSX.Element {
  const { id, sourceRunId } = side.run;
  const isOrigin = other.run.sourceRunId === id;
  return (
    <th scope="col">
      <Link to={`/runs/${encodeURIComponent(id)}`} title={id}>
        <code>{shortId(id)}</code>
      </Link>
      {isOrigin && <span className="muted"> the origin</span>}
      {sourceRunId === other.run.id && <span className="muted"> started from the other</span>}
    </th>
  );
}

interface RowProps {
  readonly name: string;
  readonly differs: boolean;
  /** The difference from left to right. */
  readonly apart?: string | null;
  readonly children: readonly ReactNode[];
}

function Row({ name, differs, apart = null, children: [left, right] }: RowProps): JSX.Element {
  return (
    <tr className={differs ? "is-different" : ""}>
      <th scope="row">
        {name}
        {differs && <DiffersMark />}
      </th>
      <td>{left}</td>
      <td>
        {right}
        {apart !== null && <span className="muted num compare-apart"> {apart}</span>}
      </td>
    </tr>
  );
}

function apartText(apart: number, print: (amount: number) => string): string | null {
  if (apart === 0) return null;
  return `${apart > 0 ? "+" : "−"}${print(Math.abs(apart))}`;
}

/** Returns the duration of a run. Null while the run has not ended, because it is not compared yet. */
function spanOf({ run: { status, startedAt, completedAt } }: Side): number | null {
  if (!isTerminal(status) || startedAt === undefined || completedAt === undefined) return null;
  return Date.parse(completedAt) - Date.parse(startedAt);
}

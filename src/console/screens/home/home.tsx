import type { JSX, ReactNode } from "react";
import { plainText } from "../../../core/text/index.ts";
import { Link, navigate } from "../../page/router.tsx";
import { useMay } from "../../live/session-store.ts";
import { BudgetMeter } from "../../parts/budget-meter.tsx";
import { Empty } from "../../parts/empty.tsx";
import { dollars } from "../../parts/figures.ts";
import { Icon } from "../../parts/icon.tsx";
import { Money } from "../../parts/money.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { RUN_COLUMNS, RUN_ROW_PX } from "../../parts/run-columns.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Sparkline } from "../../parts/sparkline.tsx";
import { Table } from "../../parts/table.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import type { Envelope } from "./envelopes.ts";
import { type HomeData, useHomeData } from "./home-data.ts";
import type { Need } from "./needs.ts";
import "./home.css";

const NEEDS_SHOWN = 8;
const COLUMNS = RUN_COLUMNS.filter(({ id }) => id !== "trigger");

/** The home page: running runs, items that need a person, and costs. */
export function HomeScreen(): JSX.Element {
  const home = useHomeData();
  const mayRead = useMay("run:read");
  if (!mayRead) {
    return (
      <>
        <PageHead title="Home" />
        <Empty icon="gate" title="This key may not see runs">
          It lacks the permission run:read. The pages it may use are on the left.
        </Empty>
      </>
    );
  }
  return (
    <>
      <PageHead title="Home" />
      {home.problem !== null && home.recent === undefined && (
        <ProblemView problem={home.problem} onRetry={() => void home.refresh()} />
      )}
      <Tiles home={home} />
      <div className="home-columns">
        <Panel title="Needs a person now" isFlush>
          <Needs needs={home.needs} count={home.needCount} />
        </Panel>
        <Panel title="Spend against envelopes">
          <Envelopes envelopes={home.envelopes} />
        </Panel>
      </div>
      <Panel title="In flight" isFlush actions={<Link to="/runs">All runs</Link>}>
        <InFlight home={home} />
      </Panel>
    </>
  );
}

function Tiles({ home }: { readonly home: HomeData }): JSX.Element {
  const { inFlight, needCount, mine, spentToday, successRate, ended, recent } = home;
  const beats = (recent ?? [])
    .toReversed()
    .slice(-20)
    .map(({ id, status }) => ({ key: id, status, size: status === "completed" ? 0.6 : 1 }));
  return (
    <dl className="tiles">
      <Tile label="Runs in flight">{inFlight.length}</Tile>
      <Tile label="Need a person">{needCount}</Tile>
      <Tile label="Yours to answer">
        <Link to="/approvals?mine=true">{mine}</Link>
      </Tile>
      <Tile label="Spent today">{spentToday === undefined ? "–" : <Money micros={spentToday} />}</Tile>
      <Tile label={ended === 0 ? "Success" : `Success of the last ${ended}`}>
        {successRate === null ? "–" : `${Math.round(successRate * 100)} %`}
      </Tile>
      <Tile label="Last runs">
        <Sparkline beats={beats} label="How the last runs ended" />
      </Tile>
    </dl>
  );
}

function Tile({ label, children }: { readonly label: string; readonly children: ReactNode }): JSX.Element {
  return (
    <div className="tile">
      <dt>{label}</dt>
      <dd className="num">{children}</dd>
    </div>
  );
}

function Needs({ needs, count }: { readonly needs: readonly Need[]; readonly count: number }): JSX.Element {
  if (needs.length === 0) {
    return (
      <Empty icon="check" title="Nothing waits for a person">
        Approvals, failed runs, exhausted envelopes and gateways that are offline appear here.
      </Empty>
    );
  }
  const shown = needs.slice(0, NEEDS_SHOWN);
  const more = count - shown.reduce((sum, need) => sum + need.count, 0);
  return (
    <ul className="needs">
      {shown.map(({ key, icon, tone, title, detail, to, at, isDeadline }) => (
        <li key={key}>
          <Link to={to}>
            <Icon name={icon} className={`text-${tone}`} />
            <span className="needs-text">
              <span className="cut">{plainText(title)}</span>
              <span className="muted cut">{plainText(detail)}</span>
            </span>
            {at !== null && (
              <span className="muted nowrap">
                {isDeadline ? "expires " : ""}
                <TimeText at={at} />
              </span>
            )}
          </Link>
        </li>
      ))}
      {more > 0 && <li className="needs-more muted">and {more} more</li>}
    </ul>
  );
}

function Envelopes({ envelopes }: { readonly envelopes: readonly Envelope[] }): JSX.Element {
  if (envelopes.length === 0) {
    return (
      <Empty icon="budget" title="No envelopes yet" command="sluice apply -f budget.yaml">
        A budget stops runs before they cost more than it allows. <Link to="/governance/budgets">Make one</Link>, or
        from a terminal:
      </Empty>
    );
  }
  return (
    <ul className="envelopes">
      {envelopes.map(({ id, label, spentMicros, limitMicros, share }) => (
        <li key={id}>
          <div className="spread">
            <Link to={`/governance/budgets/${encodeURIComponent(id)}`}>{id}</Link>
            <span className="num">
              {dollars(spentMicros)} of {dollars(limitMicros)}
            </span>
          </div>
          <BudgetMeter share={share} label={`Spent of ${id}`} />
          <div className="muted">{label}</div>
        </li>
      ))}
    </ul>
  );
}

function InFlight({ home: { recent, inFlight } }: { readonly home: HomeData }): JSX.Element {
  if (recent === undefined) return <Skeleton lines={4} height={28} />;
  if (recent.length === 0) {
    return (
      <Empty icon="run" title="Nothing has run yet" command="sluice run demo-hello">
        Start a workflow here under <Link to="/workflows">Workflows</Link>, or from a terminal:
      </Empty>
    );
  }
  if (inFlight.length === 0) return <Empty icon="check" title="No run is in flight" />;
  return (
    <Table
      label="Runs in flight"
      columns={COLUMNS}
      rowPx={RUN_ROW_PX}
      rows={inFlight}
      keyOf={({ id }) => id}
      onOpen={({ id }) => navigate(`/runs/${id}`)}
    />
  );
}

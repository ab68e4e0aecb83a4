import { type JSX, useMemo } from "react";
import type { WorkflowStatus } from "../../../client/index.ts";
import { Link, navigate, type SearchParams, useSearchParams } from "../../page/router.tsx";
import { api } from "../../live/api.ts";
import { cache } from "../../live/cache.ts";
import { useMay } from "../../live/session-store.ts";
import { useWorkflows } from "../../live/use-registered.ts";
import { useRunList } from "../../live/use-run-list.ts";
import { useAction } from "../../page/use-action.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Menu, type MenuItem } from "../../parts/menu.tsx";
import { Money } from "../../parts/money.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { ProblemView } from "../../parts/problem-view.tsx";
import { ANY, FilterSelect } from "../../parts/select.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Sparkline } from "../../parts/sparkline.tsx";
import { StatusBadge } from "../../parts/status.tsx";
import { TimeText } from "../../parts/time-text.tsx";
import { toast } from "../../parts/toast.tsx";
import { runBars, cardsOf, chooseCards, type Order, ORDERS, type WorkflowItem } from "./cards.ts";
import "./workflows.css";

const RUN_PAGES = 3;

/** The list of workflows, each with its most recent runs. */
export function WorkflowsScreen(): JSX.Element {
  const params = useSearchParams();
  const found = useWorkflows();
  const runs = useRunList(useMay("run:read") ? {} : null, RUN_PAGES);
  const order = ORDERS.find((each) => each === params.get("sort")) ?? "name";
  const cards = useMemo(() => cardsOf(found.data ?? [], runs.data?.runs ?? []), [found.data, runs.data]);
  const chosen = chooseCards(cards, params.get("q") ?? "", params.get("status"), order);
  const mayWrite = useMay("workflow:write");
  return (
    <>
      <PageHead
        title="Workflows"
        actions={
          mayWrite && (
            <Button kind="primary" icon="plus" onClick={() => navigate("/workflows/-")}>
              New workflow
            </Button>
          )
        }
      />
      <Filters params={params} order={order} />
      {found.problem !== null && found.data === undefined && (
        <ProblemView problem={found.problem} onRetry={() => void found.refresh()} />
      )}
      {found.data === undefined ? (
        found.problem === null && <Skeleton lines={4} height={80} />
      ) : found.data.length === 0 ? (
        <Empty icon="workflow" title="No workflows yet" command="sluice workflows save hello.lobsterX">
          Write one here with New workflow, or save a file from a terminal:
        </Empty>
      ) : chosen.length === 0 ? (
        <Empty
          icon="filter"
          title="No results"
          action={<Button onClick={() => navigate("/workflows")}>Show all</Button>}
        />
      ) : (
        <ul className="cards">
          {chosen.map((card) => (
            <li key={card.workflow.name}>
              <WorkflowCard card={card} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const titleOf = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function Filters({ params, order }: { readonly params: SearchParams; readonly order: Order }): JSX.Element {
  return (
    <div className="row workflow-filters" role="search" aria-label="Filter workflows">
      <input
        type="search"
        aria-label="Search workflows"
        placeholder="Search"
        value={params.get("q") ?? ""}
        onChange={(event) => params.set({ q: event.target.value })}
      />
      <FilterSelect
        label="Status"
        value={params.get("status") ?? ""}
        options={[ANY, ["active", "Active"], ["paused", "Paused"], ["deprecated", "Deprecated"]]}
        onChange={(status) => params.set({ status })}
      />
      <FilterSelect
        label="Sort by"
        value={order}
        options={ORDERS.map((each) => [each, titleOf(each)])}
        onChange={(sort) => params.set({ sort })}
      />
    </div>
  );
}

function WorkflowCard({ card }: { readonly card: WorkflowItem }): JSX.Element {
  const { workflow, runs, failures, costMicros, lastRunAt } = card;
  const { name, version, status, posture } = workflow;
  const path = `/workflows/${encodeURIComponent(name)}`;
  const mayRun = useMay("workflow:execute");
  const mayWrite = useMay("workflow:write");
  const changing = useAction(async (next: WorkflowStatus) => {
    await api.setWorkflowStatus(name, next);
    cache.invalidate("workflows");
    toast(`${name} is ${next} now.`, next === "active" ? "ok" : "info");
  });
  const other: MenuItem =
    status === "active"
      ? { label: "Pause", icon: "pause", onSelect: () => void changing.run("paused") }
      : { label: "Activate", icon: "run", onSelect: () => void changing.run("active") };
  return (
    <article className="card">
      <div className="card-head">
        <h2 className="cut">
          <Link to={path}>{name}</Link>
        </h2>
        {status !== "active" && <StatusBadge status={status} />}
      </div>
      <div className="card-facts muted">
        v{version} · {posture.replaceAll("_", " ")}
      </div>
      {runs.length === 0 ? (
        <span className="muted card-never">Has not run yet</span>
      ) : (
        <Sparkline beats={runBars(runs)} label={`How the last ${runs.length} runs of ${name} ended`} />
      )}
      <dl className="card-figures">
        <div>
          <dt>Last run</dt>
          <dd>
            <TimeText at={lastRunAt} />
          </dd>
        </div>
        <div>
          <dt>Failures</dt>
          <dd className={failures > 0 ? "num text-bad" : "num"}>
            {runs.length === 0 ? "–" : `${failures} of ${runs.length}`}
          </dd>
        </div>
        <div>
          <dt>Cost</dt>
          <dd>
            <Money micros={costMicros} />
          </dd>
        </div>
      </dl>
      {changing.problem !== null && <ProblemView problem={changing.problem} />}
      <div className="row">
        {mayRun && (
          <Button size="small" icon="run" disabled={status !== "active"} onClick={() => navigate(`${path}?launch=1`)}>
            Run
          </Button>
        )}
        <Button size="small" kind="quiet" onClick={() => navigate(`/runs?workflow=${encodeURIComponent(name)}`)}>
          Runs
        </Button>
        {mayWrite && (
          <span className="card-menu">
            <Menu label={`More for ${name}`} button={{ icon: "more", kind: "quiet", size: "small" }} items={[other]} />
          </span>
        )}
      </div>
    </article>
  );
}
